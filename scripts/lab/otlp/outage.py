"""Collectors that are away, slow, busy, failing, or talk nonsense while a recording is under load: its clients must not notice,
its memory must stay bounded, and every span and every exchange must be accounted for.

What clients notice is asked at a fixed rate, at which the machine is not full: at full load the relay's p99 is how long requests
wait for each other. Each manner is compared with a collector that takes everything, in the same round, because p99 varies more
from minute to minute than it may change.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from lab.change import Change
from lab.load import paced_rate, request_rate
from lab.nginx import Nginx
from lab.otlp.collector import Collector
from lab.proxy import Tapeline
from lab.tool import Verdict, progress

MANNERS = ("slow", "busy", "failing", "garbage", "away")
MOST_CHANGE = 0.05
# Requests a second: a tenth of what two cores relay with everything on them.
RATE = 3_000
CONNECTIONS = 16
# Entries and spans that wait, each in at most 16 MiB, and what the allocator keeps of them.
MOST_GROWTH = 64 << 10

LINE = re.compile(
    r"tapeline: (?:(?P<sent>\d+) of )?(?P<made>\d+) spans? of (?P<exchanges>\d+) exchanges? sent to \S+?(?P<rest>,.*|:.*)?$"
)


@dataclass(frozen=True)
class Account:
    """What the last line of a recording says became of its spans."""

    made: int
    sent: int
    rejected: int
    dropped: int
    exchanges: int
    left_out: int

    @property
    def adds_up(self) -> bool:
        return self.made == self.sent + self.rejected + self.dropped


def account(lines: list[str]) -> Account:
    for line in reversed(lines):
        if found := LINE.match(line):
            rest = found["rest"] or ""

            def count(words: str, rest: str = rest) -> int:
                number = re.search(rf"(\d+) {words}", rest)
                return int(number.group(1)) if number else 0

            made = int(found["made"])
            sent = int(found["sent"] or made)
            return Account(
                made, sent, count("rejected"), count("dropped"), int(found["exchanges"]), count(r"exchanges? left out")
            )
    raise SystemExit(f"no line of the export: {lines[-3:]}")


def recorded(proxy: Tapeline) -> int:
    """How many exchanges the last line of the recording names."""
    for line in proxy.log.read_text().splitlines():
        if found := re.match(r"tapeline: ([\d,]+) exchanges?, ", line):
            return int(found.group(1).replace(",", ""))
    raise SystemExit("the recording says nothing")


def under_load(directory: Path, url: str, seconds: float, manner: str) -> tuple[int, int, Account, int]:
    """Returns the p99 in microseconds, KiB of memory, and counts."""
    collector = Collector("taking" if manner == "away" else manner)
    address = collector.url
    if manner == "away":
        collector.stop()
    proxy = Tapeline(directory, ["--otlp", address])
    proxy.start()
    before = proxy.running.resident_kib()
    try:
        sample = paced_rate(url, proxy.authority, seconds, RATE, CONNECTIONS)
        growth = proxy.running.peak_resident_kib() - before
    finally:
        proxy.stop()
        if manner != "away":
            collector.stop()
    if sample.failed or sample.cut or sample.rate < 0.9 * RATE:
        raise SystemExit(f"{sample.failed + sample.cut} requests failed, and {sample.rate:,.0f} came in a second")
    return sample.p99_us, growth, account(proxy.log.read_text().splitlines()), recorded(proxy)


def rounds(directory: Path, url: str, seconds: float, count: int) -> list[Verdict]:
    """Every manner in each round, beside a collector that takes everything. Each round begins with another one."""
    names = ["taking", *MANNERS]
    tails: dict[str, list[int]] = {manner: [] for manner in names}
    growths: list[int] = []
    balanced = True
    for number in range(count):
        for place in range(len(names)):
            manner = names[(number + place) % len(names)]
            folder = directory / f"{number}-{manner}"
            tail, growth, counts, exchanges = under_load(folder, url, seconds, manner)
            shutil.rmtree(folder)
            progress(f"{manner:8} p99 {tail:6} µs, {growth / 1024:5.1f} MiB more, {counts}, {exchanges} exchanges")
            tails[manner].append(tail)
            growths.append(growth)
            balanced &= counts.adds_up and counts.exchanges + counts.left_out == exchanges
    verdicts: list[Verdict] = []
    for manner in MANNERS:
        change = Change.between(tails["taking"], tails[manner])
        middle, usual = statistics.median(tails[manner]), statistics.median(tails["taking"])
        verdicts.append((f"{manner}: p99 {change}, {middle:,.0f} beside {usual:,.0f} µs", change.median < MOST_CHANGE))
    return [
        *verdicts,
        (f"at most {max(growths) / 1024:.0f} MiB more memory", max(growths) <= MOST_GROWTH),
        ("every span and every exchange is accounted for", balanced),
    ]


def outage(directory: Path, url: str, seconds: float) -> list[Verdict]:
    """At full load, the collector is away for most of the time, and comes back before the end."""
    collector = Collector()
    port, address = collector.port, collector.url
    proxy = Tapeline(directory, ["--otlp", address])
    proxy.start()
    before = proxy.running.resident_kib()
    taken: list[Collector] = [collector]

    def meanwhile(act: Callable[[], None]) -> None:
        thread = Thread(target=act)
        thread.start()
        sample = request_rate(url, proxy.authority, seconds + 20)
        thread.join()
        if sample.failed or sample.cut:
            raise SystemExit(f"{sample.failed + sample.cut} requests failed")
        print(f"outage: {sample.requests:,} requests in {sample.seconds:.0f} s, p99 {sample.p99_us:,} µs")

    def act() -> None:
        time.sleep(10)
        collector.stop()
        time.sleep(seconds)
        taken.append(Collector(port=port))

    try:
        meanwhile(act)
        growth = proxy.running.peak_resident_kib() - before
    finally:
        proxy.stop()
        taken[-1].stop()
    counts, exchanges = account(proxy.log.read_text().splitlines()), recorded(proxy)
    arrived = 0
    for each in taken:
        each.count()
        arrived += each.spans
    print(f"outage: {counts}, {exchanges:,} exchanges, {arrived:,} spans arrived, {growth / 1024:.0f} MiB more")
    return [
        (
            f"outage of {seconds:.0f} s: every span and exchange is accounted for",
            counts.adds_up and counts.exchanges + counts.left_out == exchanges,
        ),
        # A batch whose answer was lost with the collector may have come twice.
        ("what was sent arrived", arrived >= counts.sent),
        (f"outage: at most {MOST_GROWTH >> 10} MiB more memory", growth <= MOST_GROWTH),
    ]


def misery(directory: Path, seconds: float, count: int, away: float) -> list[Verdict]:
    # A recording waits half as long for its last spans; a slow collector answers in time.
    os.environ["OTEL_EXPORTER_OTLP_TIMEOUT"] = "4000"
    origin = Nginx(directory / "nginx", large_size=1)
    origin.start()
    try:
        return rounds(directory, origin.small_url, seconds, count) + outage(directory / "outage", origin.small_url, away)
    finally:
        origin.stop()
