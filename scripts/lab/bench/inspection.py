"""Times the commands that read a capture on one of 2 GiB, and jq doing the same on a smaller one, and prints a table.

--body gives every response a body of so many KiB: with large ones, what is measured is how bodies are passed over.

The captures repeat the entries of Tests/Fixtures/har/session.har with other hosts, times and statuses, always the same. They are
read once before, so that memory and not the disk is measured. jq holds a whole file in memory, ten times its size: it gets a
smaller one, and rates by CPU time are compared, which say the same on a busy machine.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from lab.tool import ROOT, argument_parser, binary

SESSION = ROOT / "Tests/Fixtures/har/session.har"
FILTER = 'host ~ "api" and status >= 500'
JQ_LIST = (
    '.log.entries[] | select((.request.url | test("^[a-z]+://[^/]*api")) and .response.status >= 500)'
    " | [.startedDateTime, .request.method, .request.url, .response.status, .time] | @tsv"
)
JQ_STATS = (
    "[.log.entries[] | .timings] as $t"
    ' | ["blocked","dns","connect","ssl","send","wait","receive"]'
    " | map(. as $p | [$t[][$p] | select(. != null and . >= 0)] | sort"
    " | {($p): {count: length, p50: .[length / 2 | floor], p95: .[length * 95 / 100 | floor], max: last}}) | add"
)


def variations(body: int, seed: int = 7) -> Iterator[bytes]:
    """Two thousand entries, always the same for one seed."""
    chance = random.Random(seed)
    entries = json.loads(SESSION.read_text())["log"]["entries"]
    answered = [entry for entry in entries if entry["response"]["status"]]
    for number in range(2000):
        entry = json.loads(json.dumps(answered[number % len(answered)]))
        wait = round(chance.lognormvariate(2, 1.2), 3)
        entry["time"] = round(entry["time"] - entry["timings"]["wait"] + wait, 3)
        entry["timings"]["wait"] = wait
        entry["response"]["status"] = chance.choices([200, 304, 404, 500], [90, 5, 4, 1])[0]
        host = chance.choice(["api", "www", "cdn"])
        entry["request"]["url"] = f"https://{host}.example/assets/{number % 300}?edition=7"
        text = "The quick brown fox. " * chance.choice([1, 10, 100])
        entry["response"]["content"]["text"] = '<p class="x">The quick brown fox.</p>\n' * (body * 1024 // 38) if body else text
        # As a recorder says it, so that lint has nothing to say.
        size = len(entry["response"]["content"]["text"].encode())
        entry["response"]["content"].update(size=size, compression=0)
        entry["response"]["content"].pop("encoding", None)
        entry["response"]["bodySize"] = size
        yield json.dumps(entry, separators=(",", ":")).encode()


def make(path: str, size: int, body: int = 0, seed: int = 7) -> int:
    """A capture of at least `size` bytes; returns how many entries it has."""
    block = ",\n".join(text.decode() for text in variations(body, seed)).encode()
    repetitions = max(1, -(-size // (len(block) + 2)))
    with open(path, "wb") as file:
        file.write(b'{"log":{"version":"1.2","creator":{"name":"tapeline","version":"0"},"entries":[\n')
        for number in range(repetitions):
            file.write((b",\n" if number else b"") + block)
        pages = json.loads(SESSION.read_text())["log"]["pages"]
        file.write(b'\n],"pages":' + json.dumps(pages).encode() + b"}}\n")
    return 2000 * repetitions


def measured(command: list[str], runs: int) -> tuple[float, float, float]:
    """The best of some runs: seconds, seconds of CPU time, and the most memory that any of them took, in MiB."""
    best, least, most = float("inf"), float("inf"), 0.0
    for _ in range(runs):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{command[0]} ended with status {status}")
        best = min(best, time.monotonic() - begin)
        least = min(least, usage.ru_utime + usage.ru_stime)
        most = max(most, usage.ru_maxrss / 1024)
    return best, least, most


def main(words: list[str]) -> int:
    parser = argument_parser("bench-inspect", __doc__)
    parser.add_argument("--size", type=int, default=2048, help="of the capture, in MiB")
    parser.add_argument("--body", type=int, default=0, help="of each response, in KiB (default: as recorded bodies are)")
    parser.add_argument("--jq-size", type=int, default=128, help="of the one for jq, in MiB; 0 leaves jq out")
    parser.add_argument("--runs", type=int, default=3, help="of each command; the best counts")
    parser.add_argument("--directory", help="where the captures are made (default: the system's temporary directory)")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory(dir=arguments.directory) as directory:
        large, small = f"{directory}/large.har", f"{directory}/small.har"
        count = make(large, arguments.size << 20, arguments.body)
        print(f"{os.path.getsize(large) / 2**20:.0f} MiB, {count} entries\n", file=sys.stderr)
        commands = [
            ("stats", ["stats"], JQ_STATS),
            (f"list --filter '{FILTER}'", ["list", "--filter", FILTER], JQ_LIST),
            ("list --csv", ["list", "--csv"], None),
            ("list --sort total:desc --limit 10", ["list", "--sort", "total:desc", "--limit", "10"], None),
            ("show --slowest", ["show", "--slowest"], None),
            ("lint", ["lint"], None),
            ("report", ["report"], None),
        ]
        if arguments.jq_size:
            make(small, arguments.jq_size << 20)
        with open(large, "rb") as file:
            while file.read(1 << 24):
                pass
        print("| command | MB/s | MB per CPU second | peak MiB | jq, MB per CPU second | times |\n|---|---|---|---|---|---|")
        for name, options, program in commands:
            seconds, cpu, memory = measured([binary(), options[0], large, *options[1:]], arguments.runs)
            megabytes = os.path.getsize(large) / 1e6
            row = f"| `{name}` | {megabytes / seconds:.0f} | {megabytes / cpu:.0f} | {memory:.0f} |"
            if program and arguments.jq_size:
                _, jq_cpu, _ = measured(["jq", "-r", program, small], 1)
                jq_rate = os.path.getsize(small) / 1e6 / jq_cpu
                row += f" {jq_rate:.0f} | {megabytes / cpu / jq_rate:.1f} |"
            else:
                row += " – | – |"
            print(row, flush=True)
    return 0
