"""Resident memory over a million recorded exchanges: it has to be flat."""

from __future__ import annotations

from dataclasses import dataclass

import load
from comparison import progress, settle
from origin import Origin
from process import ServerFailed
from recording import census
from report import TARGET_RESIDENT_MIB
from tools import Tool

EXCHANGES = 1_000_000
ROUND_SECONDS = 5
MAXIMUM_ROUNDS = 120


@dataclass
class Endurance:
    """Resident memory after every round, with the exchanges until then."""

    samples: list[tuple[int, int]]
    peak_resident_kib: int
    exchanges: int
    recording: dict[str, int] | None

    def verdict(self) -> list[tuple[str, bool]]:
        peak = self.peak_resident_kib / 1024
        text = f"peak resident memory over {self.exchanges:,} exchanges: {peak:.1f} MiB (under {TARGET_RESIDENT_MIB})"
        result = [(text, peak < TARGET_RESIDENT_MIB and self.exchanges >= EXCHANGES)]
        if self.recording:
            recorded = self.recording["exchanges"]
            result.append((f"recorded: {recorded:,} of {self.exchanges:,} answered exchanges", recorded >= self.exchanges))
        return result


def endure(tool: Tool, origin: Origin) -> Endurance:
    samples: list[tuple[int, int]] = []
    exchanges = 0
    tool.start()
    try:
        if not tool.server:
            raise ServerFailed(f"{tool.name} is no server")
        for _ in range(MAXIMUM_ROUNDS):
            exchanges += load.request_rate(origin.small_url, tool.address, ROUND_SECONDS).requests
            settle()
            samples.append((exchanges, tool.server.resident_kib()))
            progress(f"{exchanges:,} exchanges, resident {samples[-1][1] / 1024:.1f} MiB")
            if exchanges >= EXCHANGES:
                break
        peak = tool.server.peak_resident_kib()
    finally:
        tool.stop()
    return Endurance(samples, peak, exchanges, census(tool.recordings()))
