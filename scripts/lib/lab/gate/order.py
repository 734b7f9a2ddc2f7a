"""The order in which the linker lays out the functions of recorded exchanges (docs/adr/0051): first those that take most.

An exchange runs through hundreds of the functions of 17 MiB, and waits for their code where they are spread over many pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from lab.gate.flame import Profile
from lab.run import ROOT

# What the release build gives to the linker (scripts/lib/release-options).
FILE = ROOT / "scripts" / "lib" / "function-order"
HEADING = "# Written by `scripts/lab gate --order`: the functions of recorded exchanges, by what they take (docs/adr/0051)."
# Instructions of a function for an exchange: what takes less is not worth a line.
LEAST = 5
# Callgrind marks a function that calls itself.
RECURSION = re.compile(r"'\d+$")
# The linker makes these names anew for each build.
PASSING = re.compile(r"\.llvm\.\d+$")


def listing(profiles: Iterable[Profile], program: str) -> list[str]:
    """The names in `program`, by their shares of the instructions of all exchanges.

    - `profiles`: of one exchange each; with names as in the program.
    """
    shares: Counter[str] = Counter()
    for profile in profiles:
        costs: Counter[str] = Counter()
        for function, cost in profile.own.items():
            if function.library == program and not PASSING.search(function.name):
                costs[RECURSION.sub("", function.name)] += cost
        whole = sum(profile.own.values())
        shares.update({name: cost / whole for name, cost in costs.items() if cost >= LEAST and not name.startswith("0x")})
    return sorted(shares, key=lambda name: (-shares[name], name))


def write(names: list[str]) -> None:
    FILE.write_text("\n".join([HEADING, *names, ""]))
