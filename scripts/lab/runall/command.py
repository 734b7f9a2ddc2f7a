"""Measures `run --all` beside `run` and beside no tapeline: what it adds to the start of a command, how many requests a second
pass through it, and how long a browser that tries HTTP/3 takes to fall back.

Rounds alternate, and the medians are compared. Commands start as a user without privileges, also where root asks.
"""

from __future__ import annotations

from lab.machine import describe, one_line
from lab.runall import fallback, rate, start
from lab.runall.person import Person
from lab.tool import Workspace, argument_parser, print_verdicts, selection

PARTS = ["start", "rate", "fallback"]


def main(words: list[str]) -> int:
    parser = argument_parser("run-all", __doc__)
    parser.add_argument("--only", help=f"some of {', '.join(PARTS)}, separated by commas")
    parser.add_argument("--starts", type=int, default=40, help="of each kind of command")
    parser.add_argument("--rounds", type=int, default=5, help="of load, for each of HTTP and HTTPS")
    parser.add_argument("--seconds", type=float, default=8, help="of load in a round")
    parser.add_argument("--pages", type=int, default=5, help="that the browser loads each way")
    arguments = parser.parse_args(words)
    parts = selection(parser, arguments.only, PARTS)
    print(one_line(describe()))
    is_met = True
    with Workspace("run-all") as workspace:
        person = Person(workspace.path)
        # Each part's verdict is told before the next part, which may fail.
        if "start" in parts:
            is_met &= print_verdicts([start.measure(person, arguments.starts)])
        if "rate" in parts:
            is_met &= print_verdicts(rate.measure(person, arguments.rounds, arguments.seconds))
        if "fallback" in parts:
            is_met &= print_verdicts([fallback.measure(person, arguments.pages)])
    return 0 if is_met else 1
