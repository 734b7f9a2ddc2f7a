"""A thousand clients that are slow on purpose, while a normal one is served: the normal one must not notice."""

from __future__ import annotations

import statistics
from collections import Counter
from urllib.parse import urlsplit

from lab.load import moderate_latencies, percentile
from lab.nginx import Nginx
from lab.torture.drip import Drip, Dropped, Slow
from lab.torture.scenario import Failed, Run, Scenario

CONNECTIONS = 1000
HEADER_SECONDS = 4
# Each connection moves this often, well within every time-out for silence.
PERIOD_SECONDS = 1.0
# Opened over as long as a head may take, they are given up, and opened anew, all the time.
RAMP_SECONDS = HEADER_SECONDS
# Each second of normal traffic has its own p99, and their medians are compared: what else happens on the machine spoils some.
SECONDS, ROUNDS = 6, 3
WORST_CHANGE = 0.2
# How long after its time-out a head may be given up: until the next byte is due, and the machine's mood.
LATE_SECONDS = 3


def slow_clients(proxy: tuple[str, int], origin: Nginx, count: int) -> list[Slow]:
    """Eight of ten never end a head, one never ends a body, one hardly reads its response."""
    sink, nginx = urlsplit(origin.upload_url).netloc, urlsplit(origin.large_url).netloc
    head = Slow(proxy, f"GET {origin.small_url} HTTP/1.1\r\nHost: {nginx}\r\nX-Slow: ".encode(), b"a")
    body = Slow(proxy, f"POST {origin.upload_url} HTTP/1.1\r\nHost: {sink}\r\nContent-Length: 100000\r\n\r\n".encode(), b"b")
    reader = Slow(proxy, f"GET {origin.large_url} HTTP/1.1\r\nHost: {nginx}\r\n\r\n".encode(), b"")
    kinds = [head] * 8 + [body, reader]
    return [Slow(proxy, kinds[number % 10].opening, kinds[number % 10].byte) for number in range(count)]


def run(run: Run) -> str:
    origin = Nginx(run.directory / "origin", large_size=64 << 20)
    try:
        origin.start()
        return compare(run, origin)
    finally:
        origin.stop()


def compare(run: Run, origin: Nginx) -> str:
    """With and without in alternation, so that a change of the machine's mood falls on both."""
    drip = Drip(slow_clients(run.proxy.address, origin, CONNECTIONS), PERIOD_SECONDS, RAMP_SECONDS)
    alone, beside, dropped = list[Counter[int]](), list[Counter[int]](), list[Dropped]()
    for _ in range(ROUNDS):
        alone += [moderate_latencies(origin.small_url, run.proxy.authority, 1) for _ in range(SECONDS)]
        with drip:
            beside += [moderate_latencies(origin.small_url, run.proxy.authority, 1) for _ in range(SECONDS)]
        dropped += drip.dropped
    check_dropped(dropped)
    p50, p99 = (
        [statistics.median(percentile(each, share) for each in side) for side in (alone, beside)] for share in (0.5, 0.99)
    )
    change = p99[1] / p99[0] - 1
    requests = [sum(map(Counter.total, side)) for side in (alone, beside)]
    run.figures.update(connections=CONNECTIONS, dropped=len(dropped), p50_us=p50, p99_us=p99, requests=requests)
    text = (
        f"{CONNECTIONS:,} slow connections: p50 {p50[0]:.0f} µs without, {p50[1]:.0f} with; p99 {p99[0]:.0f} and {p99[1]:.0f}"
        f" ({change * 100:+.0f} %); {len(dropped):,} heads given up in time"
    )
    if change >= WORST_CHANGE and not run.sanitizer:
        raise Failed(text)
    return text


def check_dropped(dropped: list[Dropped]) -> None:
    """Slow heads, and only they, end by their time-out, although each byte came in time."""
    early = [drop for drop in dropped if drop.seconds < HEADER_SECONDS]
    late = [drop for drop in dropped if drop.seconds > HEADER_SECONDS + LATE_SECONDS]
    if early or late:
        raise Failed(
            f"slow connections ended after {min(d.seconds for d in dropped):.1f} to {max(d.seconds for d in dropped):.1f} s"
        )
    for drop in dropped:
        if not drop.slow.opening.endswith(b"X-Slow: ") or b" 408 " not in drop.answer.split(b"\r\n")[0]:
            raise Failed(f"ended with {drop.answer[:80]!r}: {drop.slow.opening!r}")
    if len(dropped) < CONNECTIONS:
        raise Failed(f"only {len(dropped)} slow heads were given up")


SCENARIOS = [
    Scenario(
        "slowloris", "1,000 connections that drip heads, bodies or read a byte a second, beside normal traffic", run,
        options=("--header-timeout", f"{HEADER_SECONDS}s"), heavy=True, grows_kib=16 << 10),
]  # fmt: skip
