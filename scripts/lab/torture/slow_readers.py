"""Bodies of 4 GiB between peers of which one is slow: the proxy holds back the other, and needs next to no memory for it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from lab.nginx import Nginx
from lab.origin import Origin
from lab.proxy import Peak, Tapeline
from lab.torture.scenario import Failed, Run, Scenario
from lab.wire import connect, get, read_head

SIZE = 4 << 30
# This much passes first, slowly too, so that the proxy has all its buffers and has run what it runs: the question is what one
# more body costs.
WARM_UP_SIZE = 64 << 20
MOST_KIB = 1 << 10
# With the defaults the first 1 MiB of a body is kept for the log until its exchange has ended.
KEPT_KIB = 1 << 10
PATIENCE = 30.0
BUFFER = 1 << 20
# Nothing is read for so long, then a little again and again, then all the rest.
PAUSE_SECONDS, SLOW_SECONDS, SLOW_PIECE = 2.0, 3.0, 64 << 10


class Reader:
    """Reads a body: not at all, then slowly, then as fast as it comes."""

    def __init__(self, connection: socket.socket, size: int):
        self.connection = connection
        self.left = size
        self.buffer = memoryview(bytearray(BUFFER))

    def slowly(self) -> None:
        time.sleep(PAUSE_SECONDS)
        until = time.monotonic() + SLOW_SECONDS
        while time.monotonic() < until:
            self.read(SLOW_PIECE)
            time.sleep(0.05)

    def rest(self) -> None:
        while self.left:
            self.read(BUFFER)

    def slowly_then_rest(self) -> None:
        self.slowly()
        self.rest()

    def read(self, most: int) -> None:
        count = self.connection.recv_into(self.buffer, min(most, self.left))
        if not count:
            raise Failed(f"{self.left:,} bytes of the body are missing")
        self.left -= count


def download(run: Run) -> str:
    origin = Nginx(run.directory / "origin", large_size=SIZE)
    try:
        origin.start()
        warm_up = origin.large_file.with_name("warm-up.bin")
        with warm_up.open("wb") as file:
            file.truncate(WARM_UP_SIZE)
        warm_up_url = origin.large_url.replace(origin.large_file.name, warm_up.name)
        fetch(run.proxy, warm_up_url, WARM_UP_SIZE, Reader.slowly_then_rest)
        text = report(run, "read", lambda act: fetch(run.proxy, origin.large_url, SIZE, act))
        recording = Tapeline(run.directory / "recording")
        recording.start()
        try:
            fetch(recording, warm_up_url, WARM_UP_SIZE, Reader.slowly_then_rest)
            return f"{text}; {with_recording(run, recording, origin.large_url)}"
        finally:
            recording.kill()
    finally:
        origin.stop()


def with_recording(run: Run, proxy: Tapeline, url: str) -> str:
    """With the beginning of the body kept for the log. The rest is left to the proxy."""
    time.sleep(0.5)
    peak = Peak(proxy)
    fetch(proxy, url, SIZE, Reader.slowly)
    grown = peak.growth_kib()
    run.figures["recording_kib"] = grown
    text = f"with its beginning recorded {grown:+,} KiB"
    if grown > MOST_KIB + KEPT_KIB and not run.sanitizer:
        raise Failed(text)
    return text


def fetch(proxy: Tapeline, url: str, size: int, read: Callable[[Reader], None]) -> None:
    # Windows that do not grow: else the kernel would hold some MiB of it for us.
    with connect(proxy.address, timeout=PATIENCE, receive_buffer=256 << 10) as client:
        client.sendall(get(url))
        head = read_head(client)
        if b" 200 " not in head or f"Content-Length: {size}".encode() not in head:
            raise Failed(f"the head is {head!r}")
        read(Reader(client, size))


def upload(run: Run) -> str:
    """The same the other way: the origin is slow to take what the client has to give."""

    def handle(connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        head = read_head(connection)
        size = int(next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")).split(b":")[1])
        try:
            acts[0](Reader(connection, size))
        except (Failed, OSError) as error:
            failures.append(str(error))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    acts: list[Callable[[Reader], None]] = [Reader.rest]
    failures: list[str] = []
    origin = Origin(handle)

    def give(size: int, act: Callable[[Reader], None]) -> None:
        acts[0] = act
        with connect(run.proxy.address, timeout=PATIENCE) as client:
            head = f"POST {origin.url('/')} HTTP/1.1\r\nHost: {origin.authority}\r\nContent-Length: {size}\r\n\r\n"
            client.sendall(head.encode())
            piece = bytes(BUFFER)
            for _ in range(size // BUFFER):
                client.sendall(piece)
            answer = client.recv(1 << 16)
        if failures or not answer.startswith(b"HTTP/1.1 200 "):
            raise Failed(f"{failures or answer!r}")

    with origin:
        give(WARM_UP_SIZE, Reader.slowly_then_rest)
        return report(run, "taken", lambda act: give(SIZE, act))


def report(run: Run, verb: str, transfer: Callable[[Callable[[Reader], None]], None]) -> str:
    """Looks at the memory while nothing or little is read, and at the most that it ever was."""
    time.sleep(0.5)
    peak = Peak(run.proxy)
    slow = 0
    seconds = 0.0

    def act(reader: Reader) -> None:
        nonlocal slow, seconds
        reader.slowly()
        slow = peak.growth_kib()
        began = time.monotonic()
        reader.rest()
        seconds = time.monotonic() - began

    transfer(act)
    whole = peak.growth_kib()
    run.figures.update(size=SIZE, slow_kib=slow, peak_kib=whole, rest_seconds=round(seconds, 2))
    text = f"4 GiB {verb} slowly: at most {slow:+,} KiB; then the rest in {seconds:.1f} s: {whole:+,} KiB"
    if max(slow, whole) > MOST_KIB and not run.sanitizer:
        raise Failed(text)
    return text


SCENARIOS = [
    Scenario("slow-reader", "a client that reads 4 GiB slowly", download, options=("--bodies", "none"), heavy=True),
    Scenario("slow-origin", "an origin that takes 4 GiB slowly", upload, options=("--bodies", "none"), heavy=True),
]
