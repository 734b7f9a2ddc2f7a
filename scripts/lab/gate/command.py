"""Counts the instructions that fixed work takes, and compares them with the figures of this checkout: a recorded exchange of
HTTP/1.1 of 1 KiB with short heads and with usual ones, and of 64 KiB, with connections of its own, in a tunnel, in HTTPS and in
HTTP/2; an entry for `stats`, `list` and `report`.

More than 2 % above its figure is a failure. A figure holds for one compiler and one set of system libraries: --update writes what
was counted in place of the figures, when the cost is meant or the machine is another.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from lab.bench.inspection import make
from lab.gate import flame, profile, traffic
from lab.gate.callgrind import COUNTS, CountedTapeline, of_command, stripped
from lab.nginx import SMALL_BODY, Nginx
from lab.origin import Origin, answering
from lab.process import ServerFailed
from lab.tool import Verdict, Workspace, argument_parser, print_verdicts, progress, selection
from lab.wire import get

FIGURES = Path(__file__).with_name("figures.json")
TOLERANCE = 0.02
# Some work is done every so many milliseconds, so on a slow machine for fewer exchanges: a count that is too high is taken again.
ATTEMPTS = 3
# What the gate's readers find in callgrind's files.
Counted = TypeVar("Counted", flame.Profile, profile.Counts)


@dataclass
class Exchanges:
    """Recorded exchanges: what a long run takes more than a short one, for each exchange more."""

    drive: Callable[[traffic.Address, int], None]
    options: list[str]
    short: int = 200
    long: int = 1_000

    def count(self, program: Path, directory: Path) -> float:
        totals = [self._total(program, directory / str(count), count) for count in (self.short, self.long)]
        return (totals[1] - totals[0]) / (self.long - self.short)

    def difference(self, directory: Path, read: Callable[[list[str]], Counted]) -> Counted:
        """What the long run took more, as `read` finds it, from a count whose files are still there."""
        short, long = (
            read((directory / str(count) / COUNTS).read_text(errors="replace").splitlines()) for count in (self.short, self.long)
        )
        return long.minus(short, self.long - self.short)

    def _total(self, program: Path, directory: Path, count: int) -> int:
        tool = CountedTapeline(program, directory, self.options)
        try:
            tool.start()
            self.drive(tool.address, count)
            return tool.instructions()
        finally:
            tool.kill()


@dataclass
class Reading:
    """A command on two captures: for each entry that the larger one has more."""

    arguments: list[str]

    def count(self, program: Path, directory: Path) -> float:
        directory.mkdir(parents=True)
        found = []
        for size in (1, 16 << 20):
            file = directory / f"{size}.har"
            entries = make(str(file), size)
            arguments = [self.arguments[0], str(file), *self.arguments[1:]]
            found.append((entries, of_command(program, arguments, directory)))
        (few, less), (many, more) = found
        if few == many:
            raise ServerFailed("both captures have the same number of entries")
        return (more - less) / (many - few)


def scenarios(origin: Nginx, small: Origin, directory: Path) -> dict[str, Exchanges | Reading]:
    intercepting = ["--intercept", "--ca-dir", str(directory / "authority"), "--upstream-ca", str(origin.certificates.root)]
    return {
        "http1-small": Exchanges(traffic.keep_alive(traffic.short_get(small.url("/1k"))), [], 1_000, 4_000),
        "http1-1k": Exchanges(traffic.keep_alive(get(origin.small_url, close=False)), [], 1_000, 4_000),
        "http1-64k": Exchanges(traffic.keep_alive(get(origin.large_url, close=False)), []),
        "http1-connections": Exchanges(traffic.new_connections(origin.small_url), []),
        "tunnel": Exchanges(traffic.tunnels(origin), ["--no-intercept"]),
        "https": Exchanges(traffic.intercepted(origin), intercepting),
        "http2": Exchanges(traffic.http2(origin), intercepting),
        "stats": Reading(["stats"]),
        "list": Reading(["list"]),
        "report": Reading(["report"]),
    }


def verdict(name: str, counted: float, figure: float | None) -> Verdict:
    if figure is None:
        return f"{name}: {counted:,.0f} instructions; there is no figure (--update)", False
    text = f"{name}: {counted:,.0f} instructions, figure {figure:,.0f} ({counted / figure - 1:+.1%})"
    return text, counted <= figure * (1 + TOLERANCE)


def main(words: list[str]) -> int:
    parser = argument_parser("gate", __doc__)
    parser.add_argument("--only", metavar="NAMES", help="these scenarios, separated by commas")
    parser.add_argument("--update", action="store_true", help="write the figures instead of comparing with them")
    parser.add_argument(
        "--flames", metavar="FOLDER", type=Path, help="draw there a flame graph of each recorded exchange counted"
    )
    parser.add_argument(
        "--profile",
        metavar="FILE",
        type=Path,
        help="instead, write the profile for the compiler there: scripts/package does so, with a program that has lines for it",
    )
    parser.add_argument("--keep", action="store_true", help="keep recordings and callgrind's files, for callgrind_annotate")
    arguments = parser.parse_args(words)
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    with Workspace("gate", arguments.keep) as workspace, Origin(answering(SMALL_BODY.encode())) as small:
        origin = Nginx(workspace.path / "origin", 64 << 10)
        known = scenarios(origin, small, workspace.path)
        if arguments.profile:
            known = {name: scenario for name, scenario in known.items() if isinstance(scenario, Exchanges)}
        names = selection(parser, arguments.only, list(known))
        verdicts = []
        runs: list[profile.Counts] = []
        try:
            origin.start()
            program = stripped(workspace.path)
            for name in names:
                figure = None if arguments.update or arguments.profile else figures.get(name)
                counted = least(known[name], program, workspace.path / name, figure)
                progress(f"{name}: {counted:,.0f}")
                verdicts.append(verdict(name, counted, figures.get(name)))
                if isinstance(scenario := known[name], Exchanges):
                    if arguments.flames:
                        graph = scenario.difference(workspace.path / name / "0", flame.read)
                        arguments.flames.mkdir(parents=True, exist_ok=True)
                        (arguments.flames / f"{name}.svg").write_text(flame.svg(name, graph))
                    if arguments.profile:
                        read = partial(profile.read, program=str(program))
                        runs.append(scenario.difference(workspace.path / name / "0", read))
                if arguments.update:
                    figures[name] = round(counted)
            if arguments.profile:
                profile.write(runs, workspace.path, arguments.profile)
        except ServerFailed as failure:
            progress(str(failure))
            return 1
        finally:
            origin.stop()
    if arguments.update:
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
    if arguments.update or arguments.profile:
        return 0
    return 0 if print_verdicts(verdicts) else 1


def least(scenario: Exchanges | Reading, program: Path, directory: Path, figure: float | None) -> float:
    """The first count that is not too high, or the least of some."""
    counts: list[float] = []
    for attempt in range(ATTEMPTS if figure else 1):
        counts.append(scenario.count(program, directory / str(attempt)))
        if figure and counts[-1] <= figure * (1 + TOLERANCE):
            break
    return min(counts)
