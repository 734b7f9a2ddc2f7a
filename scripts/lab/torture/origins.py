"""The origin's connections: each reads what the proxy sends as strictly as can be, and answers what the case wants."""

from __future__ import annotations

import socket
import ssl
from typing import Protocol

from lab.torture import reference
from lab.torture.case import Ending, Exchange
from lab.torture.reference import Incomplete, Invalid, Request
from lab.torture.streams import Peer


class Observer(Protocol):
    """Whom an origin tells what has arrived, and asks for the answer."""

    def head_arrived(self, request: Request, head: bytes) -> Exchange | None: ...

    def request_arrived(self, request: Request, data: bytes) -> None: ...

    def nonsense_arrived(self, data: bytes) -> None: ...


class OriginConnection(Peer):
    """One connection of the proxy's."""

    def __init__(self, connection: socket.socket, observer: Observer, context: ssl.SSLContext | None = None):
        super().__init__(connection)
        self._observer = observer
        self._buffer = b""
        self._request: Request | None = None
        self._body_start = 0
        self._length = 0
        self._exchange: Exchange | None = None
        self._is_answered = False
        self._is_leaving = False
        self._is_echo = False
        if context:
            self.stream.secure(context)

    @property
    def buffered(self) -> bytes:
        """What has come and is not a whole request yet."""
        return self._buffer

    def has_sent(self, now: float) -> None:
        if not self.stream.wants_to_send and self._is_leaving:
            self._leave()

    def has_received(self, data: bytes, now: float) -> None:
        if self._is_echo:
            self.stream.pieces.append(data)
        elif data:
            self._buffer += data
            self._read()

    def _read(self) -> None:
        try:
            while self._buffer:
                if not self._request and not self._read_head():
                    return
                if not self._read_body():
                    return
        except Invalid:
            self._observer.nonsense_arrived(self._buffer)
            self._reset()

    def _read_head(self) -> bool:
        if b"\r\n\r\n" not in self._buffer:
            return False
        request, self._body_start = reference.read_head(self._buffer, 0)
        self._request, self._is_answered = request, False
        lengths = request.values(b"content-length")
        self._length = int(lengths[0]) if lengths and lengths[0].isdigit() else 0
        self._exchange = self._observer.head_arrived(request, self._buffer[: self._body_start])
        if self._exchange and self._exchange.reply and self._exchange.reply.early:
            self._answer()
        return True

    def _read_body(self) -> bool:
        assert self._request
        # A look before an effort: bodies come in many pieces.
        if len(self._buffer) < self._body_start + self._length:
            return False
        if self._request.values(b"transfer-encoding") and b"\r\n\r\n" not in self._buffer[self._body_start :]:
            return False
        self._request.body = b""
        try:
            self._request.body, end = reference.read_body(self._request, self._buffer, self._body_start)
        except Incomplete:
            return False
        self._observer.request_arrived(self._request, self._buffer[:end])
        self._buffer = self._buffer[end:]
        if not self._is_answered:
            self._answer()
        self._request = None
        if self._is_echo and self._buffer:
            self.stream.pieces.append(self._buffer)
            self._buffer = b""
        return True

    def _answer(self) -> None:
        self._is_answered = True
        exchange = self._exchange
        if not exchange:
            self.stream.pieces.append(plain_answer(b"", self._request))
            return
        self.stream.pieces.extend(exchange.segments)
        if exchange.reply and exchange.reply.status == 101 and exchange.is_sound:
            self._is_echo = True
        if exchange.ending is Ending.RST and not exchange.segments:
            self._reset()
        elif exchange.ending is not Ending.ORDERLY:
            self._is_leaving = True
            if not self.stream.wants_to_send:
                self._leave()

    def _leave(self) -> None:
        if self._exchange and self._exchange.ending is Ending.RST:
            self._reset()
        else:
            self.stream.finish()

    def _reset(self) -> None:
        self.stream.reset()
        self.is_done = True


class EchoConnection(Peer):
    """Sends everything back, and ends when the other side has ended."""

    _is_ending = False

    def has_sent(self, now: float) -> None:
        if self._is_ending and not self.stream.pieces:
            self.close()

    def has_received(self, data: bytes, now: float) -> None:
        self.stream.pieces.append(data)

    def has_ended_here(self) -> None:
        self._is_ending = True
        if self.was_reset or not self.stream.pieces:
            self.close()


def plain_answer(mark: bytes, request: Request | None) -> bytes:
    """To a request that no case has planned in this form."""
    content = b"" if request and request.method == b"HEAD" else mark + b"\n"
    return b"HTTP/1.1 200 OK\r\nX-Mark: %b\r\nContent-Length: %d\r\n\r\n%b" % (mark, len(mark) + 1, content)
