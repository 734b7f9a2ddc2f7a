"""Origins that never stop, or announce what nobody can hold: memory is bounded, and the client learns that it went wrong."""

from __future__ import annotations

import gzip
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from lab.origin import Origin
from lab.proxy import Peak
from lab.torture.scenario import Failed, Run, Scenario
from lab.torture.stage import CHUNKED, OK, PATIENCE
from lab.wire import connect, get, read_response, reset

PIECE = 16 << 10
# For one flood the proxy may need two channels' queues, a captured body on its way to the log, and what the allocator keeps.
MOST_KIB = 12 << 10
# The recorder unpacks at most 16 times of what it keeps of a body (`--max-body`), makes JSON of it, and writes that in one piece.
BOMB_MOST_KIB = 256 << 10
UNPACKED_BOMB = 512 << 20
SANITIZER_SLOWDOWN = 6
READ_BEFORE_LEAVING = 1 << 20


@dataclass(frozen=True)
class Flood:
    """`opening` once, then `piece` for ever; `statuses` are what a client may be told, 0 for a connection that just ends."""

    name: str
    opening: bytes
    piece: bytes
    statuses: tuple[int, ...]


FLOODS = [
    Flood("response head of one line", b"HTTP/1.1 200 ", b"a" * PIECE, (502,)),
    Flood("response head of one field", OK + b"X: ", b"a" * PIECE, (502,)),
    Flood("response head of many fields", OK, b"X-Field: value\r\n" * (PIECE // 16), (502,)),
    Flood("spaces before the status line", b"", b"\r\n" * (PIECE // 2), (502,)),
    Flood("interim responses", b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * (PIECE // 41), (502, 0)),
    Flood("interim responses of 100", b"", b"HTTP/1.1 100 Continue\r\n\r\n" * (PIECE // 25), (502, 0)),
    Flood("chunk size", CHUNKED, b"0" * PIECE, (502, 200)),
    Flood("chunk extension", CHUNKED + b"5;", b"a" * PIECE, (502, 200)),
    Flood("trailer field", CHUNKED + b"0\r\nX: ", b"a" * PIECE, (502, 200)),
    Flood("trailer fields", CHUNKED + b"0\r\n", b"X-Field: value\r\n" * (PIECE // 16), (502, 200)),
    Flood("chunk of 2^64 - 1", CHUNKED + b"ffffffffffffffff\r\n", b"a" * PIECE, (502, 200)),
    Flood("chunk of 2^64 + 1", CHUNKED + b"10000000000000001\r\n", b"a" * PIECE, (502, 200)),
    Flood("length of 2^64", OK + b"Content-Length: 18446744073709551616\r\n\r\n", b"a" * PIECE, (502,)),
]  # fmt: skip


class Flooding(Origin):
    """An origin that answers with a flood until the proxy hangs up, and counts what it could send."""

    def __init__(self, opening: bytes, piece: bytes):
        self.opening = opening
        self.piece = piece
        self.sent = 0
        self.stopped = threading.Event()
        super().__init__(self.handle)

    def handle(self, connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.settimeout(PATIENCE)
        try:
            connection.sendall(self.opening)
            while True:
                self.sent += connection.send(self.piece)
        finally:
            self.stopped.set()


def floods(run: Run) -> str:
    highest = 0
    for flood in FLOODS:
        peak = Peak(run.proxy)
        with Flooding(flood.opening, flood.piece) as flooding:
            with connect(run.proxy.address, timeout=PATIENCE) as client:
                client.sendall(get(flooding.url("/flood")))
                ended = drain(client, flood.name)
            if not flooding.stopped.wait(PATIENCE):
                raise Failed(f"{flood.name}: the origin is still listened to")
        if ended.status not in flood.statuses:
            raise Failed(f"{flood.name}: answered with {ended.status}")
        if ended.status == 200 and ended.looks_whole:
            raise Failed(f"{flood.name}: the client was made to believe that it got all")
        grown = peak.growth_kib()
        run.figures[flood.name] = {"grown_kib": grown, "status": ended.status, "sent": flooding.sent}
        if grown > MOST_KIB and not run.sanitizer:
            raise Failed(f"{flood.name}: {grown:,} KiB of memory")
        highest = max(highest, grown)
    return f"{len(FLOODS)} floods refused, at most {highest:,} KiB"


@dataclass(frozen=True)
class Ended:
    status: int
    looks_whole: bool


def drain(client: socket.socket, name: str) -> Ended:
    """Reads until the proxy ends the connection, which must not take for ever."""
    deadline = time.monotonic() + PATIENCE
    status, window = 0, b""
    try:
        while data := client.recv(1 << 16):
            window = (window + data)[-(1 << 17) :]
            status = status or final_status(window)
            if time.monotonic() > deadline:
                raise Failed(f"{name}: {PATIENCE:.0f} s later the flood still goes on")
    except ConnectionResetError:
        pass
    except TimeoutError as error:
        raise Failed(f"{name}: {PATIENCE:.0f} s later there is neither an answer nor an end") from error
    return Ended(status, window.endswith(b"0\r\n\r\n"))


def final_status(data: bytes) -> int:
    """Of the first response that is no interim one."""
    found = re.search(rb"^HTTP/1\.1 ([2-5]\d\d)", data, re.MULTILINE)
    return int(found[1]) if found else 0


def gone_client(run: Run) -> str:
    """A client that leaves an endless body behind: the origin is hung up on, whatever way the client went."""
    ways: list[tuple[str, Callable[[socket.socket], None]]] = [("FIN", socket.socket.close), ("RST", reset)]
    for opening in (OK + b"\r\n", CHUNKED + b"fffffffffffff\r\n", OK + b"Content-Length: 1000000000000000\r\n\r\n"):
        for way, leave in ways:
            peak = Peak(run.proxy)
            with Flooding(opening, b"a" * PIECE) as flooding:
                client = connect(run.proxy.address, timeout=PATIENCE)
                client.sendall(get(flooding.url("/endless")))
                received = 0
                while received < READ_BEFORE_LEAVING:
                    if not (data := client.recv(1 << 16)):
                        raise Failed(f"the endless body ended after {received:,} bytes")
                    received += len(data)
                leave(client)
                if not flooding.stopped.wait(PATIENCE):
                    raise Failed(f"the client left with {way}, and the origin is still listened to")
            if peak.growth_kib() > MOST_KIB and not run.sanitizer:
                raise Failed(f"{peak.growth_kib():,} KiB of memory for a body that nobody reads")
    return "6 endless bodies were left, and their origins hung up on"


def bomb(run: Run) -> str:
    """What unpacks to much more than it is: relayed as it came, recorded within the bounds of a body."""
    packed = gzip.compress(bytes(UNPACKED_BOMB // 16), 6)
    # Members of a gzip stream follow one another.
    bodies = {"gzip": packed * 16, "gzip, gzip": gzip.compress(packed * 16)}
    highest = 0
    for coding, body in bodies.items():

        def handle(connection: socket.socket, coding: str = coding, body: bytes = body) -> None:
            connection.recv(1 << 16)
            connection.sendall(OK + f"Content-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

        peak = Peak(run.proxy)
        with Origin(handle) as origin, connect(run.proxy.address, timeout=PATIENCE) as client:
            client.sendall(get(origin.url("/bomb")))
            if (response := read_response(client)).body != body or response.status != 200:
                raise Failed(f"{coding}: {len(response.body)} of {len(body)} bytes were relayed")
        wait_until_recorded(run)
        grown = peak.growth_kib()
        run.figures[coding] = {"bytes": len(body), "grown_kib": grown}
        highest = max(highest, grown)
        if grown > BOMB_MOST_KIB and not run.sanitizer:
            raise Failed(f"{coding}: {grown:,} KiB of memory for a body of {len(body):,} bytes")
    return (
        f"{UNPACKED_BOMB >> 20} MiB in {len(bodies['gzip']):,} and {len(bodies['gzip, gzip']):,} bytes: at most {highest:,} KiB"
    )


def wait_until_recorded(run: Run) -> None:
    deadline = time.monotonic() + PATIENCE * (SANITIZER_SLOWDOWN if run.sanitizer else 1)
    while run.proxy.metrics()["tapeline_recorder_queue_exchanges"]:
        if time.monotonic() > deadline:
            raise Failed("the recorder does not get done")


SCENARIOS = [
    Scenario("floods", "origins whose heads, chunk sizes, extensions, trailers or interim responses never end", floods),
    Scenario("gone-clients", "endless bodies whose clients leave", gone_client),
    Scenario("gzip-bomb", f"{UNPACKED_BOMB >> 20} MiB, compressed once and twice", bomb),
]
