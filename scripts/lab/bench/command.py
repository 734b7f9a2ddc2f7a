"""`scripts/lab/run bench`: tapeline beside no proxy and beside other proxies, on one machine, against one origin, in one run."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
from pathlib import Path

from lab import machine
from lab.bench import interceptors, report
from lab.bench.comparison import Comparison, Plan
from lab.bench.million import endure
from lab.bench.multiplexed import Multiplexed
from lab.load import LoadFailed
from lab.nginx import Nginx
from lab.process import ServerFailed
from lab.proxies import HAProxy, Mitmdump, Squid, Tinyproxy, Tool
from lab.proxy import Tapeline
from lab.tool import (
    Verdict,
    Workspace,
    argument_parser,
    print_verdicts,
    progress,
    raise_descriptor_limit,
    selection,
    targets,
    write_json,
)  # fmt: skip

TOOLS = [Tool, Tapeline, HAProxy, Squid, Tinyproxy, Mitmdump]
FREE_SPACE_NEEDED = 12 << 30


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    raise_descriptor_limit()
    with Workspace("bench", arguments.keep) as workspace:
        directory = workspace.path
        free = shutil.disk_usage(directory).free
        if free < FREE_SPACE_NEEDED:
            progress(f"only {free >> 30} GiB free in {directory.parent}; recordings take several (TMPDIR names another place)")
        plan = Plan.quick() if arguments.quick else Plan()
        origin = Nginx(directory / "origin", plan.large_size)
        try:
            origin.start()
            if arguments.million:
                return run_million(arguments, directory, origin)
            return run_comparison(arguments, plan, directory, origin)
        except (ServerFailed, LoadFailed) as error:
            progress(str(error))
            return 1
        finally:
            origin.stop()


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argument_parser("bench", __doc__)
    names = list(dict.fromkeys(tool.name for tool in [*TOOLS, *interceptors.ALL, interceptors.ReverseNghttpx]))
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, about two minutes")
    cases = parser.add_mutually_exclusive_group()
    cases.add_argument("--http", action="store_true", help="without the cases of HTTPS")
    cases.add_argument("--https", action="store_true", help="only the cases of HTTPS: opened, recorded, TLS on both legs")
    cases.add_argument("--bulk", action="store_true", help="only large bodies, as messages and in tunnels, without TLS")
    cases.add_argument("--http2", action="store_true", help="only the cases of HTTP/2: opened, recorded, HTTP/2 on both legs")
    parser.add_argument("--share-connections", action="store_true", help="clients share connections to the origin")
    parser.add_argument("--million", action="store_true", help="only tapeline's memory over a million exchanges")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every figure, the machine and the versions there")
    parser.add_argument("--only", metavar="NAMES", help=f"a selection of {','.join(names)}")
    parser.add_argument("--keep", action="store_true", help="keep recordings and logs, and say where they are")
    arguments = parser.parse_args(words)
    arguments.only = selection(parser, arguments.only, names)
    return arguments


def run_comparison(arguments: argparse.Namespace, plan: Plan, directory: Path, origin: Nginx) -> int:
    about = machine.describe()
    print(machine.one_line(about))
    result: dict[str, object] = {"machine": about, "plan": dataclasses.asdict(plan)}
    verdict: list[Verdict] = []
    failed = False
    for secure in (False, True):
        if arguments.http2 or (arguments.https and not secure) or ((arguments.http or arguments.bulk) and secure):
            continue
        tools = chosen_tools(arguments.only, directory, origin, secure)
        if arguments.share_connections:
            share_connections(tools)
        figures = Comparison(plan, origin, tools, secure, arguments.bulk, arguments.share_connections).run()
        if not arguments.bulk:
            print(report.table(figures, report.SECURE_COLUMNS if secure else report.COLUMNS))
        if not secure:
            print(report.table(figures, [*report.BULK_COLUMNS, *([report.PEAK_COLUMN] if arguments.bulk else [])]))
        print("\n".join(report.remarks(figures)), flush=True)
        verdict += report.secure_verdict(figures) if secure else report.verdict(figures)
        verdict += report.bulk_verdict(figures, arguments.bulk)
        result["https" if secure else "http"] = {
            "medians": report.rows(figures),
            "tools": {name: each.as_json() for name, each in figures.items()},
        }
        failed |= any(figures[name].failure for name in ("direct", "tapeline") if name in figures)
    if not (arguments.http or arguments.https or arguments.bulk):
        multiplexed = Multiplexed(plan, origin, directory, arguments.only)
        multiplexed.run()
        print(multiplexed.table(), flush=True)
        verdict += multiplexed.verdict()
        result["http2"] = multiplexed.as_json()
        failed |= multiplexed.failed
    print_verdicts(verdict)
    write_json(arguments.json, {**result, "targets": targets(verdict)})
    return 1 if failed else 0


def chosen_tools(names: list[str], directory: Path, origin: Nginx, secure: bool) -> list[Tool]:
    if not secure:
        return [tool(directory / tool.name) for tool in TOOLS if tool.name in names]
    chosen = [tool for tool in interceptors.ALL if tool.name in names]
    return [interceptors.make(tool, directory / f"{tool.name}-https", origin.certificates.root) for tool in chosen]


def share_connections(tools: list[Tool]) -> None:
    for tool in tools:
        if isinstance(tool, Tapeline):
            tool.options.append("--share-connections")


def run_million(arguments: argparse.Namespace, directory: Path, origin: Nginx) -> int:
    endurance = endure(Tapeline(directory / "tapeline"), origin)
    about = machine.describe()
    verdict = endurance.verdict()
    print(machine.one_line(about))
    met = print_verdicts(verdict)
    write_json(
        arguments.json,
        {
            "machine": about,
            **dataclasses.asdict(endurance),
            "targets": targets(verdict),
        },
    )
    return 0 if met else 1
