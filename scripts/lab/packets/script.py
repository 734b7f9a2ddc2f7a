"""The traffic that is recorded and captured: an origin that answers as the path says, with pauses, and clients that ask for it.

Both write the keys of their TLS connections down. Clients have an address of the run's own, by which their packets are known."""

from __future__ import annotations

import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.certificates import Certificates
from lab.http2.endpoint import Endpoint, Stream
from lab.origin import Exchange, Origin, serving
from lab.process import ServerFailed
from lab.wire import HOST, connect_request, loopback_address, read_head, read_response

EXCHANGES_EACH = 10
STREAMS_AT_ONCE = 3
PATIENCE = 30.0
LONGEST_PAUSE_US = 900
SIZES = (1, 200, 1_000, 4_000)


@dataclass(frozen=True)
class Protocol:
    """As it is spoken on both legs."""

    name: str
    is_secure: bool
    is_multiplexed: bool

    @property
    def alpn(self) -> str:
        return "h2" if self.is_multiplexed else "http/1.1"


PROTOCOLS = {
    "http1": Protocol("HTTP/1.1", False, False),
    "http1-tls": Protocol("HTTP/1.1 over TLS", True, False),
    "http2": Protocol("HTTP/2", False, True),
    "http2-tls": Protocol("HTTP/2 over TLS", True, True),
}


@dataclass(frozen=True)
class Plan:
    """One exchange. The origin pauses before the head, before the body, and in the middle of the body, for microseconds. The
    client pauses behind the handshake of TLS, if this is the first exchange of its connection."""

    number: int
    upload: int
    pauses: tuple[int, int, int]
    size: int
    client_pause: int = 0

    @property
    def path(self) -> str:
        return f"/exchange/{self.number}/{'/'.join(map(str, self.pauses))}/{self.size}"


def plan(number: int) -> Plan:
    draw = random.Random(f"packets {number}")
    pauses = draw.randrange(LONGEST_PAUSE_US), draw.randrange(LONGEST_PAUSE_US), draw.randrange(LONGEST_PAUSE_US)
    upload, size = draw.choice((0, 0, *SIZES)), draw.choice(SIZES)
    # A request right behind the handshake comes in the same read, and hides when the handshake ended.
    return Plan(number, upload, pauses, size, draw.choice((0, draw.randrange(LONGEST_PAUSE_US))))


