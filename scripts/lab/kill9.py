"""`scripts/lab/run kill9`: kills tapeline at a random moment under load, half of the time with bodies in files and
small HARs that follow one another. Each HAR on disk must parse, and every entry in it must be whole with its body. A connection
carries one exchange after another: an earlier one may be missing only if the file counts it as dropped."""

from __future__ import annotations

import random
import shutil
import signal
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from lab.har import Damaged, check, settled_text
from lab.load import LoadFailed, fetch
from lab.nginx import Nginx
from lab.process import Server, ServerFailed
from lab.proxy import Tapeline
from lab.tool import Workspace, argument_parser

LONGEST_SECONDS = 1.0
# What every second run adds to the defaults.
APART = ["--bodies-dir", "{directory}/bodies", "--rotate-size", "2MiB"]


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


def kill_once(directory: Path, origin: Nginx, delay: float, options: list[str]) -> str:
    """What was found on disk after one kill."""
    tool = Tapeline(directory, options)
    tool.start()
    load = start_load(origin, tool)
    try:
        fetch(origin.small_url, tool.authority)
        started = time.monotonic()
        time.sleep(delay)
        tool.kill()
        lasted = time.monotonic() - started
    finally:
        tool.kill()
        load.stop(signal.SIGKILL)
    files = tool.recordings()
    contents = [check(settled_text(file), directory) for file in files]
    entries, dropped = [entry for each in contents for entry in each.entries], sum(each.dropped for each in contents)
    check_order(entries, dropped)
    found = f"{len(entries):,} entries in {len(files)} file{'' if len(files) == 1 else 's'}, all whole"
    return f"killed after {lasted * 1000:4.0f} ms, {found}" + (f", {dropped:,} dropped and counted" if dropped else "")


def start_load(origin: Nginx, tool: Tapeline) -> Server:
    authority = f"127.0.0.1:{origin.port}"
    script = Path(__file__).with_name("kill9.lua")
    command = ["wrk", "--threads", "16", "--connections", "16", "--duration", "60s", "--script", str(script)]
    return Server(
        "wrk", [*command, f"http://{tool.authority}/", "--", f"http://{authority}", authority], tool.directory / "wrk.log"
    )


def main(words: list[str]) -> int:
    parser = argument_parser("kill9", __doc__)
    parser.add_argument("times", nargs="?", type=int, default=50, help="how often (default: 50)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32), help="of the random moments")
    arguments = parser.parse_args(words)
    moments = random.Random(arguments.seed)
    print(f"killing {arguments.times} times, seed {arguments.seed}", flush=True)

    failures = 0
    with Workspace("kill9") as workspace:
        origin = Nginx(workspace.path / "origin", large_size=1 << 20)
        try:
            origin.start()
            origin.add("medium.txt", "A line of the medium file.\n" * 2000)
            for number in range(1, arguments.times + 1):
                delay = moments.uniform(0, LONGEST_SECONDS)
                attempt = workspace.path / str(number)
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
            workspace.keep = failures > 0
    print(f"{arguments.times - failures} passed, {failures} failed")
    return 1 if failures else 0
