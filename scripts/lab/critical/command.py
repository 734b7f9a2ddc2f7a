"""Judges `critical`: programs and pages are generated from a seed and recorded, then run again without each of their exchanges.
The exchange that `critical` names must be the one without which the run gains most.

`--keep` names a directory for the recordings and the truth, and `--again` judges such a directory without running anything.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from lab.bench.interceptors import InterceptingTapeline
from lab.critical import browser
from lab.critical.judge import judge, verdicts
from lab.critical.origin import Origin
from lab.critical.pages import PageMaker
from lab.critical.programs import ProgramMaker
from lab.critical.trial import PageTrial, ProgramTrial, examine
from lab.tool import Workspace, argument_parser, print_verdicts, progress


def main(words: list[str]) -> int:
    parser = argument_parser("critical", __doc__)
    parser.add_argument("--programs", type=int, default=160, help="how many (default: 160)")
    parser.add_argument("--pages", type=int, default=40, help="how many, in Chromium (default: 40)")
    parser.add_argument("--seed", type=int, default=1, help="of the programs and pages (default: 1)")
    parser.add_argument("--at-once", type=int, default=5, help="programs that run at the same time (default: 5)")
    parser.add_argument("--pages-at-once", type=int, default=1, help="pages that load at the same time (default: 1)")
    parser.add_argument("--keep", type=Path, metavar="DIRECTORY", help="where recordings and truth remain")
    parser.add_argument("--again", type=Path, metavar="DIRECTORY", help="judge what was kept there")
    parser.add_argument("--verbose", action="store_true", help="print every case that is missed")
    arguments = parser.parse_args(words)
    if arguments.again:
        return 0 if report(arguments.again, arguments.verbose) else 1
    with Workspace("critical") as workspace:
        directory = arguments.keep or workspace.path
        directory.mkdir(parents=True, exist_ok=True)
        asyncio.run(gather(arguments, directory, workspace.path / "certificates"))
        return 0 if report(directory, arguments.verbose) else 1


async def gather(arguments: argparse.Namespace, directory: Path, certificates: Path) -> None:
    async with Origin(certificates) as origin:
        between = InterceptingTapeline(certificates.parent / "between", origin.certificates.root)
        between.start()
        try:
            programs = [ProgramMaker(arguments.seed, number).scenario() for number in range(arguments.programs)]
            trials = [ProgramTrial(each, folder(directory, each.name), between) for each in programs]
            await run_all(trials, origin, arguments.at_once)
        finally:
            between.stop()
        if not arguments.pages:
            return
        async with browser.browser() as started:
            pages = [PageMaker(arguments.seed, number).scenario() for number in range(arguments.pages)]
            loads = [PageTrial(each, folder(directory, each.name), started) for each in pages]
            await run_all(loads, origin, arguments.pages_at_once)


def folder(directory: Path, name: str) -> Path:
    made = directory / name
    made.mkdir()
    return made


async def run_all(trials: list[ProgramTrial], origin: Origin, limit: int) -> None:
    gate = asyncio.Semaphore(limit)
    done = 0

    async def run(trial: ProgramTrial) -> None:
        nonlocal done
        async with gate:
            try:
                await examine(trial, origin)
            except Exception as error:
                progress(f"{trial.scenario.name} is left out: {error}")
        done += 1
        if done % 20 == 0 or done == len(trials):
            progress(f"{done} of {len(trials)}")

    await asyncio.gather(*(run(trial) for trial in trials))


def report(directory: Path, is_verbose: bool) -> bool:
    kinds = {"programs": "p*/run.har", "pages by tapeline": "w*/proxy/recording.har", "pages by the browser": "w*/browser.har"}
    is_met = True
    for kind, pattern in kinds.items():
        captures = [each for each in sorted(directory.glob(pattern)) if truth_of(each).exists()]
        if not captures:
            continue
        cases = [judge(capture, truth_of(capture)) for capture in captures]
        for case in cases if is_verbose else []:
            if not (case.names_the_right and case.knows_the_gain and not case.wronged):
                print(f"{case.name}: {case.sentence}\n    {case.truth}")
        is_met &= print_verdicts(verdicts(kind, cases))
    return is_met


def truth_of(capture: Path) -> Path:
    here = capture.parent
    return (here if (here / "truth.json").exists() else here.parent) / "truth.json"
