"""Our marks beside the packets': the errors, in microseconds, ours minus the packet's."""

from __future__ import annotations

import datetime
import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lab.packets.flows import Torn
from lab.packets.marks import NAMES, Marks
from lab.packets.messages import number_in

# Marks of bytes that came: the kernel takes them, or the entry says that the loop did (`_clock`).
ARRIVALS = {
    "tunnelHeadEnd", "clientTLSStart", "clientTLSEnd", "requestFirstByte", "requestHeadEnd", "requestLastByte", "connectEnd",
    "tlsEnd", "responseFirstByte", "responseHeadEnd", "responseLastByte",
}  # fmt: skip
# Upper ends of the histogram's columns; the last column is what is beyond them.
BINS = (5, 10, 20, 50, 100, 1_000)
# Each phase that packets have, and the marks that it lies between: it begins with the latest of several.
PHASES = {
    "send": (("sentFirst",), "sentLast"),
    "wait": (("sentLast",), "responseFirstByte"),
    "receive": (("responseFirstByte",), "responseLastByte"),
}


@dataclass
class Errors:
    """Of the marks that the entry answers for, and of those of which it says that they may be late."""

    values: list[float] = field(default_factory=list)
    doubtful: list[float] = field(default_factory=list)

    def add(self, error: float, is_doubtful: bool) -> None:
        (self.doubtful if is_doubtful else self.values).append(error)

    @property
    def count(self) -> int:
        return len(self.values) + len(self.doubtful)

    @property
    def median(self) -> float:
        """With its sign: what all of them have in common."""
        return percentile(self.values, 0.5)

    @property
    def p99(self) -> float:
        """Of the distances."""
        return percentile([abs(value) for value in self.values], 0.99)

    @property
    def largest(self) -> float:
        return max(self.values, key=abs)

    @property
    def earliest(self) -> float:
        """Of the doubtful ones too, which may be late but not early."""
        return min(self.values + self.doubtful)

    def histogram(self) -> list[int]:
        counts = Counter(bisect_left(BINS, abs(value)) for value in self.values)
        return [counts[column] for column in range(len(BINS) + 1)]

    def as_json(self) -> dict[str, object]:
        about = {"count": self.count, "doubtful": len(self.doubtful), "min_us": round(self.earliest, 1)}
        if not self.values:
            return about
        return about | {
            "p50_us": round(self.median, 1), "p99_us": round(self.p99, 1), "max_us": round(self.largest, 1),
            "histogram": dict(zip([*map(str, BINS), "more"], self.histogram())),
        }  # fmt: skip


def percentile(values: list[float], share: float) -> float:
    """The smallest value that so great a share of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


@dataclass
class Judgement:
    """Of one protocol under one load."""

    entries: int
    marks: dict[str, Errors]
    phases: dict[str, Errors]

    def as_json(self) -> dict[str, object]:
        return {
            "entries": self.entries,
            "marks": {name: errors.as_json() for name, errors in self.marks.items()},
            "phases": {name: errors.as_json() for name, errors in self.phases.items()},
        }


def scripted_entries(files: Iterable[Path]) -> Iterator[dict]:
    """The entries of the script, of files that may have many others: an entry is a line."""
    for file in files:
        with file.open("rb") as lines:
            for line in lines:
                if b"/exchange/" in line:
                    yield json.loads(line.strip().rstrip(b","))


def judge(entries: Iterable[dict], packets: dict[int, Marks]) -> Judgement:
    """Every mark that packets have must be in its entry, and every exchange that packets have in the log."""
    marks: dict[str, Errors] = defaultdict(Errors)
    phases: dict[str, Errors] = defaultdict(Errors)
    missing = set(packets)
    for entry in entries:
        number = number_in(entry["request"]["url"])
        if number is None or number not in missing:
            raise Torn(f"{entry['request']['url']} is twice in the log, or in no packet")
        missing.remove(number)
        doubtful = doubtful_marks(entry)
        wire, started = packets[number], nanoseconds(entry["startedDateTime"])
        for name, stamp in wire.items():
            if name not in entry["_events"]:
                raise Torn(f"exchange {number} has no mark {name}")
            marks[name].add((started - stamp) / 1e3 + entry["_events"][name], name in doubtful)
        for name, (begins, end) in PHASES.items():
            began = max(wire[begin] for begin in begins if begin in wire)
            error = entry["timings"][name] * 1e3 - max(0, wire[end] - began) / 1e3
            phases[name].add(error, not doubtful.isdisjoint((*begins, end)))
    if missing:
        raise Torn(f"{len(missing)} exchanges are not in the log: {sorted(missing)[:5]}")
    return Judgement(len(packets), {name: marks[name] for name in NAMES if name in marks}, dict(phases))


def doubtful_marks(entry: dict) -> set[str]:
    """The marks of bytes that came that the loop took."""
    match entry.get("_clock"):
        case "wire":
            return set()
        case {"loop": names}:
            return set(names)
        case _:
            return ARRIVALS


def nanoseconds(date: str) -> int:
    """Since 1970, of a date to the microsecond; seconds as a float would lose some."""
    seconds, _, fraction = date.removesuffix("Z").partition(".")
    whole = int(datetime.datetime.fromisoformat(seconds).replace(tzinfo=datetime.UTC).timestamp())
    return whole * 1_000_000_000 + int(fraction.ljust(9, "0"))
