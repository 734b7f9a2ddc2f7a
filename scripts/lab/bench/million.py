"""A million recorded exchanges: memory has to be flat, nothing may be missing, and the files must parse."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab import load
from lab.bench.recording import census
from lab.bench.report import TARGET_RESIDENT_MIB
from lab.nginx import Nginx
from lab.process import ServerFailed
from lab.proxies import Tool
from lab.tool import Verdict, progress, settle

EXCHANGES = 1_000_000
ROUND_SECONDS = 5
MAXIMUM_ROUNDS = 120
# How far resident memory may move once a tenth of the exchanges has passed.
FLAT_MIB = 8
# What the network brings has to be recorded without loss at least up to this.
LEAST_RATE = 10_000


@dataclass
class Endurance:
    """Resident memory after every round, with the exchanges until then."""

    samples: list[tuple[int, int]]
    peak_resident_kib: int
    exchanges: int
    seconds: float
    recording: dict[str, int] | None
    # Entries that tapeline itself read from all files.
    listed: int

    def verdict(self) -> list[Verdict]:
        peak = self.peak_resident_kib / 1024
        text = f"peak resident memory over {self.exchanges:,} exchanges: {peak:.1f} MiB (under {TARGET_RESIDENT_MIB})"
        result = [(text, peak < TARGET_RESIDENT_MIB and self.exchanges >= EXCHANGES)]
        settled = [resident for exchanges, resident in self.samples if exchanges >= EXCHANGES / 10]
        drift = (max(settled) - min(settled)) / 1024 if settled else 0
        result.append((f"resident memory moved by {drift:.1f} MiB (at most {FLAT_MIB})", drift <= FLAT_MIB))
        rate = self.exchanges / self.seconds
        result.append((f"{rate:,.0f} exchanges/s (at least {LEAST_RATE:,})", rate >= LEAST_RATE))
        if self.recording:
            recorded = self.recording["exchanges"]
            result.append((f"recorded: {recorded:,} of {self.exchanges:,} answered exchanges", recorded >= self.exchanges))
            result.append((f"read again: {self.listed:,} entries", self.listed == recorded))
        return result


def endure(tool: Tool, origin: Nginx) -> Endurance:
    samples: list[tuple[int, int]] = []
    exchanges, seconds = 0, 0.0
    tool.start()
    try:
        if not tool.server:
            raise ServerFailed(f"{tool.name} is no server")
        for _ in range(MAXIMUM_ROUNDS):
            sample = load.request_rate(origin.small_url, tool.authority, ROUND_SECONDS)
            exchanges += sample.requests
            seconds += sample.seconds
            settle()
            samples.append((exchanges, tool.server.resident_kib()))
            progress(f"{exchanges:,} exchanges, resident {samples[-1][1] / 1024:.1f} MiB")
            if exchanges >= EXCHANGES:
                break
        peak = tool.server.peak_resident_kib()
    finally:
        tool.stop()
    files = tool.recordings()
    progress("reading what was recorded")
    listed = sum(count_entries(tool.program, file) for file in files)
    return Endurance(samples, peak, exchanges, seconds, census(files), listed)


def count_entries(program: str, file: Path) -> int:
    """By reading the file as JSON, once and in little memory."""
    listing = subprocess.Popen([program, "convert", str(file), "--to", "ndjson"], stdout=subprocess.PIPE)
    count = sum(block.count(b"\n") for block in iter(lambda: listing.stdout.read(1 << 20), b""))
    if listing.wait():
        raise ServerFailed(f"{file.name} cannot be read")
    return count
