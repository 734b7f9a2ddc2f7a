"""`scripts/compare-proxies`: what tapeline, squid, tinyproxy and mitmdump do with the same octets."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bench.d"))

import contenders
import listing
from case import Case
from catalogue import CASES
from judgement import case_key, findings
from process import ServerFailed
from trial import Outcomes, Seen, run

DOCUMENT = Path(__file__).parents[2] / "docs/http-conformance.md"


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    cases = [case for case in CASES if arguments.case.lower() in case_key(case).lower()]
    directory = Path(tempfile.mkdtemp(prefix="tapeline-compare-"))
    # Servers that give up root read and write below it.
    directory.chmod(0o755)
    observations: Seen = {case_key(case): {} for case in cases}
    outcomes: Outcomes = {case_key(case): {} for case in cases}
    versions: dict[str, str | None] = {}
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
    finally:
        if arguments.keep:
            progress(f"recordings and logs are in {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return report(arguments, cases, outcomes, observations, versions)


def parse_arguments() -> argparse.Namespace:
    names = [contender.name for contender in contenders.ALL]
    parser = argparse.ArgumentParser(
        prog="scripts/compare-proxies",
        description="What tapeline and other proxies do with the same octets. Exits with 1 if another refuses or normalises"
        " what tapeline passes on, or serves what tapeline does not, and the case does not say why.",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was seen at both ends there")
    parser.add_argument("--only", metavar="NAMES", default=",".join(names), help=f"a selection of {','.join(names)}")
    parser.add_argument("--case", metavar="TEXT", default="", help="only cases whose name holds this")
    parser.add_argument("--document", action="store_true", help="write the tables into docs/http-conformance.md")
    parser.add_argument("--keep", action="store_true", help="keep recordings and logs, and say where they are")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",")
    if unknown := set(arguments.only) - set(names):
        parser.error(f"no such proxy: {', '.join(sorted(unknown))}")
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
    if arguments.json:
        arguments.json.write_text(json.dumps(listing.as_json(cases, outcomes, observations, versions), indent=1) + "\n")
        progress(f"written to {arguments.json}")
    unexplained = [each for each in found if not each.is_explained]
    progress(
        f"{len(cases)} cases, {len(found)} where another does better than tapeline, {len(unexplained)} of them unexplained"
    )
    return 1 if unexplained else 0


def progress(text: str) -> None:
    print(f"compare-proxies: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
