"""How much something changes, over rounds with and without it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Change:
    """The median of the rounds, and where the median of all rounds that there could be lies with 95 % probability: a round varies
    more from minute to minute than what is looked for."""

    median: float
    least: float
    most: float

    @classmethod
    def between(cls, without: Sequence[float], having: Sequence[float]) -> Self:
        """By the ratio in each round."""
        changes = [after / before - 1 for before, after in zip(without, having, strict=True)]
        return cls(statistics.median(changes), *median_interval(changes))

    def __str__(self) -> str:
        return f"{self.median:+.1%} ({self.least:+.1%} to {self.most:+.1%})"


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """By the order of the values: how many of them lie below the median is as with coins."""
    ordered, rank, outside = sorted(values), 0, 0.0
    while True:
        outside += 2 * math.comb(len(values), rank) / 2 ** len(values)
        if outside > 0.05 or 2 * (rank + 1) > len(values):
            break
        rank += 1
    return ordered[max(0, rank - 1)], ordered[-max(1, rank)]
