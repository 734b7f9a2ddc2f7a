"""What tapeline adds to a command that says when it runs."""

from __future__ import annotations

import statistics
import time

from lab.runall.person import Person
from lab.tool import Verdict

MOST_MILLISECONDS = 60
# Prints nanoseconds since 1970.
COMMAND = ["date", "+%s%N"]
WAYS: dict[str, list[str] | None] = {"no tapeline": None, "run": [], "run --all": ["--all"]}


def once(person: Person, options: list[str] | None) -> tuple[float, float]:
    """Milliseconds until the command ran, and until everything was over."""
    began = time.time_ns()
    output, _ = person.check(person.words(options, COMMAND))
    return (int(output) - began) / 1e6, (time.time_ns() - began) / 1e6


def measure(person: Person, rounds: int) -> Verdict:
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, options in WAYS.items():
            figures[name].append(once(person, options))
    print(f"{'':14}{'until it runs':>16}{'p90':>8}{'until the end':>16}   ms, medians of {rounds}")
    for name, values in figures.items():
        starts = [start for start, _ in values]
        worst = statistics.quantiles(starts, n=10)[-1]
        ends = statistics.median(end for _, end in values)
        print(f"{name:14}{statistics.median(starts):16.1f}{worst:8.1f}{ends:16.1f}")
    added = {
        name: statistics.median(start - plain for (start, _), (plain, _) in zip(values, figures["no tapeline"], strict=True))
        for name, values in figures.items()
    }
    text = f"run --all adds {added['run --all']:.1f} ms to a start (run: {added['run']:.1f}); at most {MOST_MILLISECONDS}"
    return text, added["run --all"] <= MOST_MILLISECONDS
