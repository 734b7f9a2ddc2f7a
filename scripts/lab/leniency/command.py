"""`scripts/lab/run leniency`: what clients and servers do with messages that tapeline refuses or notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lab.leniency import clients, servers, subject
from lab.leniency.cases import REQUESTS, RESPONSES, Case
from lab.process import ServerFailed
from lab.tool import ROOT, Workspace, argument_parser, progress

PAGE = ROOT / "docs/conformance/leniency.md"
HEADER = "| What is odd | tapeline |"


def main(words: list[str]) -> int:
    parser = argument_parser(
        "leniency", "What five clients and five servers do with odd messages, directly, and what tapeline does."
    )
    parser.add_argument("--check", action="store_true", help="ask tapeline alone; exit with 1 if the page says otherwise")
    parser.add_argument("--document", action="store_true", help="write the tables into docs/conformance/leniency.md")
    arguments = parser.parse_args(words)
    with Workspace("leniency", False) as workspace:
        try:
            if arguments.check:
                return check(workspace.path)
            tables = [
                table(RESPONSES, {"tapeline": subject.with_responses(workspace.path), **examine_clients(workspace.path)}),
                table(REQUESTS, {"tapeline": subject.with_requests(workspace.path), **examine_servers(workspace.path)}),
            ]
        except ServerFailed as error:
            progress(str(error))
            return 1
    if arguments.document:
        write(tables)
    else:
        print("\n\n".join(tables))
    return 0


def examine_clients(directory: Path) -> dict[str, list[str]]:
    seen = {}
    for name, client in clients.ALL.items():
        progress(f"{name}: {len(RESPONSES)} responses")
        seen[name] = client(clients.OddServer(RESPONSES), directory)
        if len(seen[name]) != len(RESPONSES):
            raise ServerFailed(f"{name} told of {len(seen[name])} responses")
    return seen


def examine_servers(directory: Path) -> dict[str, list[str]]:
    seen = {}
    for name in servers.NAMES:
        progress(f"{name}: {len(REQUESTS)} requests")
        contender = servers.Contender(name, directory)
        try:
            seen[name] = [contender.answers(case.message) for case in REQUESTS]
        finally:
            contender.server.stop()
    return seen


def table(cases: list[Case], seen: dict[str, list[str]]) -> str:
    lines = [f"| What is odd | {' | '.join(seen)} |", "|---" * (len(seen) + 1) + "|"]
    for number, case in enumerate(cases):
        lines.append(f"| {' | '.join([case.name, *(column[number] for column in seen.values())])} |")
    return "\n".join(lines)


def write(tables: list[str]) -> None:
    """Puts the tables in place of those of the page, in order."""
    parts = PAGE.read_text().split("\n\n")
    places = [index for index, part in enumerate(parts) if part.startswith(HEADER)]
    for index, text in zip(places, tables, strict=True):
        parts[index] = text
    PAGE.write_text("\n\n".join(parts).rstrip("\n") + "\n")


def check(directory: Path) -> int:
    tables = [part.splitlines()[2:] for part in PAGE.read_text().split("\n\n") if part.startswith(HEADER)]
    rows = [row.strip("| ").split(" | ") for rows in tables for row in rows]
    said = [(row[0], row[1]) for row in rows]
    sides: list[tuple[list[Case], Callable[[Path], list[str]]]] = [
        (RESPONSES, subject.with_responses), (REQUESTS, subject.with_requests),
    ]  # fmt: skip
    does = [(case.name, verdict) for cases, ask in sides for case, verdict in zip(cases, ask(directory), strict=True)]
    for before, now in zip(said, does, strict=False):
        if before != now:
            print(f"{now[0]}: the page says {before}, tapeline {now[1]}")
    return 0 if said == does else 1
