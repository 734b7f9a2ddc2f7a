"""Sockets without a library between the bytes and the tool; and, for peers that speak correct HTTP, h11 as the reader."""

from __future__ import annotations

import random
import socket
import struct

import h11

HOST = "127.0.0.1"
PIECE = 1 << 16
# Of a head, for h11.
HEAD_LIMIT = 1 << 20


def loopback_address() -> str:
    """Of one run alone; always of one length, so that what depends on it is repeated wherever it is."""
    draw = random.SystemRandom()
    return f"127.{draw.randint(100, 199)}.{draw.randint(100, 199)}.{draw.randint(100, 199)}"


def connect(address: tuple[str, int], timeout: float = 10, receive_buffer: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receive_buffer:
        # Before connecting, or the window has been offered already.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(timeout)
    connection.connect(address)
    return connection


def reset_on_close(connection: socket.socket) -> None:
    """The next `close` of the connection sends RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset(connection: socket.socket) -> None:
    """Ends a connection with RST."""
    reset_on_close(connection)
    connection.close()


def get(url: str, close: bool = True) -> bytes:
    """A request as a proxy gets it."""
    authority = url.split("/")[2]
    end = "Connection: close\r\n\r\n" if close else "\r\n"
    return f"GET {url} HTTP/1.1\r\nHost: {authority}\r\n{end}".encode()


def connect_request(authority: str) -> bytes:
    return f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode()


def chunk(data: bytes) -> bytes:
    """RFC 9112, section 7.1; the last one if there is no data."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def read_to_end(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(PIECE), b""))


def read_head(connection: socket.socket) -> bytes:
    """A byte at a time: what comes behind the empty line is left to others. Shorter than a head if the connection ended."""
    head = b""
    while not head.endswith(b"\r\n\r\n") and (byte := connection.recv(1)):
        head += byte
    return head


class ResponseReader:
    """Reads the final response to one request, framed by its length, by chunks, or by the end of the connection."""

    def __init__(self, method: str = "GET"):
        # 0: none has come.
        self.status = 0
        self.fields: dict[str, str] = {}
        self.body = b""
        # The framing says that nothing is missing.
        self.complete = False
        self._reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
        self._reader.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
        self._reader.send(h11.EndOfMessage())

    def receive(self, data: bytes) -> bool:
        """Whether there is nothing more to read. The end of the connection is empty data; after that there is not."""
        parts = [self.body]
        try:
            self._reader.receive_data(data)
            while (event := self._reader.next_event()) is not h11.NEED_DATA:
                match event:
                    case h11.Response():
                        self.status = event.status_code
                        self.fields = {name.decode(): value.decode("latin-1") for name, value in event.headers}
                    case h11.Data():
                        parts.append(bytes(event.data))
                    case h11.EndOfMessage():
                        self.complete = True
                        return True
                    case h11.ConnectionClosed():
                        return True
        except h11.RemoteProtocolError:
            # It is cut off, or no HTTP.
            return True
        finally:
            self.body = b"".join(parts)
        return False


def read_response(connection: socket.socket, method: str = "GET") -> ResponseReader:
    reader = ResponseReader(method)
    while not reader.receive(connection.recv(PIECE)):
        pass
    return reader
