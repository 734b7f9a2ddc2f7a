"""`scripts/kill9`: tapeline is killed at a random moment under load, again and again; the HAR on disk must parse each time,
and every entry in it must be whole."""

from __future__ import annotations

import argparse
import fcntl
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from load import LoadFailed, fetch
from origin import SMALL_BODY, Origin
from process import Server, ServerFailed
from tools import Tapeline

LONGEST_SECONDS = 1.0
ENTRY_MEMBERS = {"pageref", "startedDateTime", "time", "request", "response", "cache", "timings"}
REQUEST_MEMBERS = {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"}
RESPONSE_MEMBERS = {
    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
}  # fmt: skip
PHASES = ("blocked", "dns", "connect", "send", "wait", "receive")


class Damaged(Exception):
    """What is wrong with a HAR."""


def check(text: str) -> int:
    """The number of entries, all of them whole."""
    try:
        log = json.loads(text)["log"]
    except (ValueError, KeyError) as error:
        raise Damaged(f"does not parse: {error}") from error
    pages = {page["id"] for page in log["pages"]}
    for number, entry in enumerate(log["entries"]):
        try:
            check_entry(entry, pages)
        except (KeyError, TypeError) as error:
            raise Damaged(f"entry {number} is not whole: {error!r}") from error
        except Damaged as error:
            raise Damaged(f"entry {number}: {error}") from error
    return len(log["entries"])


def check_entry(entry: dict, pages: set[str]) -> None:
    request, response, timings = entry["request"], entry["response"], entry["timings"]
    for name, found, wanted in (
        ("entry", entry, ENTRY_MEMBERS), ("request", request, REQUEST_MEMBERS), ("response", response, RESPONSE_MEMBERS),
    ):  # fmt: skip
        if absent := wanted - found.keys():
            raise Damaged(f"{name} lacks {', '.join(sorted(absent))}")
    if entry["pageref"] not in pages:
        raise Damaged("names a page that is not there")
    total = sum(max(timings.get(phase, -1), 0) for phase in PHASES)
    if abs(total - entry["time"]) > 0.001:
        raise Damaged(f"time {entry['time']} is not the sum of its phases, {total:.3f}")
    if request["url"].endswith("/small.txt") and response["status"] == 200 and request["method"] == "GET":
        says_so = "_error" in entry or "_truncated" in response["content"]
        if response["content"].get("text") != SMALL_BODY and not says_so:
            raise Damaged("its body is not what the origin sent, and it does not say so")


def kill_once(directory: Path, origin: Origin, delay: float) -> tuple[int, float]:
    """Entries on disk after one kill, and how long the load had lasted."""
    tool = Tapeline(directory)
    tool.start()
    load = start_load(origin, tool)
    try:
        fetch(origin.small_url, tool.address)
        started = time.monotonic()
        time.sleep(delay)
        tool.server.stop(signal.SIGKILL)
        lasted = time.monotonic() - started
    finally:
        tool.server.stop(signal.SIGKILL)
        load.stop(signal.SIGKILL)
    return sum(check(settled_text(file)) for file in tool.recordings()), lasted


def settled_text(file: Path) -> str:
    """What a file holds once nobody writes it: a recorder has it locked, and so has whatever finishes its last write."""
    with file.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        return stream.read()


def start_load(origin: Origin, tool: Tapeline) -> Server:
    authority = f"127.0.0.1:{origin.port}"
    script = Path(__file__).with_name("mixed.lua")
    command = ["wrk", "--threads", "1", "--connections", "32", "--duration", "60s", "--script", str(script)]
    return Server("wrk", [*command, f"http://{tool.address}/", "--", f"http://{authority}", authority], tool.directory / "wrk.log")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/kill9", description=__doc__.replace("`", ""))
    parser.add_argument("times", nargs="?", type=int, default=50, help="how often (default: 50)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32), help="of the random moments")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    moments = random.Random(arguments.seed)
    print(f"killing {arguments.times} times, seed {arguments.seed}", flush=True)

    failures = 0
    directory = Path(tempfile.mkdtemp(prefix="tapeline-kill9-"))
    # nginx reads below it as another user.
    directory.chmod(0o755)
    origin = Origin(directory / "origin", large_size=1 << 20)
    try:
        origin.start()
        (origin.large_file.parent / "medium.txt").write_text("A line of the medium file.\n" * 2000)
        for number in range(1, arguments.times + 1):
            delay = moments.uniform(0, LONGEST_SECONDS)
            attempt = directory / str(number)
            try:
                entries, lasted = kill_once(attempt, origin, delay)
                print(f"{number:3}: killed after {lasted * 1000:4.0f} ms, {entries:,} entries, all whole", flush=True)
                shutil.rmtree(attempt)
            except (Damaged, LoadFailed) as error:
                failures += 1
                print(f"{number:3}: killed after {delay * 1000:4.0f} ms: {error}; kept in {attempt}", flush=True)
    except ServerFailed as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        origin.stop()
        shutil.rmtree(directory / "origin" if failures else directory, ignore_errors=True)
    print(f"{arguments.times - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
