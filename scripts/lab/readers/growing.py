"""`scripts/lab/run reading`: our own readers on a file that is being recorded. A load of some hundred exchanges a second goes
through `tapeline record`, and meanwhile its commands read the file, one after the other, thousands of times. Each must succeed,
and what is JSON must be JSON."""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from lab.nginx import Nginx
from lab.proxy import Tapeline
from lab.tool import Workspace, argument_parser, binary, progress

# A recording lasts so long: what is read stays so small that it is read often.
SESSION_SECONDS = 12
RATE = 300
CONNECTIONS = 6
NEEDED_ENTRIES = 20


def json_lines(output: str) -> None:
    for line in output.splitlines():
        json.loads(line)


def whole_json(output: str) -> None:
    json.loads(output)


def anything(output: str) -> None:
    if not output.strip():
        raise ValueError("it printed nothing")


# The words behind the program, with {har} and {out} for files, and what to make of its output.
COMMANDS = {
    "list": (["list", "{har}"], anything),
    "list --json": (["list", "{har}", "--json", "--limit", "200"], json_lines),
    "list --sort": (["list", "{har}", "--sort", "total", "--limit", "5"], anything),
    "stats": (["stats", "{har}"], anything),
    "stats --json": (["stats", "{har}", "--by", "path,status", "--json"], whole_json),
    "show": (["show", "{har}", "1-3", "7"], anything),
    "show --slowest": (["show", "{har}", "--slowest"], anything),
    "show --json": (["show", "{har}", "5", "--json"], whole_json),
    "assert": (["assert", "{har}", "none(error)", "p50(total) < 1h"], anything),
    "lint": (["lint", "{har}"], str.strip),
    "waterfall": (["waterfall", "{har}", "--limit", "20"], anything),
    "critical": (["critical", "{har}"], anything),
    "diff": (["diff", "{har}", "{har}"], anything),
    "report": (["report", "{har}", "--bodies", "none", "--max-size", "1MiB"], anything),
    "convert --to ndjson": (["convert", "{har}", "--to", "ndjson"], json_lines),
    "convert --to har": (["convert", "{har}", "--to", "har"], whole_json),
    "convert --to trace": (["convert", "{har}", "--to", "trace"], whole_json),
    "convert --to rows": (["convert", "{har}", "--to", "rows"], json_lines),
    "merge": (["merge", "{har}", "{har}", "-o", "{out}", "--force"], None),
    "redact": (["redact", "{har}", "-o", "{out}", "--force"], None),
}


class Reading:
    def __init__(self, wanted: int):
        self.left = wanted
        self.reads: Counter[str] = Counter()
        self.failures: list[str] = []
        self.lock = threading.Lock()

    def take(self) -> bool:
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def read(self, har: Path, out: Path, chance: random.Random) -> None:
        name = chance.choice(list(COMMANDS))
        words, check = COMMANDS[name]
        command = [binary(), *(word.format(har=har, out=out) for word in words)]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=300)
        problem = ""
        if finished.returncode:
            problem = f"exit status {finished.returncode}: {(finished.stderr or finished.stdout).strip()[:300]}"
        else:
            try:
                if check:
                    check(finished.stdout)
                else:
                    whole_json(out.read_text())
            except ValueError as error:
                problem = f"{error}: {finished.stdout[-200:]}"
        with self.lock:
            self.reads[name] += 1
            if problem:
                self.failures.append(f"{name}: {problem}")
                progress(self.failures[-1])


def entries(har: Path) -> int:
    return har.read_bytes().count(b'"startedDateTime"')


def session(directory: Path, origin: Nginx, reading: Reading, readers: int, seed: int) -> float:
    """Records for some seconds while the readers read; returns the exchanges per second."""
    tool = Tapeline(directory, [])
    tool.start()
    counts: list[int] = []
    over = threading.Event()

    def load() -> None:
        """So many requests a second on a connection, or as many as the machine has time for."""
        client = http.client.HTTPConnection(*tool.address, timeout=60)
        count, began = 0, time.monotonic()
        while (now := time.monotonic()) < began + SESSION_SECONDS:
            time.sleep(max(0.0, began + count * CONNECTIONS / RATE - now))
            client.request("GET", origin.small_url)
            client.getresponse().read()
            count += 1
        client.close()
        counts.append(count)
        over.set()

    def read(number: int) -> None:
        chance = random.Random(seed * 100 + number)
        while not over.is_set() and reading.take():
            reading.read(tool.har, directory / f"out-{number}.har", chance)

    loading = [threading.Thread(target=load) for _ in range(CONNECTIONS)]
    for thread in loading:
        thread.start()
    try:
        deadline = time.monotonic() + SESSION_SECONDS
        while entries(tool.har) < NEEDED_ENTRIES and time.monotonic() < deadline:
            time.sleep(0.05)
        threads = [threading.Thread(target=read, args=(number,)) for number in range(readers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for thread in loading:
            thread.join()
        tool.stop()
    return sum(counts) / SESSION_SECONDS


def main(words: list[str]) -> int:
    parser = argument_parser("reading", __doc__)
    parser.add_argument("--reads", type=int, default=10_000, metavar="N", help="how often the file is read (default: 10000)")
    parser.add_argument("--readers", type=int, default=2, metavar="N", help="how many read at once (default: 2)")
    arguments = parser.parse_args(words)
    reading, rates = Reading(arguments.reads), []
    with Workspace("reading") as workspace:
        origin = Nginx(workspace.path / "nginx", large_size=1 << 20)
        origin.start()
        try:
            while reading.left > 0:
                number = len(rates)
                rates.append(session(workspace.path / f"recording-{number}", origin, reading, arguments.readers, number))
                done = sum(reading.reads.values())
                progress(f"{done:,} reads, {len(reading.failures)} failed, {rates[-1]:.0f} exchanges a second")
        finally:
            origin.stop()
    for failure in reading.failures[:20]:
        print(failure)
    done = sum(reading.reads.values())
    print(f"{done:,} reads by {len(reading.reads)} commands, {len(reading.failures)} failed; "
          f"{min(rates):.0f} to {max(rates):.0f} exchanges a second in {len(rates)} recordings")  # fmt: skip
    return 1 if reading.failures else 0
