"""`scripts/kill9`: tapeline is killed at a random moment under load, again and again, half of the time with bodies in files and small
HARs that follow one another. Each HAR on disk must parse, every entry in it must be whole with its body, and of what a connection
carried, one exchange after another, none may be missing before one that is there, unless the file counts it as dropped."""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from load import LoadFailed, fetch
from origin import SMALL_BODY, Origin
from process import Server, ServerFailed
from tools import Tapeline

LONGEST_SECONDS = 1.0
# What every second run adds to the defaults.
APART = ["--bodies-dir", "{directory}/bodies", "--rotate-size", "2MiB"]
ENTRY_MEMBERS = {"pageref", "startedDateTime", "time", "request", "response", "cache", "timings"}
REQUEST_MEMBERS = {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"}
RESPONSE_MEMBERS = {
    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
}  # fmt: skip
PHASES = ("blocked", "dns", "connect", "send", "wait", "receive")


class Damaged(Exception):
    """What is wrong with a HAR."""


@dataclass
class Contents:
    """The entries of a HAR, all of them whole, and how many exchanges it says that it left out because it could not keep up."""

    entries: list[dict]
    dropped: int


def check(text: str, directory: Path = Path()) -> Contents:
    """`directory` is where the HAR lies."""
    try:
        log = json.loads(text)["log"]
        pages = {page["id"] for page in log["pages"]}
    except (ValueError, KeyError) as error:
        raise Damaged(f"does not parse: {error!r}") from error
    for number, entry in enumerate(log["entries"]):
        try:
            check_entry(entry, pages, directory)
        except (KeyError, TypeError) as error:
            raise Damaged(f"entry {number} is not whole: {error!r}") from error
        except Damaged as error:
            raise Damaged(f"entry {number}: {error}") from error
    return Contents(log["entries"], log.get("_dropped", {}).get("exchanges", 0))


def check_order(entries: list[dict], dropped: int = 0) -> None:
    """Each thread of the load has one connection and numbers its requests: what is written is all that it had done by then."""
    turns: dict[str, int] = {}
    missing, first = 0, ""
    for entry in entries:
        query = parse_qs(urlsplit(entry["request"]["url"]).query)
        if "turn" not in query:
            continue
        thread, turn = query["thread"][0], int(query["turn"][0])
        # wrk has its first thread make one request that it only looks at.
        before = turns.get(thread, 1 if thread == "0" else 0)
        if turn <= before:
            raise Damaged(f"thread {thread}: exchange {turn} follows {before}")
        if turn > before + 1:
            missing += turn - before - 1
            first = first or f"thread {thread}: exchange {turn} follows {before}"
        turns[thread] = turn
    if missing > dropped:
        raise Damaged(f"{missing} exchanges are missing, and {dropped} are said to be; {first}")


def check_entry(entry: dict, pages: set[str], directory: Path) -> None:
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
    if urlsplit(request["url"]).path == "/small.txt" and response["status"] == 200 and request["method"] == "GET":
        says_so = "_error" in entry or "_truncated" in response["content"]
        if body_text(response["content"], directory) != SMALL_BODY and not says_so:
            raise Damaged("its body is not what the origin sent, and it does not say so")
    elif "_file" in response["content"]:
        body_text(response["content"], directory)


def body_text(content: dict, directory: Path) -> str | None:
    """The body, wherever it is; a file has to hold what its name says."""
    if "_file" not in content:
        return content.get("text")
    file = directory / content["_file"]
    try:
        octets = file.read_bytes()
    except OSError as error:
        raise Damaged(f"its body is not there: {error}") from error
    if hashlib.sha256(octets).hexdigest() != file.name:
        raise Damaged(f"{content['_file']} does not hold what its name says")
    return octets.decode(errors="replace")


def kill_once(directory: Path, origin: Origin, delay: float, options: list[str]) -> str:
    """What was found on disk after one kill."""
    tool = Tapeline(directory, options)
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
    files = in_order(tool.recordings())
    contents = [check(settled_text(file), directory) for file in files]
    entries, dropped = [entry for each in contents for entry in each.entries], sum(each.dropped for each in contents)
    check_order(entries, dropped)
    found = f"{len(entries):,} entries in {len(files)} file{'' if len(files) == 1 else 's'}, all whole"
    return f"killed after {lasted * 1000:4.0f} ms, {found}" + (f", {dropped:,} dropped and counted" if dropped else "")


def in_order(files: list[Path]) -> list[Path]:
    """`recording.har`, `recording-1.har`, … `recording-10.har`."""
    return sorted(files, key=lambda file: int(file.stem.partition("-")[2] or 0))


def settled_text(file: Path) -> str:
    """What a file holds once nobody writes it: a recorder has it locked, and so has whatever finishes its last write."""
    with file.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        return stream.read()


def start_load(origin: Origin, tool: Tapeline) -> Server:
    authority = f"127.0.0.1:{origin.port}"
    script = Path(__file__).with_name("mixed.lua")
    command = ["wrk", "--threads", "16", "--connections", "16", "--duration", "60s", "--script", str(script)]
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
            options = [] if number % 2 else [option.format(directory=attempt) for option in APART]
            try:
                print(f"{number:3}: {kill_once(attempt, origin, delay, options)}", flush=True)
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
