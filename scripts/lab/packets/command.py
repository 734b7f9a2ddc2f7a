"""`scripts/lab/run packets`: each mark of a recording beside the packet that it should be, and a histogram of the errors.

Loopback is captured with the kernel's stamps while clients and an origin play a script through tapeline. It exits with 1 if one
error of a hundred is above the bound, for any mark; with 2 if that says nothing, because the machine was taken away too often."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from lab import machine
from lab.certificates import Certificates
from lab.load import LoadFailed
from lab.packets import report
from lab.packets.capture import Capture
from lab.packets.flows import Torn, assemble
from lab.packets.judgement import Judgement, judge, scripted_entries
from lab.packets.marks import marks_of
from lab.packets.pressure import Pressure, Quiet
from lab.packets.script import PROTOCOLS, Clients, Protocol, ScriptedOrigin
from lab.packets.stalls import Stalls
from lab.packets.tls import read_keys
from lab.process import ServerFailed
from lab.proxy import Tapeline
from lab.tool import (
    ROOT,
    Workspace,
    argument_parser,
    print_verdicts,
    progress,
    raise_descriptor_limit,
    selection,
    targets,
    write_json,
)  # fmt: skip

DOCUMENT = ROOT / "docs/generated/packets.md"
ENTRIES, QUICK_ENTRIES = 12_000, 240
UNJUDGED = 2
# Microseconds, of one error in a hundred; for phases, which are differences of two marks, as under load.
IDLE_BOUND, LOADED_BOUND = 50.0, 100.0


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    raise_descriptor_limit()
    # Others that wanted the processor make marks late that the program takes itself.
    about = machine.describe() | {"load_average": os.getloadavg()[0]}
    runs: list[report.Run] = []
    try:
        with Workspace("packets", arguments.keep) as workspace:
            certificates = Certificates(workspace.path / "certificates")
            certificates.make()
            for name, pressure in pressures(arguments, workspace.path):
                directory = workspace.path / name
                directory.mkdir()
                runs.append(measure(arguments, directory, certificates, pressure))
    except (ServerFailed, LoadFailed, Torn, OSError) as error:
        if runs:
            print(report.tables(runs, about), flush=True)
        progress(str(error))
        return 1
    text = report.tables(runs, about)
    print(text, flush=True)
    if arguments.publish:
        DOCUMENT.write_text(report.page(text))
        progress(f"written to {DOCUMENT}")
    verdicts = [verdict for run in runs for verdict in run.verdicts()]
    print_verdicts(verdicts)
    write_json(arguments.json, {"machine": about, "runs": [run.as_json() for run in runs], "targets": targets(verdicts)})
    return status(runs)


def status(runs: list[report.Run]) -> int:
    """Of the program: 0 if all bounds were kept."""
    missed = [run for run in runs if not all(met for _, met in run.verdicts())]
    for run in missed:
        if run.is_disturbed:
            progress(f"{run.load}: not judged, because other machines had {run.stolen:.1%} of the processors' time")
    if not missed:
        return 0
    return UNJUDGED if all(run.is_disturbed for run in missed) else 1


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argument_parser("packets", __doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ENTRIES} entries, a few seconds")
    parser.add_argument("--entries", type=int, help=f"of all protocols together (default: {ENTRIES:,})")
    parser.add_argument("--load", action="store_true", help="measure again while a generator keeps tapeline at 80 %% of its rate")
    parser.add_argument(
        "--stall", action="store_true", help="measure while tapeline is stopped for 20 ms at a time, at any moment"
    )
    parser.add_argument("--only", metavar="PROTOCOLS", help=f"a selection of {','.join(PROTOCOLS)}")
    early = "microseconds that a mark may come before its packet (default: %(default)g): a busy machine stamps late"
    parser.add_argument("--early", type=float, metavar="US", default=report.EARLY_BOUND, help=early)
    parser.add_argument("--bound", type=float, metavar="US", help="microseconds instead of 50 idle and 100 under load")
    parser.add_argument("--publish", action="store_true", help="write the tables to docs/generated/packets.md")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every figure and the machine there")
    parser.add_argument("--keep", action="store_true", help="keep recordings, keys and logs, and say where they are")
    arguments = parser.parse_args(words)
    arguments.only = selection(parser, arguments.only, list(PROTOCOLS))
    arguments.entries = arguments.entries or (QUICK_ENTRIES if arguments.quick else ENTRIES)
    if arguments.publish and (arguments.quick or arguments.stall or arguments.only != list(PROTOCOLS)):
        parser.error("--publish wants every protocol, and neither --quick nor --stall")
    return arguments


def pressures(arguments: argparse.Namespace, directory: Path) -> Iterator[tuple[str, Quiet]]:
    """By the name of a directory."""
    if arguments.stall:
        yield "stalled", Stalls()
        return
    yield "idle", Quiet()
    if arguments.load:
        yield "loaded", Pressure(directory / "loaded" / "load", arguments.quick)


def measure(arguments: argparse.Namespace, directory: Path, certificates: Certificates, pressure: Quiet) -> report.Run:
    judged: dict[str, Judgement] = {}
    theft = machine.Theft()
    with pressure:
        for name in arguments.only:
            protocol = PROTOCOLS[name]
            progress(f"{protocol.name}, {pressure.name}")
            count = max(1, arguments.entries // len(arguments.only))
            judged[protocol.name] = run_protocol(protocol, directory / name, certificates, pressure, count)
    bound = arguments.bound or (LOADED_BOUND if isinstance(pressure, Pressure) else IDLE_BOUND)
    bounds = bound, arguments.bound or LOADED_BOUND
    return report.Run(pressure.name, pressure.describe(), *bounds, judged, arguments.early, stolen=theft.share())


def run_protocol(protocol: Protocol, directory: Path, certificates: Certificates, pressure: Quiet, count: int) -> Judgement:
    directory.mkdir()
    keys, authority = directory / "keys.log", directory / "ca"
    keys.touch(mode=0o600)
    options = ["--intercept", "--ca-dir", str(authority), "--upstream-ca", str(certificates.root)]
    if pressure.roots:
        options[-1] = str(pressure.roots_with(certificates.root, directory / "roots.pem"))
    proxy = Tapeline(directory / "proxy", options)
    proxy.start()
    try:
        with ScriptedOrigin(protocol, certificates, keys) as origin:
            clients = Clients(protocol, proxy.address, origin.port, authority / "ca.pem", keys)
            # What happens once, like the making of the first certificate, is over then.
            clients.run(range(count, count + 1), 1)
            with pressure.on(proxy, protocol), Capture(clients.host, origin.port) as capture:
                clients.run(range(count), pressure.clients)
    finally:
        proxy.stop()
    marks = marks_of(assemble(capture.packets), proxy.address, read_keys(keys))
    entries = (entry for entry in scripted_entries(proxy.recordings()) if not is_warm_up(entry, count))
    return judge(entries, marks)


def is_warm_up(entry: dict, count: int) -> bool:
    return f"/exchange/{count}/" in entry["request"]["url"]
