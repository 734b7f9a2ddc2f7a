"""Compares what `critical` says of a capture with the truth."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from lab.tool import Verdict, binary

# Milliseconds, and parts of the truth: a gain is right within the larger of them.
LEAST_ERROR, PART = 20, 0.1
# A machine on which times are less exact than this is no judge, in milliseconds.
WORST_NOISE = 60


@dataclass
class Case:
    """What was said of a capture, and what is so; times in milliseconds."""

    name: str
    sentence: str
    is_sure: bool
    # The gain from what is named, as predicted and as measured, and the largest measured.
    predicted: float = 0
    gained: float = 0
    most: float = 0
    best: str = ""
    noise: float = 0
    # Exchanges of which it is said that they would not have delayed the end, and those of them that did.
    spared: int = 0
    wronged: list[str] = field(default_factory=list)

    @property
    def truth(self) -> str:
        return f"gained {self.gained:.0f}, most {self.most:.0f} by {self.best} {self.wronged}"

    @property
    def tolerance(self) -> float:
        return max(LEAST_ERROR, self.noise)

    @property
    def names_the_right(self) -> bool:
        return self.gained >= self.most - max(self.tolerance, 0.02 * self.most)

    @property
    def knows_the_gain(self) -> bool:
        return abs(self.predicted - self.gained) <= max(self.tolerance, PART * self.gained)


def judge(capture: Path, truth_file: Path) -> Case:
    said = json.loads(_output("critical", str(capture), "--json"))
    truth = json.loads(truth_file.read_text())
    page = max(said["pages"], key=lambda page: len(page["exchanges"]))
    rows = sorted(page["exchanges"], key=lambda row: (row["offset"], row["number"]))
    turns: dict[str, int] = defaultdict(int)
    gains: dict[int, float] = {}
    for row in rows:
        path = urlsplit(row["url"]).path
        times = truth["without"].get(path, [])
        if turns[path] < len(times):
            gains[row["number"]] = truth["whole"] - times[turns[path]]
        turns[path] += 1
    by_number = {row["number"]: row for row in rows}
    best = max(gains, key=lambda number: gains[number])
    case = Case(
        str(capture), page["conclusion"], " may " not in page["conclusion"].split(". ")[0],
        most=max(0, gains[best]), best=f"#{best} {urlsplit(by_number[best]['url']).path}", noise=noise(truth["noise"], gains),
    )  # fmt: skip
    if named := page.get("costliest"):
        case.predicted, case.gained = by_number[named]["saves"], max(0, gains.get(named, 0))
    path = {number for path in page["paths"] for number in path}
    for row in rows:
        number = row["number"]
        if number in path or row["saves"] > 0 or number not in gains or "slack" not in row:
            continue
        # Versions before the judge were always sure.
        if row.get("confidence", 1) < SURE:
            continue
        case.spared += 1
        if gains[number] > max(case.tolerance, 25, 0.03 * truth["whole"]):
            case.wronged.append(f"#{number} {urlsplit(row['url']).path} delayed it by {gains[number]:.0f} ms")
    return case


def noise(spread: float, gains: dict[int, float]) -> float:
    """How far measured times are from true ones. No run is longer without one of its exchanges, so what seems so is noise."""
    losses = sorted(-gain for gain in gains.values() if gain < 0)
    return min(max(spread, losses[len(losses) // 2] if losses else 0), WORST_NOISE)


# Below this confidence `critical` says "may".
SURE = 0.6


def verdicts(kind: str, cases: list[Case]) -> list[Verdict]:
    def share(met: int, whole: int, text: str, least: float) -> Verdict:
        part = met / whole if whole else 1
        return f"{kind}: {met} of {whole} ({part:.1%}) {text}; {least:.0%}", part >= least

    count = len(cases)
    spared, wronged = sum(case.spared for case in cases), sum(len(case.wronged) for case in cases)
    sure = [case for case in cases if case.is_sure]
    return [
        (f"{kind}: times are known within {statistics.median(case.noise for case in cases):.0f} ms (median)", True),
        share(sum(case.names_the_right for case in cases), count, "name the exchange whose removal gains most", 0.95),
        share(sum(case.knows_the_gain for case in cases), count, "predict its gain within 10 % or 20 ms", 0.9),
        (f"{kind}: {wronged} of {spared} exchanges that would not have delayed the end did; none", wronged == 0),
        share(sum(case.names_the_right for case in sure), len(sure), 'conclusions without "may" are right', 0.97),
    ]


def _output(*arguments: str) -> str:
    return subprocess.run([binary(), *arguments], capture_output=True, text=True, check=True).stdout
