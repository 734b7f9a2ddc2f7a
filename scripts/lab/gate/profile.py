"""The profile by which the compiler optimises the packages (docs/adr/0052): how often each line of a recorded exchange runs.

Callgrind counts the instructions of a program that was built without a profile; llvm-profgen finds the lines that they were made
from, through all that was inlined.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lab.gate import callgrind
from lab.process import ServerFailed
from lab.tool import binary

# Counts are whole numbers, so they are of as many exchanges of each scenario.
EXCHANGES = 1_000
# Instructions of a function for an exchange: what takes less is not worth its lines.
LEAST = 5
GENERATE, MERGE = "llvm-profgen-19", "llvm-profdata-19"


@dataclass
class Counts:
    """By addresses in the program: how often each instruction ran, and how often each called another."""

    runs: Counter[int] = field(default_factory=Counter)
    calls: Counter[tuple[int, int]] = field(default_factory=Counter)

    def minus(self, other: Counts, exchanges: int) -> Counts:
        """What this has more, of `EXCHANGES` instead of `exchanges`."""

        def scaled(more: Counter, less: Counter) -> Counter:
            found = {key: round((count - less[key]) * EXCHANGES / exchanges) for key, count in more.items()}
            return Counter({key: count for key, count in found.items() if count > 0})

        return Counts(scaled(self.runs, other.runs), scaled(self.calls, other.calls))


def read(lines: Iterable[str], program: str) -> Counts:
    """What callgrind counted within `program`."""
    counts = Counts()
    for item in callgrind.read(lines):
        match item:
            case callgrind.Run() if item.function.library == program:
                counts.runs[item.address] += item.count
            case callgrind.Call() if item.caller.library == item.callee.library == program:
                counts.calls[item.address, item.target] += item.count
    return counts


def write(scenarios: Iterable[Counts], directory: Path, file: Path) -> None:
    """Writes the profile of some exchanges of each scenario to `file`; what it makes on the way is in `directory`."""
    whole = Counts()
    for counts in scenarios:
        whole.runs.update(counts.runs)
        whole.calls.update(counts.calls)
    raw, made = directory / "counts", directory / "profile"
    raw.write_text(unsymbolized(whole, text_address(segments(binary()))))
    _run(GENERATE, f"--unsymbolized-profile={raw}", f"--binary={binary()}", f"--output={made}", "--format=text")
    made.write_text(trimmed(made.read_text()))
    _run(MERGE, "merge", "--sample", "--extbinary", "--compress-all-sections", f"--output={file}", str(made))


def _run(*words: str) -> None:
    finished = subprocess.run(words, capture_output=True, text=True)
    if finished.returncode:
        raise ServerFailed(f"{words[0]}: {finished.stderr.strip()}")


def unsymbolized(counts: Counts, start: int) -> str:
    """The counts as llvm-profgen reads them: ranges that ran, here of an instruction each, and branches; from `start` on."""
    ranges = [f"{address - start:x}-{address - start:x}:{count}" for address, count in sorted(counts.runs.items())]
    branches = [f"{origin - start:x}->{target - start:x}:{count}" for (origin, target), count in sorted(counts.calls.items())]
    return "\n".join([str(len(ranges)), *ranges, str(len(branches)), *branches, ""])


def segments(program: Path) -> str:
    return subprocess.run(["readelf", "--segments", "--wide", program], capture_output=True, text=True, check=True).stdout


def text_address(segments: str) -> int:
    """The page at which the program's code begins: where llvm-profgen's addresses begin to count."""
    found = re.search(r"^ *LOAD +\S+ (0x[0-9a-f]+) .* R E +(0x[0-9a-f]+)$", segments, re.MULTILINE)
    if not found:
        raise ServerFailed("the program has no segment of code")
    return int(found[1], 16) & -int(found[2], 16)


def trimmed(profile: str) -> str:
    """Without the functions that take little. Each begins with `name:instructions:calls`; what belongs to it is indented."""
    functions = re.findall(r"^\S.*\n(?:[ ].*\n)*", profile, re.MULTILINE)
    return "".join(text for text in functions if int(text.partition("\n")[0].rsplit(":", 2)[1]) >= LEAST * EXCHANGES)
