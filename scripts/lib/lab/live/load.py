"""What readers cost the proxy: its rate with one that reads everything, its memory with some that read nothing."""

from __future__ import annotations

import contextlib
import socket
import statistics
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.live.browsers import Browser
from lab.live.page import open_live, scrolling
from lab.load import Sample, paced_rate, request_rate
from lab.proxy import Peak, Tapeline
from lab.run import progress
from lab.wire import connect

# As many as the proxy serves at once.
STOPPED = 16
# Of a round of scrolling, in seconds.
LOOK = 5


def subscribe(proxy: Tapeline) -> socket.socket:
    connection = connect(proxy.address, timeout=1)
    connection.sendall(f"GET /live/events HTTP/1.1\r\nHost: {proxy.authority}\r\n\r\n".encode())
    return connection


@contextlib.contextmanager
def reading(proxy: Tapeline) -> Iterator[None]:
    """Takes the events as fast as they come, and looks at none of them."""
    stop = threading.Event()

    def take() -> None:
        with subscribe(proxy) as connection:
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(1 << 18):
                        return

    reader = threading.Thread(target=take)
    reader.start()
    try:
        yield
    finally:
        stop.set()
        reader.join()


@contextlib.contextmanager
def recording(directory: Path) -> Iterator[Tapeline]:
    proxy = Tapeline(directory)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()


def checked(sample: Sample) -> Sample:
    if sample.failed or sample.cut:
        raise SystemExit(f"{sample.failed + sample.cut} requests failed")
    return sample


def share(directory: Path, url: str, seconds: float, rounds: int) -> dict[str, float]:
    """The rate with a reader at full load, of that without: the median of rounds, each of which has both."""
    rates: dict[bool, list[float]] = {False: [], True: []}
    shares = []
    for number in range(rounds):
        # Which is first alternates, so that a machine that becomes slower or faster favours neither.
        for is_read in (False, True) if number % 2 else (True, False):
            with recording(directory / f"{number}-{is_read}") as proxy, reading(proxy) if is_read else contextlib.nullcontext():
                rates[is_read].append(checked(request_rate(url, proxy.authority, seconds)).rate)
        shares.append(rates[True][-1] / rates[False][-1])
    alone, read = (statistics.median(rates[is_read]) for is_read in (False, True))
    progress(f"{alone:,.0f} requests/s alone, {read:,.0f} with a reader; shares {', '.join(f'{one:.3f}' for one in shares)}")
    return {"alone": alone, "read": read, "share": statistics.median(shares)}


def stopped(directory: Path, url: str, seconds: float) -> float:
    """MiB of the proxy for each reader that takes nothing, under load."""
    growth = []
    for count in (0, STOPPED):
        with recording(directory / f"stopped-{count}") as proxy, contextlib.ExitStack() as stack:
            # What the load itself takes is taken before.
            checked(request_rate(url, proxy.authority, seconds))
            peak = Peak(proxy)
            for _ in range(count):
                stack.enter_context(subscribe(proxy))
            checked(request_rate(url, proxy.authority, seconds))
            growth.append(peak.growth_kib())
    progress(f"{growth[0]} KiB more under load, {growth[1]} KiB with {STOPPED} readers that read nothing")
    return (growth[1] - growth[0]) / STOPPED / 1024


@dataclass
class Flood:
    """Requests a second without the page, and with it; frames a second of the page, the least of some looks; its MiB at most."""

    alone: float
    watched: float
    frames: float
    memory: float


def flood(browser: Browser, directory: Path, url: str, rate: float, seconds: float) -> Flood:
    with recording(directory / f"flood-{browser.name}-alone") as proxy:
        alone = checked(paced_rate(url, proxy.authority, min(seconds, 15), rate)).rate
    with recording(directory / f"flood-{browser.name}") as proxy:
        open_live(browser, proxy)
        samples: list[Sample] = []
        load = threading.Thread(target=lambda: samples.append(paced_rate(url, proxy.authority, seconds, rate)))
        load.start()
        frames, memory = [], 0.0
        while load.is_alive():
            frames.append(scrolling(browser, LOOK))
            memory = max(memory, browser.page_kib() / 1024)
        load.join()
        if not samples:
            raise SystemExit("the load did not run")
        progress(f"{browser.name}: frames a second {', '.join(f'{one:.0f}' for one in frames)}")
        # The last look has seen the end of the load.
        return Flood(alone, checked(samples[0]).rate, statistics.median(frames[:-1]), memory)
