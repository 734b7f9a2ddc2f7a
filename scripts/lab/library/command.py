"""`scripts/lab/run library`: what `scripts/check-library` asks of the sources, before anything is built."""

from __future__ import annotations

import sys

from lab.library import declarations, listings
from lab.tool import ROOT, argument_parser

# The products, and the modules that TapelineCore exports with itself.
ROOMS = ("Library/Core", "Wire/HTTP", "Wire/Transport", "Log/HAR", "Log/Recorder")


def main(words: list[str]) -> int:
    argument_parser("library", __doc__).parse_args(words)
    rooms = [ROOT / "Sources" / room for room in ROOMS]
    problems = [f"{room}: is no folder" for room in rooms if not room.is_dir()]
    problems += [f"{place}: has no documentation" for place in declarations.undocumented(rooms)]
    documents = [ROOT / "docs/library.md", ROOT / "docs/coming-from-alamofire.md"]
    documents += sorted((ROOT / "Sources/Library/Core/TapelineCore.docc").glob("*.md"))
    documents += [path for room in rooms for path in sorted(room.rglob("*.swift"))]
    problems += [
        f"{place}: is not in docs/examples/core-uses"
        for place in listings.strays(documents, ROOT / "docs/examples/core-uses/Sources")
    ]
    for problem in problems:
        print(problem.removeprefix(f"{ROOT}/"), file=sys.stderr)
    return 1 if problems else 0
