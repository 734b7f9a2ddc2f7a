"""The order in which the linker lays out the functions of recorded exchanges (docs/adr/0051): first those that take most.

An exchange runs through hundreds of the functions of 17 MiB, and waits for their code where each lies on a page of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from lab.gate.flame import Profile

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
