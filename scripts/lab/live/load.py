"""What readers cost the proxy: its rate with one that reads everything, its memory with some that read nothing."""

from __future__ import annotations

import contextlib
import shutil
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.live.browsers import Browser
from lab.live.page import list_height, open_bare, open_live, scrolling
from lab.load import Sample, paced_rate, request_rate
from lab.proxy import Peak, Tapeline
from lab.tool import progress
from lab.wire import connect

# As many as the proxy serves at once.
STOPPED = 16
# The name of the page's thread in the proxy, as far as the kernel keeps it.
PAGE_THREAD = "tapeline-live"
# Whether there is a reader in each stretch of a round: a machine that becomes slower or faster in the meantime favours neither.
ORDER = (False, True, True, False, True, False, False, True)
# Of a round of scrolling, in seconds.
LOOK = 5


def subscribe(proxy: Tapeline) -> socket.socket:
    connection = connect(proxy.address, timeout=1)
    connection.sendall(f"GET /live/events{proxy.live_query()} HTTP/1.1\r\nHost: {proxy.authority}\r\n\r\n".encode())
    return connection


@dataclass
class Reader:
    """What a reader has taken: bytes of events, and seconds of a processor for that."""

    taken: int = 0
    seconds: float = 0


@contextlib.contextmanager
def reading(proxy: Tapeline) -> Iterator[Reader]:
    """Takes the events as fast as they come, and looks at none of them."""
    stop = threading.Event()
    reader = Reader()

    def take() -> None:
        room = bytearray(1 << 18)
        with subscribe(proxy) as connection:
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    count = connection.recv_into(room)
                    if not count:
                        break
                    reader.taken += count
        reader.seconds = time.thread_time()

    thread = threading.Thread(target=take)
    thread.start()
    try:
        yield reader
    finally:
        stop.set()
        thread.join()


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


@dataclass
class Stretch:
    """Some seconds of full load: the rate, and the seconds of a processor and the turns of the page's thread."""

    rate: float
    page: float
    turns: int
    reader: Reader


def stretch(proxy: Tapeline, url: str, seconds: float, is_read: bool) -> Stretch:
    with reading(proxy) if is_read else contextlib.nullcontext(Reader()) as reader:
        before = page_use(proxy)
        rate = checked(request_rate(url, proxy.authority, seconds)).rate
        after = page_use(proxy)
    return Stretch(rate, after[0] - before[0], after[1] - before[1], reader)


def page_use(proxy: Tapeline) -> tuple[float, int]:
    """Seconds of a processor that the page's thread has used, and how often it had its turn (proc(5), schedstat)."""
    for task in Path(f"/proc/{proxy.running.process.pid}/task").iterdir():
        if (task / "comm").read_text().strip() == PAGE_THREAD:
            used, _, turns = (task / "schedstat").read_text().split()
            return int(used) / 1e9, int(turns)
    return 0, 0


def share(directory: Path, url: str, seconds: float, rounds: int) -> dict[str, float]:
    """The rate with a reader at full load, of that without: the median of rounds, each of which is one recording.

    `noise` is how far two pairs of stretches without a reader are apart, the median of rounds: no difference smaller than that
    can be seen in one round.
    """
    shares, noise = [], []
    stretches: dict[bool, list[Stretch]] = {False: [], True: []}
    for number in range(rounds):
        place = directory / f"load-{number}"
        found: dict[bool, list[Stretch]] = {False: [], True: []}
        with recording(place) as proxy:
            checked(request_rate(url, proxy.authority, 1))
            for usually in ORDER:
                # In every second round the other way round.
                is_read = usually is (number % 2 == 0)
                found[is_read].append(stretch(proxy, url, seconds, is_read))
        # What it has written would be written to the disk during the next round.
        shutil.rmtree(place)
        alone = [one.rate for one in found[False]]
        shares.append(sum(one.rate for one in found[True]) / sum(alone))
        noise.append(abs(1 - (alone[0] + alone[3]) / (alone[1] + alone[2])))
        for is_read, some in found.items():
            stretches[is_read] += some
    rates = {is_read: statistics.mean(one.rate for one in some) for is_read, some in stretches.items()}
    read = stretches[True]
    page, turns = (statistics.mean(values) / seconds for values in ([one.page for one in read], [one.turns for one in read]))
    reader = statistics.mean(one.reader.seconds for one in read) / seconds
    taken = statistics.mean(one.reader.taken for one in read) / seconds
    progress(f"shares {listed(shares)}; differences without a reader {listed(noise)}")
    progress(f"on average {rates[False]:,.0f} requests/s without a reader, {rates[True]:,.0f} with one")
    progress(f"of one processor the page takes {page:.4f} in {turns:.0f} turns/s, the reader {reader:.4f} ({taken:,.0f} B/s)")
    return {
        "alone": rates[False],
        "read": rates[True],
        "share": statistics.median(shares),
        "noise": statistics.median(noise),
        "pageProcessor": page,
        "readerProcessor": reader,
    }


def listed(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


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
class Scrolled:
    """Requests a second; frames a second of the page, the median of some looks; its MiB at most."""

    rate: float
    frames: float
    memory: float


@dataclass
class Flood:
    """Requests a second without the page; the page; rows and nothing else, in as much room."""

    alone: float
    page: Scrolled
    bare: Scrolled


def flood(kind: type[Browser], directory: Path, url: str, rate: float, seconds: float) -> Flood:
    some = min(seconds, 15)
    with recording(directory / f"flood-{kind.name}-alone") as proxy:
        alone = checked(paced_rate(url, proxy.authority, some, rate)).rate
    with recording(directory / f"flood-{kind.name}") as proxy, kind() as browser:
        open_live(browser, proxy)
        page = scrolled(browser, proxy, url, rate, seconds)
        height = list_height(browser)
    with recording(directory / f"flood-{kind.name}-bare") as proxy, kind() as browser:
        open_bare(browser, directory, height)
        return Flood(alone, page, scrolled(browser, proxy, url, rate, some))


def scrolled(browser: Browser, proxy: Tapeline, url: str, rate: float, seconds: float) -> Scrolled:
    """Scrolls the page under load."""
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
    return Scrolled(checked(samples[0]).rate, statistics.median(frames[:-1]), memory)
