"""`scripts/lab/run compare`: what tapeline, squid, tinyproxy and mitmdump do with the same bytes."""

from __future__ import annotations

import argparse
from pathlib import Path

from lab.compare import contenders, listing
from lab.compare.case import Case, read_cases
from lab.compare.judgement import findings
from lab.compare.trial import Outcomes, Seen, run
from lab.process import ServerFailed
from lab.tool import ROOT, Workspace, argument_parser, progress, selection, write_json

DOCUMENT = ROOT / "docs/generated/comparison.md"


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    cases = [case for case in read_cases() if arguments.case.lower() in case.key.lower()]
    observations: Seen = {case.key: {} for case in cases}
    outcomes: Outcomes = {case.key: {} for case in cases}
    versions: dict[str, str | None] = {}
    with Workspace("compare", arguments.keep) as workspace:
        directory = workspace.path
        try:
            for contender in contenders.ALL:
                if contender.name not in arguments.only:
                    continue
                if not contender(directory).is_installed():
                    progress(f"{contender.name} is not installed: left out (scripts/setup --bench installs it)")
                    continue
                versions[contender.name] = contender(directory).version()
                progress(f"{contender.name} {versions[contender.name]}: {len(cases)} cases")
                run(contender, cases, directory / contender.name, observations, outcomes)
        except ServerFailed as error:
            progress(str(error))
            return 1
    return report(arguments, cases, outcomes, observations, versions)


def parse_arguments(words: list[str]) -> argparse.Namespace:
    names = [contender.name for contender in contenders.ALL]
    parser = argument_parser(
        "compare",
        "What tapeline and other proxies do with the same bytes. Exits with 1 if another refuses or normalises"
        " what tapeline passes on, or serves what tapeline does not, and the case does not say why.",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was seen at both ends there")
    parser.add_argument("--only", metavar="NAMES", help=f"a selection of {','.join(names)}")
    parser.add_argument("--case", metavar="TEXT", default="", help="only cases whose name holds this")
    parser.add_argument("--document", action="store_true", help="write the tables into docs/generated/comparison.md")
    parser.add_argument("--keep", action="store_true", help="keep recordings and logs, and say where they are")
    arguments = parser.parse_args(words)
    arguments.only = selection(parser, arguments.only, names)
    if arguments.document and (arguments.case or arguments.only != names):
        parser.error("--document wants every case and every proxy")
    return arguments


def report(
    arguments: argparse.Namespace, cases: list[Case], outcomes: Outcomes, observations: Seen, versions: dict[str, str | None]
) -> int:
    text = listing.tables(cases, outcomes, versions)
    print(text, flush=True)
    if arguments.document:
        DOCUMENT.write_text(listing.into_document(DOCUMENT.read_text(), text))
        progress(f"written into {DOCUMENT}")
    found = findings(cases, outcomes)
    for remark in listing.remarks(found):
        progress(remark)
    write_json(arguments.json, listing.as_json(cases, outcomes, observations, versions))
    unexplained = [each for each in found if not each.is_explained]
    progress(f"{len(cases)} cases, {len(found)} where another does better than tapeline, {len(unexplained)} of them unexplained")
    return 1 if unexplained else 0
