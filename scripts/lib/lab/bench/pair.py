"""`scripts/lab pair`: two programs at once, under the same load in the same seconds, and what an exchange costs each of them.

The speed of a shared machine changes by a third within seconds: one program after the other says little. Side by side they
have the same machine, but half of it each: this compares costs, and says nothing of the rate that one of them reaches alone.
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
from lab.run import Workspace, argument_parser, binary, plain, progress, selection, settle, write_json

PROTOCOLS = ["http1", "https", "http2"]
CONNECTIONS = 16
SECONDS = 1


@dataclass
class Costs:
    """Microseconds of CPU for an exchange, round by round."""

    other: list[float] = field(default_factory=list)
    this: list[float] = field(default_factory=list)

    @property
    def change(self) -> Change:
        return Change.between(self.other, self.this)

    def text(self, protocol: str) -> str:
        before, after = statistics.median(self.other), statistics.median(self.this)
        return f"{protocol:6} {before:6.1f} → {after:6.1f} µs of CPU: {self.change}"


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    with Workspace("pair") as workspace:
        origin = Nginx(workspace.path / "origin", 1 << 20)
        try:
            origin.start()
            costs = {name: compare(name, arguments, workspace.path / name, origin) for name in arguments.only}
        except (ServerFailed, load.LoadFailed) as error:
            progress(str(error))
            return 1
        finally:
            origin.stop()
    print("\n".join(each.text(protocol) for protocol, each in costs.items()))
    write_json(arguments.json, plain(costs))
    return 0


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argument_parser("pair", __doc__)
    parser.add_argument("other", metavar="PROGRAM", help="an earlier build, or this one, whose cost is 100 %%")
    parser.add_argument("--options", default="", metavar="WORDS", help="options for this build alone, such as '--clock loop'")
    parser.add_argument("--rounds", type=int, default=16, metavar="N", help="of a second each (default: 16)")
    parser.add_argument("--only", metavar="PROTOCOLS", help=f"a selection of {','.join(PROTOCOLS)}")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures of each round there")
    arguments = parser.parse_args(words)
    arguments.only = selection(parser, arguments.only, PROTOCOLS)
    return arguments


def compare(protocol: str, arguments: argparse.Namespace, directory: Path, origin: Nginx) -> Costs:
    directory.mkdir()
    other = tapeline(protocol, arguments.other, [], directory / "other", origin)
    this = tapeline(protocol, binary(), shlex.split(arguments.options), directory / "this", origin)
    costs = Costs()
    try:
        other.start()
        this.start()
        with ThreadPoolExecutor(2) as threads:
            for number in range(arguments.rounds + 1):
                before = [each.running.cpu_seconds() for each in (other, this)]
                samples = list(threads.map(lambda each: put_under_load(protocol, each, origin), (other, this)))
                settle()
                after = [each.running.cpu_seconds() for each in (other, this)]
                # The first round pays for the connections.
                if number == 0:
                    continue
                taken = [(end - start) / sample.requests * 1e6 for start, end, sample in zip(before, after, samples, strict=True)]
                costs.other.append(taken[0])
                costs.this.append(taken[1])
                progress(f"{protocol}, round {number} of {arguments.rounds}: {taken[0]:.1f} and {taken[1]:.1f} µs")
    finally:
        other.stop()
        this.stop()
    return costs


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
