"""`scripts/bench`: tapeline beside no proxy and beside other proxies, on one machine, against one origin, in one run."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import interceptors
import machine
import report
import tools
from comparison import Comparison, Plan, progress
from load import LoadFailed
from million import endure
from origin import Origin
from process import ServerFailed

FREE_SPACE_NEEDED = 12 << 30


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    raise_descriptor_limit()
    directory = Path(tempfile.mkdtemp(prefix="tapeline-bench-"))
    # Servers that give up root read and write below it.
    directory.chmod(0o755)
    free = shutil.disk_usage(directory).free
    if free < FREE_SPACE_NEEDED:
        progress(f"only {free >> 30} GiB free in {directory.parent}; recordings take several (TMPDIR names another place)")

    plan = Plan.quick() if arguments.quick else Plan()
    origin = Origin(directory / "origin", plan.large_size)
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
        if arguments.keep:
            progress(f"recordings and logs are in {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.replace("`", ""))
    names = list(dict.fromkeys(tool.name for tool in tools.ALL + interceptors.ALL))
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, about two minutes")
    cases = parser.add_mutually_exclusive_group()
    cases.add_argument("--http", action="store_true", help="without the cases of HTTPS")
    cases.add_argument("--https", action="store_true", help="only the cases of HTTPS: opened, recorded, TLS on both legs")
    parser.add_argument("--million", action="store_true", help="only tapeline's memory over a million exchanges")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every figure, the machine and the versions there")
    parser.add_argument("--only", metavar="NAMES", help=f"a selection of {','.join(names)}")
    parser.add_argument("--keep", action="store_true", help="keep recordings and logs, and say where they are")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",") if arguments.only else names
    if unknown := set(arguments.only) - set(names):
        parser.error(f"no such tool: {', '.join(sorted(unknown))}")
    return arguments


def raise_descriptor_limit() -> None:
    """For a thousand client connections on every side."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def run_comparison(arguments: argparse.Namespace, plan: Plan, directory: Path, origin: Origin) -> int:
    about = machine.describe()
    print(machine.one_line(about))
    result: dict[str, object] = {"machine": about, "plan": dataclasses.asdict(plan)}
    verdict: list[tuple[str, bool]] = []
    failed = False
    for secure in (False, True):
        if arguments.https and not secure or arguments.http and secure:
            continue
        figures = Comparison(plan, origin, chosen_tools(arguments.only, directory, origin, secure), secure).run()
        print(report.table(figures, report.SECURE_COLUMNS if secure else report.COLUMNS))
        print("\n".join(report.remarks(figures)), flush=True)
        verdict += report.secure_verdict(figures) if secure else report.verdict(figures)
        result["https" if secure else "http"] = {
            "medians": report.rows(figures),
            "tools": {name: each.as_json() for name, each in figures.items()},
        }
        failed |= any(figures[name].failure for name in ("direct", "tapeline") if name in figures)
    print_verdict(verdict)
    write_json(arguments.json, {**result, "targets": [{"target": text, "met": met} for text, met in verdict]})
    return 1 if failed else 0


def chosen_tools(names: list[str], directory: Path, origin: Origin, secure: bool) -> list[tools.Tool]:
    if not secure:
        return [tool(directory / tool.name) for tool in tools.ALL if tool.name in names]
    chosen = [tool for tool in interceptors.ALL if tool.name in names]
    return [interceptors.make(tool, directory / f"{tool.name}-https", origin.certificates.root) for tool in chosen]


def run_million(arguments: argparse.Namespace, directory: Path, origin: Origin) -> int:
    endurance = endure(tools.Tapeline(directory / "tapeline"), origin)
    about = machine.describe()
    verdict = endurance.verdict()
    print(machine.one_line(about))
    print_verdict(verdict)
    write_json(arguments.json, {
        "machine": about,
        **dataclasses.asdict(endurance),
        "targets": [{"target": text, "met": met} for text, met in verdict],
    })
    return 0 if all(met for _, met in verdict) else 1


def print_verdict(verdict: list[tuple[str, bool]]) -> None:
    for text, met in verdict:
        print(f"{'met   ' if met else 'missed'}  {text}")


def write_json(file: Path | None, result: dict[str, object]) -> None:
    if file:
        file.write_text(json.dumps(result, indent=2) + "\n")
        progress(f"figures written to {file}")


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
