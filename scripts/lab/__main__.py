"""`scripts/lab/run NAME`: finds the tool, and gives it the rest of the arguments."""

from __future__ import annotations

import importlib
import os
import signal
import sys

# Each tool's module, which has `main(arguments) -> exit status`.
TOOLS = {
    "bench": "lab.bench.command",
    "bench-inspect": "lab.bench.inspection",
    "compare": "lab.compare.command",
    "critical": "lab.critical.command",
    "fleet": "lab.fleet.command",
    "fleet-figures": "lab.fleet.figures",
    "gaps": "lab.packets.gaps",
    "gate": "lab.gate.command",
    "h2spec": "lab.http2.spec.command",
    "hostile2": "lab.http2.hostile.command",
    "kill9": "lab.kill9",
    "leniency": "lab.leniency.command",
    "library": "lab.library.command",
    "library-server": "lab.library.server",
    "live": "lab.live.command",
    "network": "lab.network",
    "otlp": "lab.otlp.command",
    "otlp-decode": "lab.otlp.decode",
    "packets": "lab.packets.command",
    "pair": "lab.bench.pair",
    "readers": "lab.readers.command",
    "reading": "lab.readers.growing",
    "run-all": "lab.runall.command",
    "schema": "lab.schema",
    "soak": "lab.soak.command",
    "stall": "lab.stall",
    "torture": "lab.torture.command",
}


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in TOOLS:
        print(f"usage: scripts/lab/run {'|'.join(TOOLS)} [ARGUMENT…]", file=sys.stderr)
        return 64
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.umask(0o022)
    return importlib.import_module(TOOLS[name]).main(sys.argv[2:])


sys.exit(main())
