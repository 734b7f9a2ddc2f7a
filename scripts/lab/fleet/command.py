"""Asks one question of many captures: the 95th percentile of `wait` by host and build (a directory for each). Prints how long the
answer takes, and in how much memory: at first, when the captures are read and their indexes are made; again; without indexes; and
with a condition that an index answers.

All answers must be the same, and those of DuckDB over `tapeline convert --to rows`: exactly for counts, and within the accuracy
of `stats`, 1 %, for percentiles.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from lab.bench.inspection import make
from lab.fleet.figures import figures
from lab.tool import Workspace, argument_parser, binary, print_verdicts, progress

KEYS = ("host", "directory")
MOST_SECONDS = 1.0
# For a fleet of any size.
MOST_MEMORY = 128
ACCURACY = 0.01
FILTER = 'host == "api.example" and status >= 500'


@dataclass(frozen=True)
class Answer:
    text: bytes
    seconds: float
    memory: float


def asked(arguments: list[str], output: Path) -> Answer:
    """What a command prints, and what it takes: seconds, and the most MiB.

    The system's count of a child's memory begins with that of this process, so the program's own is looked at while it runs.
    """
    begin = time.monotonic()
    peak = 0.0
    with output.open("wb") as file:
        process = subprocess.Popen([binary(), *arguments], stdout=file)
        while process.poll() is None:
            peak = max(peak, resident_peak(process.pid))
            time.sleep(0.002)
    if process.returncode:
        raise SystemExit(f"tapeline {' '.join(arguments)} ended with status {process.returncode}")
    answer = Answer(output.read_bytes(), time.monotonic() - begin, peak)
    print(f"{arguments[0]:8} {' '.join(arguments[2:]):60} {answer.seconds:8.2f} s {answer.memory:6.0f} MiB", flush=True)
    return answer


def resident_peak(process: int) -> float:
    """In MiB; 0 for a process that has ended."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


def make_fleet(directory: Path, captures: int, builds: int, size: int) -> int:
    """Captures of some builds, last changed long ago."""
    entries = 0
    for number in range(captures):
        build = directory / f"build-{number % builds:02}"
        build.mkdir(exist_ok=True)
        path = build / f"{number:03}.har"
        entries += make(str(path), size, seed=number)
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return entries


def differences(answer: bytes, rows: Path) -> list[str]:
    """Where the groups of `stats` are not DuckDB's."""
    expected = figures(str(rows), KEYS)
    groups = {tuple(group["by"][key] for key in KEYS): group for group in json.loads(answer)["groups"]}
    found = [f"{key}: only one of them has this group" for key in groups.keys() ^ expected.keys()]
    for key in groups.keys() & expected.keys():
        count, p95 = expected[key]
        own_count, own_p95 = groups[key]["exchanges"], groups[key]["wait"]["p95"]
        if count != own_count or abs(own_p95 - p95) > ACCURACY * p95 + 0.001:
            found.append(f"{key}: {own_count} exchanges and {own_p95} ms, DuckDB says {count} and {p95} ms")
    return found


def main(words: list[str]) -> int:
    parser = argument_parser("fleet", __doc__)
    parser.add_argument("--captures", type=int, default=200)
    parser.add_argument("--builds", type=int, default=20)
    parser.add_argument("--size", type=int, default=51, help="of each capture, in MiB; 200 of 51 are 10 GB")
    parser.add_argument("--no-sql", action="store_true", help="leave out DuckDB, which needs a fifth more of disk, and minutes")
    arguments = parser.parse_args(words)
    with Workspace("fleet") as workspace:
        entries = make_fleet(workspace.path, arguments.captures, arguments.builds, arguments.size << 20)
        captures = list(workspace.path.glob("*/*.har"))
        size = sum(path.stat().st_size for path in captures)
        progress(f"{len(captures)} captures, {size / 1e9:.1f} GB, {entries:,} exchanges")
        pattern = str(workspace.path / "**/*.har")
        question = ["stats", pattern, "--by", ",".join(KEYS), "--json"]
        output = workspace.path / "answer"
        first = asked(question, output)
        second = min((asked(question, output) for _ in range(3)), key=lambda answer: answer.seconds)
        other = asked(["stats", pattern, "--by", "status", "--json"], output)
        filtered = asked([*question, "--filter", FILTER], output)
        listed = asked(["list", pattern, "--json", "-n", "50", "--filter", f"{FILTER} and wait > 100ms"], output)
        without = asked([*question, "--no-index"], output)
        size_of_indexes = sum(path.stat().st_size for path in workspace.path.glob("*/.*.tapeline-index"))
        progress(f"the indexes have {size_of_indexes / size:.1%} of the size of the captures")
        verdicts = [
            (f"a second question in under {MOST_SECONDS:.0f} s ({second.seconds:.2f} s)", second.seconds < MOST_SECONDS),
            (
                f"at most {MOST_MEMORY} MiB",
                max(each.memory for each in (first, second, other, filtered, listed, without)) <= MOST_MEMORY,
            ),
            ("the same figures with an index and without", first.text == second.text == without.text),
        ]
        if not arguments.no_sql:
            rows = workspace.path / "rows.ndjson"
            asked(["convert", pattern, "--to", "rows", "-o", str(rows)], output)
            progress(f"{rows.stat().st_size / 1e9:.1f} GB of rows")
            begin = time.monotonic()
            found = differences(second.text, rows)
            print(f"DuckDB over the rows: {time.monotonic() - begin:.1f} s")
            for line in found[:10]:
                print(f"  {line}")
            verdicts.append(("the figures of DuckDB", not found))
        met = print_verdicts(verdicts)
    return 0 if met else 1