def played(path: str) -> tuple[list[float], list[bytes]]:
    """What a path tells the origin: the pauses in seconds, and the parts of the body."""
    *pauses, size = map(int, path.split("/")[3:])
    body = b"x" * size
    return [pause / 1e6 for pause in pauses], [body[: size // 2], body[size // 2 :]]


class ScriptedOrigin(Origin):
    """Plays what paths say, or what `handler` does."""

    def __init__(
        self, protocol: Protocol, certificates: Certificates, keys: Path, handler: Callable[[socket.socket], None] | None = None
    ):
        context = None
        if protocol.is_secure:
            context = certificates.server_context()
            context.set_alpn_protocols([protocol.alpn])
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.keylog_filename = str(keys)
        super().__init__(handler or (_serve_streams if protocol.is_multiplexed else serving(_answer)), context)


def _answer(exchange: Exchange) -> bool:
    pauses, parts = played(exchange.url.path)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {sum(map(len, parts))}\r\n\r\n".encode()
    for pause, piece in zip(pauses, [head, *parts]):
        time.sleep(pause)
        exchange.send(piece)
    return True


def _serve_streams(connection: socket.socket) -> None:
    endpoint = Endpoint(connection, is_client=False)

    def answer(stream: Stream) -> None:
        if not stream.is_complete:
            return
        (first, second, third), (part, rest) = played(stream.value(":path"))
        time.sleep(first)
        endpoint.peer.head(stream.number, [(":status", "200"), ("content-type", "text/plain")], end=False)
        time.sleep(second)
        endpoint.peer.data(part, stream.number)
        time.sleep(third)
        endpoint.peer.data(rest, stream.number, end=True)

    if endpoint.begin():
        endpoint.run(answer, lambda: False, PATIENCE)


class Clients:
    """So many at once, each with one connection after the other, through the proxy."""

    def __init__(self, protocol: Protocol, proxy: tuple[str, int], origin: int, roots: Path, keys: Path):
        self.host = loopback_address()
        self.protocol = protocol
        self.proxy = proxy
        self.authority = f"{HOST}:{origin}"
        self.context = ssl.create_default_context(cafile=str(roots))
        self.context.set_alpn_protocols([protocol.alpn])
        self.context.keylog_filename = str(keys)
        self._numbers: Iterator[int] = iter(())
        self._lock = threading.Lock()
        self._problems: list[str] = []

    def run(self, numbers: range, at_once: int) -> None:
        self._numbers = iter(numbers)
        threads = [threading.Thread(target=self._work) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._problems:
            raise ServerFailed("; ".join(self._problems[:3]))

    def _work(self) -> None:
        while not self._problems:
            with self._lock:
                plans = [plan(number) for _, number in zip(range(EXCHANGES_EACH), self._numbers)]
            if not plans:
                return
            try:
                with self.connect() as connection:
                    if self.protocol.is_secure and plans[0].client_pause:
                        time.sleep(plans[0].client_pause / 1e6)
                    (self._streams if self.protocol.is_multiplexed else self._exchanges)(connection, plans)
            except (OSError, ServerFailed) as error:
                self._problems.append(f"{self.protocol.name}, exchange {plans[0].number}: {error!r}")

    def connect(self) -> socket.socket:
        connection = socket.create_connection(self.proxy, PATIENCE, source_address=(self.host, 0))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self.protocol.is_secure and not self.protocol.is_multiplexed:
            return connection
        connection.sendall(connect_request(self.authority))
        head = read_head(connection)
        if b" 200 " not in head:
            raise ServerFailed(f"CONNECT was answered with {head!r}")
        return self.context.wrap_socket(connection, server_hostname=HOST) if self.protocol.is_secure else connection

    def _exchanges(self, connection: socket.socket, plans: list[Plan]) -> None:
        for each in plans:
            target = each.path if self.protocol.is_secure else f"http://{self.authority}{each.path}"
            method, framing = ("POST", f"Content-Length: {each.upload}\r\n") if each.upload else ("GET", "")
            connection.sendall(f"{method} {target} HTTP/1.1\r\nHost: {self.authority}\r\n{framing}\r\n".encode())
            if each.upload:
                connection.sendall(b"u" * each.upload)
            response = read_response(connection, method)
            self._check(each, str(response.status), len(response.body))

    def _streams(self, connection: socket.socket, plans: list[Plan]) -> None:
        endpoint = Endpoint(connection, authority=self.authority)
        endpoint.peer.scheme = "https" if self.protocol.is_secure else "http"
        endpoint.begin()
        for first in range(0, len(plans), STREAMS_AT_ONCE):
            running = {self._open(endpoint, each): each for each in plans[first : first + STREAMS_AT_ONCE]}
            streams = [endpoint.streams[number] for number in running]
            endpoint.run(lambda _: None, lambda streams=streams: all(stream.is_over for stream in streams), PATIENCE)
            for stream in streams:
                self._check(running[stream.number], stream.value(":status"), len(stream.content))

    def _open(self, endpoint: Endpoint, each: Plan) -> int:
        method = "POST" if each.upload else "GET"
        fields = endpoint.peer.fields(method=method, path=each.path)
        return endpoint.open(fields, b"u" * each.upload or None).number

    def _check(self, each: Plan, status: str, size: int) -> None:
        if (status, size) != ("200", each.size):
            raise ServerFailed(f"{each.path} was answered with status {status} and {size} bytes")
