"""An origin on loopback with a thread for each connection."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Self
from urllib.parse import parse_qs, urlsplit

import h11

from lab.wire import HEAD_LIMIT, HOST, PIECE, chunk


class Origin:
    """Gives each connection to `handler`, which may treat it as it likes; with a context, when the handshake is done."""

    def __init__(self, handler: Callable[[socket.socket], None], context: ssl.SSLContext | None = None):
        self._handler = handler
        self._context = context
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server((HOST, 0), backlog=1024)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def authority(self) -> str:
        return f"{HOST}:{self.port}"

    def url(self, path: str) -> str:
        return f"http://{self.authority}{path}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
            with self._context.wrap_socket(connection, server_side=True) if self._context else connection as secured:
                self._handler(secured)
        except OSError:
            # The proxy may end its connections at any time.
            pass
        finally:
            connection.close()
            with self._lock:
                self._open.discard(connection)


class Exchange:
    """A whole request, and the connection to answer it on."""

    def __init__(self, connection: socket.socket, request: h11.Request, body: bytes):
        self.connection = connection
        self.body = body
        self.method = request.method.decode()
        self.target = request.target.decode()
        self.url = urlsplit(self.target)
        self.query = {name: values[0] for name, values in parse_qs(self.url.query).items()}
        self.fields = {name.decode(): value.decode("latin-1") for name, value in request.headers}

    def send(self, text: str | bytes) -> None:
        self.connection.sendall(text.encode("latin-1") if isinstance(text, str) else text)

    def respond(self, body: bytes = b"", status: str = "200 OK", fields: list[str] | None = None) -> bool:
        """As every handler of `serving`, returns whether the connection goes on."""
        lines = [f"HTTP/1.1 {status}", *(fields or ["Content-Type: text/plain"]), f"Content-Length: {len(body)}", "", ""]
        self.send("\r\n".join(lines).encode("latin-1") + (b"" if self.method == "HEAD" else body))
        return True

    def respond_chunked(self, pieces: list[bytes], fields: list[str] | None = None, trailers: str = "", pause: float = 0) -> bool:
        """A chunk for each piece, with so many seconds after it; `trailers` are whole lines."""
        lines = ["HTTP/1.1 200 OK", *(fields or ["Content-Type: text/plain"]), "Transfer-Encoding: chunked", "", ""]
        self.send("\r\n".join(lines))
        for piece in pieces:
            self.send(chunk(piece))
            time.sleep(pause)
        self.send(f"0\r\n{trailers}\r\n")
        return True


def serving(answer: Callable[[Exchange], bool]) -> Callable[[socket.socket], None]:
    """A handler that reads whole requests, as long as `answer` returns that the connection goes on and no request closes it."""

    def handle(connection: socket.socket) -> None:
        rest = b""
        while found := read_request(connection, rest):
            exchange, rest = found
            if not answer(exchange) or exchange.fields.get("connection", "").lower() == "close":
                return

    return handle


def answering(body: bytes) -> Callable[[socket.socket], None]:
    return serving(lambda exchange: exchange.respond(body))


def read_request(connection: socket.socket, begun: bytes = b"") -> tuple[Exchange, bytes] | None:
    """The next request, which may have `begun` already, and what came behind it. Nothing at the end of the connection, or if what
    comes is no HTTP."""
    reader = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    if begun:
        reader.receive_data(begun)
    request, parts, is_awaited = None, [], True
    try:
        while True:
            event = reader.next_event()
            if event is h11.NEED_DATA:
                if is_awaited and reader.they_are_waiting_for_100_continue:
                    is_awaited = False
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                reader.receive_data(connection.recv(PIECE))
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                parts.append(bytes(event.data))
            elif request and isinstance(event, h11.EndOfMessage):
                return Exchange(connection, request, b"".join(parts)), reader.trailing_data[0]
            else:
                return None
    except h11.RemoteProtocolError:
        return None
