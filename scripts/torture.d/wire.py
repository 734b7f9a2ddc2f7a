"""Sockets without a library between the octets and the test."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Response:
    """What came: `complete` if its framing says that nothing is missing. A status of 0: nothing came."""

    status: int
    head: bytes
    body: bytes
    complete: bool


def connect(address: tuple[str, int], timeout: float = 10, receive_buffer: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receive_buffer:
        # Before connecting, or the window has been offered already.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(timeout)
    connection.connect(address)
    return connection


def reset(connection: socket.socket) -> None:
    """Ends a connection with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def get(url: str, close: bool = True) -> bytes:
    """A request as a proxy gets it."""
    authority = url.split("/")[2]
    end = "Connection: close\r\n\r\n" if close else "\r\n"
    return f"GET {url} HTTP/1.1\r\nHost: {authority}\r\n{end}".encode()


def read_response(connection: socket.socket) -> Response:
    """The next final response, framed by length, by chunks or by the end of the connection."""
    with connection.makefile("rb") as stream:
        while True:
            head = b""
            for line in stream:
                head += line
                if line == b"\r\n":
                    break
            if not head.endswith(b"\r\n\r\n"):
                return Response(0, head, b"", False)
            status = int(head.split(b" ", 2)[1])
            if status >= 200:
                break
        fields = [line.lower().partition(b":")[::2] for line in head.split(b"\r\n")[1:-2]]
        length = next((int(value) for name, value in fields if name == b"content-length"), None)
        if any(name == b"transfer-encoding" for name, _ in fields):
            body, complete = _read_chunks(stream)
            return Response(status, head, body, complete)
        body = stream.read() if length is None else stream.read(length)
        return Response(status, head, body, length is None or len(body) == length)


def _read_chunks(stream) -> tuple[bytes, bool]:
    body = b""
    while line := stream.readline():
        size = int(line.split(b";")[0], 16)
        if not size:
            break
        chunk = stream.read(size + 2)
        body += chunk[:size]
        if len(chunk) < size + 2:
            return body, False
    while line := stream.readline():
        if line == b"\r\n":
            return body, True
    return body, False


class Origin:
    """A listener on loopback with a thread for each connection, which `handler` may treat as it likes."""

    def __init__(self, handler: Callable[[socket.socket], None], backlog: int = 1024):
        self._handler = handler
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server((HOST, 0), backlog=backlog)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://{HOST}:{self.port}{path}"

    def close(self) -> None:
        # Closing alone does not wake the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._handler(connection)
        except OSError:
            # The proxy may end its connections at any time.
            pass
        finally:
            with self._lock:
                self._open.discard(connection)


def answering(body: bytes) -> Callable[[socket.socket], None]:
    """A handler that answers any number of requests without bodies by this one."""

    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    def handle(connection: socket.socket) -> None:
        received = b""
        while octets := connection.recv(1 << 16):
            received += octets
            while b"\r\n\r\n" in received:
                _, _, received = received.partition(b"\r\n\r\n")
                connection.sendall(response)

    return handle
