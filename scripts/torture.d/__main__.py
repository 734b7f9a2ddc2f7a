"""`scripts/torture`: everything that a client or an origin may do to the proxy, and whether it is as before afterwards."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import paths  # noqa: F401  (makes the next ones importable)

import catalogue
from process import ServerFailed
from proxy import Proxy
from recovery import check_end, check_recovered, level
from scenario import Failed, Run, Scenario, Settings

QUICK_EXCHANGES, EXCHANGES = 3_000, 100_000


def main() -> int:
    arguments = parse_arguments()
    if arguments.list:
        for scenario in catalogue.ALL:
            print(f"{scenario.name:16}  {scenario.says}{' (not with --quick)' if scenario.heavy else ''}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    raise_descriptor_limit()
    settings = Settings(
        seed=arguments.seed,
        exchanges=arguments.exchanges or (QUICK_EXCHANGES if arguments.quick else EXCHANGES),
        workers=arguments.workers,
        replay=arguments.replay,
        quick=arguments.quick,
        sanitizer=arguments.sanitizer,
    )
    print(f"torture with seed {settings.seed}", flush=True)
    directory = Path(tempfile.mkdtemp(prefix="tapeline-torture-"))
    results = []
    try:
        for scenario in arguments.scenarios:
            results.append(run_scenario(scenario, settings, directory / scenario.name, arguments.keep))
    finally:
        if not arguments.keep and all(result["passed"] for result in results):
            shutil.rmtree(directory, ignore_errors=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"seed": settings.seed, "scenarios": results}, indent=2) + "\n")
    failed = sum(not result["passed"] for result in results)
    print(f"{len(results) - failed} passed, {failed} failed" + (f"; logs are in {directory}" if failed or arguments.keep else ""))
    return 1 if failed else 0


def run_scenario(scenario: Scenario, settings: Settings, directory: Path, keep: bool) -> dict:
    """What the scenario finds and what is wrong afterwards are told together: one may explain the other."""
    directory.mkdir()
    started = time.monotonic()
    options = tuple(option.format(directory=directory, address=settings.address) for option in scenario.options)
    proxy = Proxy(directory / "proxy", options, scenario.descriptor_limit)
    run = Run(scenario.name, settings, proxy, directory)
    findings: list[str] = []
    problems: list[str] = []
    try:
        if scenario.prepare:
            scenario.prepare(directory, settings)
        proxy.start()
        before = level(proxy)
        steps: list[Callable[[], str | None]] = [
            lambda: scenario.run(run),
            lambda: check_recovered(proxy, before, scenario.grows_kib, settings.sanitizer),
            lambda: check_end(proxy, scenario.expected),
            lambda: run.judge_log() if run.judge_log else None,
        ]
        for step in steps:
            try:
                findings.append(step() or "")
            except Failed as failure:
                problems.append(str(failure))
                if not proxy.is_running():
                    problems += proxy.complaints(scenario.expected)
                    break
    except (Failed, ServerFailed, OSError) as error:
        problems.append(str(error) or repr(error))
    finally:
        if proxy.has_started:
            proxy.kill()
    seconds = time.monotonic() - started
    verdict = "\n  ".join(problems) if problems else "; ".join(filter(None, findings))
    print(f"{scenario.name:16}  {'FAILED' if problems else 'passed'}  {seconds:6.1f} s  {verdict}", flush=True)
    if not problems and not keep:
        shutil.rmtree(directory, ignore_errors=True)
    return {"name": scenario.name, "passed": not problems, "seconds": round(seconds, 1), "verdict": verdict, **run.figures}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__.replace("`", ""))
    parser.add_argument("--seed", type=int, help="of everything that is random (default: a new one, which is printed)")
    fewer = f"{QUICK_EXCHANGES:,} with --quick"
    parser.add_argument("--exchanges", type=int, help=f"of the fuzz campaign (default: {EXCHANGES:,}; {fewer})")
    parser.add_argument("--workers", type=int, default=2, help="processes of the fuzz campaign (default: 2)")
    parser.add_argument("--only", metavar="SCENARIO", action="append", help="this scenario; may repeat")
    parser.add_argument("--quick", action="store_true", help="a short fuzz campaign, and without what takes long")
    parser.add_argument("--replay", metavar="CASE", type=int, help="only this case of the fuzz campaign with --seed, and show it")
    parser.add_argument("--sanitizer", action="store_true", help="the binary is built with a sanitizer: allow it its memory")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results there as well")
    parser.add_argument("--keep", action="store_true", help="keep recordings and logs, and say where they are")
    arguments = parser.parse_args()
    names = [scenario.name for scenario in catalogue.ALL]
    if unknown := set(arguments.only or []) - set(names):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if arguments.replay is not None and arguments.seed is None:
        parser.error("--replay needs the --seed of the campaign")
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().getrandbits(32)
    wanted = set(arguments.only or (["fuzz"] if arguments.replay is not None else names))
    arguments.scenarios = [
        scenario for scenario in catalogue.ALL
        if scenario.name in wanted and (arguments.only or not (arguments.quick and scenario.heavy))
    ]  # fmt: skip
    return arguments


def raise_descriptor_limit() -> None:
    """For thousands of connections on every side."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    # What was freed is kept for a while, but not for the whole run: memory is watched.
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=16")
    sys.exit(main())
