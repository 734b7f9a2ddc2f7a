"""What several scenarios share: an origin that tells what it has come to, tunnels, and a response to compare with."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable

from lab.origin import Origin
from lab.torture.scenario import Failed, Run
from lab.wire import HOST, connect, connect_request, read_head

PATIENCE = 10.0
BODY = b"An answer that comes whole.\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = OK + b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Failed(otherwise)


class Stage(Origin):
    """An origin that does `act` when the first bytes have come, or `always`, and tells when it has, and when its connection has
    ended."""

    def __init__(self, act: Callable[[socket.socket], None], context: ssl.SSLContext | None = None, always: bool = False):
        self.act = act
        self.always = always
        self.reached = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)
        super().__init__(self.handle, context)

    def handle(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        try:
            if not connection.recv(1 << 16):
                return
            self.act(connection)
            self.reached.release()
            while connection.recv(1 << 16):
                if self.always:
                    self.act(connection)
                    self.reached.release()
        finally:
            connection.close()
            self.ended.release()

    def wait_until_reached(self) -> None:
        expect(self.reached.acquire(timeout=PATIENCE), "the origin was not asked")


def nothing(connection: socket.socket) -> None:
    pass


def sending(data: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(data)


def tunnel(run: Run, port: int, host: str = HOST) -> socket.socket:
    client = connect(run.proxy.address, timeout=PATIENCE)
    client.sendall(connect_request(f"{host}:{port}"))
    head = read_head(client)
    expect(b" 200 " in head, f"CONNECT was answered with {head!r}")
    return client
