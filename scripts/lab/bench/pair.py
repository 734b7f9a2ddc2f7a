"""`scripts/lab/run pair`: two programs at once, under the same load in the same seconds, and what an exchange costs each of them.

The speed of a shared machine changes by a third within seconds: one program after the other says little. Side by side they
have the same machine, but half of it each: this compares costs, and says nothing of the rate that one of them reaches alone.

With --rates they take turns, and each has the whole machine for a second: what is compared is how many requests it serves. It
takes a hundred rounds for an interval of two percent to each side.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from lab import load
from lab.bench.interceptors import InterceptingTapeline
from lab.change import Change
from lab.nginx import Nginx
from lab.process import ServerFailed
from lab.proxy import Tapeline
from lab.tool import Workspace, argument_parser, binary, plain, progress, selection, settle, write_json

PROTOCOLS = ["http1", "https", "http2"]
CONNECTIONS = 16
SECONDS = 1


@dataclass
class Figures:
    """Round by round: microseconds of CPU for an exchange, or requests a second."""

    unit: str
    other: list[float] = field(default_factory=list)
    this: list[float] = field(default_factory=list)

    @property
    def change(self) -> Change:
        return Change.between(self.other, self.this)

    def text(self, protocol: str) -> str:
        before, after = statistics.median(self.other), statistics.median(self.this)
        return f"{protocol:6} {before:8,.1f} → {after:8,.1f} {self.unit}: {self.change}"


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    with Workspace("pair") as workspace:
        origin = Nginx(workspace.path / "origin", 1 << 20)
        try:
            origin.start()
            figures = {name: compare(name, arguments, workspace.path / name, origin) for name in arguments.only}
        except (ServerFailed, load.LoadFailed) as error:
            progress(str(error))
            return 1
        finally:
            origin.stop()
    print("\n".join(each.text(protocol) for protocol, each in figures.items()))
    write_json(arguments.json, plain(figures))
    return 0


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argument_parser("pair", __doc__)
    parser.add_argument("other", metavar="PROGRAM", help="an earlier build, or this one, whose cost is 100 %%")
    parser.add_argument("--options", default="", metavar="WORDS", help="options for this build alone, such as '--clock loop'")
    parser.add_argument("--rounds", type=int, default=16, metavar="N", help="of a second each (default: 16)")
    parser.add_argument("--rates", action="store_true", help="one after the other: how many requests each serves in a second")
    parser.add_argument("--only", metavar="PROTOCOLS", help=f"a selection of {','.join(PROTOCOLS)}")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures of each round there")
    arguments = parser.parse_args(words)
    arguments.only = selection(parser, arguments.only, PROTOCOLS)
    return arguments


def compare(protocol: str, arguments: argparse.Namespace, directory: Path, origin: Nginx) -> Figures:
    directory.mkdir()
    other = tapeline(protocol, arguments.other, [], directory / "other", origin)
    this = tapeline(protocol, binary(), shlex.split(arguments.options), directory / "this", origin)
    figures = Figures("requests/s" if arguments.rates else "µs of CPU")
    measure = rates if arguments.rates else costs
    try:
        other.start()
        this.start()
        for number in range(arguments.rounds + 1):
            # What comes first in a round changes from round to round.
            pair = (other, this) if number % 2 == 0 else (this, other)
            taken = dict(zip(pair, measure(protocol, pair, origin), strict=True))
            # The first round pays for the connections.
            if number == 0:
                continue
            figures.other.append(taken[other])
            figures.this.append(taken[this])
            progress(f"{protocol}, round {number} of {arguments.rounds}: {taken[other]:.1f} and {taken[this]:.1f} {figures.unit}")
    finally:
        other.stop()
        this.stop()
    return figures


def costs(protocol: str, pair: tuple[Tapeline, Tapeline], origin: Nginx) -> list[float]:
    """Both at once."""
    before = [each.running.cpu_seconds() for each in pair]
    with ThreadPoolExecutor(2) as threads:
        samples = list(threads.map(lambda each: put_under_load(protocol, each, origin), pair))
    settle()
    after = [each.running.cpu_seconds() for each in pair]
    return [(end - start) / sample.requests * 1e6 for start, end, sample in zip(before, after, samples, strict=True)]


def rates(protocol: str, pair: tuple[Tapeline, Tapeline], origin: Nginx) -> list[float]:
    """One after the other."""
    return [put_under_load(protocol, each, origin).rate for each in pair]


def tapeline(protocol: str, program: str, options: list[str], directory: Path, origin: Nginx) -> Tapeline:
    made = Tapeline(directory) if protocol == "http1" else InterceptingTapeline(directory, origin.certificates.root)
    made.program = program
    made.options += options
    return made


def put_under_load(protocol: str, proxy: Tapeline, origin: Nginx) -> load.Sample:
    match protocol:
        case "http1":
            return load.request_rate(f"http://127.0.0.1:{origin.port}/small.txt", proxy.authority, SECONDS, CONNECTIONS)
        case "https":
            url = f"https://localhost:{origin.tls_port}/small.txt"
            return load.secure_request_rate(url, proxy.authority, SECONDS, CONNECTIONS)
        case _:
            return load.multiplexed_rate(origin.h2_port, proxy.authority, SECONDS, CONNECTIONS)
