"""`scripts/lab library`: what `scripts/check-library` asks of the sources, before anything is built."""

from __future__ import annotations

import sys

from lab.library import declarations, listings
from lab.run import ROOT, argument_parser

# The products, and the modules that TapelineCore exports with itself.
MODULES = ("TapelineCore", "TapelineHTTP", "TapelineTransport", "TapelineHAR")


def main(words: list[str]) -> int:
    argument_parser("library", __doc__).parse_args(words)
    modules = [ROOT / "Sources" / module for module in MODULES]
    problems = [f"{place}: has no documentation" for place in declarations.undocumented(modules)]
    documents = [ROOT / "docs/library.md", ROOT / "docs/coming-from-alamofire.md"]
    documents += sorted((ROOT / "Sources/TapelineCore/TapelineCore.docc").glob("*.md"))
    problems += [
        f"{place}: is not in docs/examples/core-uses"
        for place in listings.strays(documents, ROOT / "docs/examples/core-uses/Sources")
    ]
    for problem in problems:
        print(problem.removeprefix(f"{ROOT}/"), file=sys.stderr)
    return 1 if problems else 0
