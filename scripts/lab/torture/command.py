"""`scripts/lab/run torture`: all that a client or an origin may do to the proxy, and whether it is as before afterwards."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from lab.load import LoadFailed
from lab.process import ServerFailed
from lab.proxy import Tapeline
from lab.tool import Workspace, argument_parser, raise_descriptor_limit, selection, write_json
from lab.torture import catalogue
from lab.torture.recovery import check_end, check_recovered, level
from lab.torture.scenario import Failed, Run, Scenario, Settings

QUICK_EXCHANGES, EXCHANGES = 3_000, 100_000


def main(words: list[str]) -> int:
    # What was freed is kept for a while, but not for the whole run: memory is watched.
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=16")
    arguments = parse_arguments(words)
    if arguments.list:
        for scenario in catalogue.ALL:
            print(f"{scenario.name:16}  {scenario.says}{' (not with --quick)' if scenario.heavy else ''}")
        return 0
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
    with Workspace("torture", keep=True) as workspace:
        results = [
            run_scenario(scenario, settings, workspace.path / scenario.name, arguments.keep) for scenario in arguments.scenarios
        ]
        failed = sum(not result["passed"] for result in results)
        workspace.keep = arguments.keep or failed > 0
    write_json(arguments.json, {"seed": settings.seed, "scenarios": results})
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run_scenario(scenario: Scenario, settings: Settings, directory: Path, keep: bool) -> dict:
    """What the scenario finds and what is wrong afterwards are told together: one may explain the other."""
    directory.mkdir()
    started = time.monotonic()
    options = [option.format(directory=directory, address=settings.address) for option in scenario.options]
    proxy = Tapeline(directory / "proxy", options, scenario.descriptor_limit)
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
            except (Failed, LoadFailed) as failure:
                problems.append(str(failure))
                if not proxy.running.is_running():
                    problems += proxy.complaints(scenario.expected)
                    break
    except (Failed, LoadFailed, ServerFailed, OSError) as error:
        problems.append(str(error) or repr(error))
    finally:
        proxy.kill()
    seconds = time.monotonic() - started
    verdict = "\n  ".join(filter(None, [*problems, "; ".join(filter(None, findings))]))
    print(f"{scenario.name:16}  {'FAILED' if problems else 'passed'}  {seconds:6.1f} s  {verdict}", flush=True)
    if not problems and not keep:
        shutil.rmtree(directory, ignore_errors=True)
    return {"name": scenario.name, "passed": not problems, "seconds": round(seconds, 1), "verdict": verdict, **run.figures}


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argument_parser("torture", __doc__)
    parser.add_argument("--seed", type=int, help="of everything that is random (default: a new one, which is printed)")
    fewer = f"{QUICK_EXCHANGES:,} with --quick"
    parser.add_argument("--exchanges", type=int, help=f"of the campaigns fuzz and http2 (default: {EXCHANGES:,}; {fewer})")
    parser.add_argument("--workers", type=int, default=2, help="processes of the fuzz campaign (default: 2)")
    parser.add_argument("--only", metavar="NAMES", help="these scenarios, separated by commas")
    parser.add_argument("--quick", action="store_true", help="a short fuzz campaign, and without what takes long")
    parser.add_argument("--replay", metavar="CASE", type=int, help="only this case of the fuzz campaign with --seed, and show it")
    parser.add_argument("--sanitizer", action="store_true", help="the binary is built with a sanitizer: allow it its memory")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results there as well")
    parser.add_argument("--keep", action="store_true", help="keep recordings and logs, and say where they are")
    arguments = parser.parse_args(words)
    names = [scenario.name for scenario in catalogue.ALL]
    if arguments.replay is not None and arguments.seed is None:
        parser.error("--replay needs the --seed of the campaign")
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().getrandbits(32)
    wanted = selection(parser, arguments.only or ("fuzz" if arguments.replay is not None else None), names)
    arguments.scenarios = [
        scenario for scenario in catalogue.ALL
        if scenario.name in wanted and (arguments.only or not (arguments.quick and scenario.heavy))
    ]  # fmt: skip
    return arguments
