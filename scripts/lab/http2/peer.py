"""One end of an HTTP/2 connection that does as it is told, right or wrong: it writes frames byte by byte, reads them with
hyperframe,
and keeps what came. It reads while it writes, or two floods would wait for each other."""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import hpack
from hyperframe.exceptions import HyperframeError
from hyperframe.frame import ContinuationFrame, Frame, HeadersFrame, PushPromiseFrame

from lab.http2 import codes
from lab.http2.codes import code_name, frame, number
from lab.wire import PIECE

Fields = list[tuple[str, str]]
PATIENCE = 10.0
# Of decoded fields: peers that say more than this are in the wrong themselves.
LIST_LIMIT = 1 << 24


@dataclass(frozen=True)
class Received:
    """A frame; of a header section the frame that began it, when the section is complete."""

    frame: Frame
    fields: Fields | None = None

    @property
    def name(self) -> str:
        return type(self.frame).__name__.removesuffix("Frame").upper()

    @property
    def stream(self) -> int:
        return self.frame.stream_id

    @property
    def ends_stream(self) -> bool:
        return "END_STREAM" in self.frame.flags

    @property
    def code(self) -> int:
        """Of RST_STREAM and GOAWAY."""
        return self.frame.error_code

    def value(self, name: str) -> str:
        return next((value for key, value in self.fields or [] if key == name), "")

    def __str__(self) -> str:
        about = f" {code_name(self.code)}" if self.name in ("RSTSTREAM", "GOAWAY") else ""
        return f"{self.name}{about} on {self.stream}"


class Peer:
    def __init__(self, connection: socket.socket, is_client: bool = True, authority: str = "localhost", scheme: str = "https"):
        connection.setblocking(False)
        self.socket = connection
        self.is_client = is_client
        self.authority = authority
        self.scheme = scheme
        # The stream that a case is about: a client's first, or the one on which an origin was asked.
        self.stream = 1
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder(max_header_list_size=LIST_LIMIT)
        # How the connection ended, if it did: "closed", "reset", or what was wrong with what came.
        self.ended: str | None = None
        self.received: list[Received] = []
        # The first with a code other than NO_ERROR.
        self.goaway: Received | None = None
        self.sent = 0
        self._input = bytearray()
        self._output = bytearray()
        self._gathers = False
        self._block: tuple[Frame, bytearray] | None = None
        self._unseen: deque[Received] = deque()

    # What goes out.

    def raw(self, kind: int, flags: int, stream: int, payload: bytes = b"", length: int | None = None) -> None:
        self.write(frame(kind, flags, stream, payload, length))

    def write(self, data: bytes, seconds: float = PATIENCE, reads: bool = True) -> None:
        """Returns when all is written, the connection has ended, or the other end has taken nothing for so long. It reads
        meanwhile,
        unless told not to."""
        self._output += data
        if self._gathers:
            return
        deadline = time.monotonic() + seconds
        while self._output and not self.ended and time.monotonic() < deadline:
            before = len(self._output)
            self._turn(0.5, reads=reads)
            if len(self._output) < before:
                deadline = time.monotonic() + seconds

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written within leaves at the end, at once: the other side answers the first frame when it has the last."""
        self._gathers = True
        yield
        self._gathers = False
        self.write(b"")

    @property
    def is_stuck(self) -> bool:
        """The other side takes no more."""
        return bool(self._output)

    def preface(self, settings: bytes = b"") -> None:
        self.write((codes.PREFACE if self.is_client else b"") + frame(codes.SETTINGS, 0, 0, settings))

    def handshake(self, settings: bytes = b"") -> bool:
        """Prefaces both ways, and both SETTINGS acknowledged."""
        self.preface(settings)
        if not self.is_client and not self.takes_preface():
            return False
        if not self.wait_for(lambda came: came.name == "SETTINGS" and "ACK" not in came.frame.flags):
            return False
        self.raw(codes.SETTINGS, codes.ACK, 0)
        return self.wait_for(lambda came: came.name == "SETTINGS" and "ACK" in came.frame.flags) is not None

    def takes_preface(self) -> bool:
        deadline = time.monotonic() + PATIENCE
        while len(self._input) < len(codes.PREFACE) and not self.ended and time.monotonic() < deadline:
            self._turn(0.5, parses=False)
        is_right = self._input.startswith(codes.PREFACE)
        del self._input[: len(codes.PREFACE)]
        return is_right

    def fields(self, *more: tuple[str, str], method: str = "GET", path: str = "/", status: int = 200) -> Fields:
        """Of a request or a response, whichever this end sends."""
        if not self.is_client:
            return [(":status", str(status)), *more]
        return [(":method", method), (":scheme", self.scheme), (":path", path), (":authority", self.authority), *more]

    def block(self, fields: Fields) -> bytes:
        return self.encoder.encode(fields)

    def head(self, stream: int | None = None, fields: Fields | None = None, end: bool = True, flags: int = 0) -> None:
        """A header section in one frame; without `fields` a plain request or response."""
        if fields is None:
            fields = self.fields(method="GET" if end else "POST")
        flags |= codes.END_HEADERS | (codes.END_STREAM if end else 0)
        self.raw(codes.HEADERS, flags, self.stream if stream is None else stream, self.block(fields))

    def data(self, content: bytes = b"", stream: int | None = None, end: bool = False) -> None:
        self.raw(codes.DATA, codes.END_STREAM if end else 0, self.stream if stream is None else stream, content)

    def reset(self, stream: int | None = None, code: int = codes.Code.CANCEL) -> None:
        self.raw(codes.RST_STREAM, 0, self.stream if stream is None else stream, number(code))

    def update(self, increment: int, stream: int = 0) -> None:
        self.raw(codes.WINDOW_UPDATE, 0, stream, number(increment))

    # What comes in.

    def wait_for(self, wanted: Callable[[Received], bool], seconds: float = PATIENCE) -> Received | None:
        """The next frame that is wanted, of those that were not looked at yet."""
        return next((came for came in self.events(seconds) if wanted(came)), None)

    def first_head(self) -> Received | None:
        """The first header section, which may have come with the preface."""

        def is_head(came: Received) -> bool:
            return came.name == "HEADERS"

        return next(filter(is_head, self.received), None) or self.wait_for(is_head)

    def events(self, seconds: float = PATIENCE) -> Iterator[Received]:
        """Frames that were not looked at yet, until the connection ends or the time is over."""
        deadline = time.monotonic() + seconds
        while True:
            while self._unseen:
                yield self._unseen.popleft()
            remaining = deadline - time.monotonic()
            if self.ended or remaining <= 0:
                return
            self._turn(min(remaining, 0.5))

    def _turn(self, seconds: float, parses: bool = True, reads: bool = True) -> None:
        pending = reads and isinstance(self.socket, ssl.SSLSocket) and self.socket.pending()
        if not pending:
            select.select([self.socket] if reads else [], [self.socket] if self._output else [], [], seconds)
        try:
            if self._output:
                count = self.socket.send(bytes(self._output[:PIECE]))
                self.sent += count
                del self._output[:count]
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            # What came before that is still to be read.
            self._output.clear()
        if not reads:
            return
        try:
            while data := self.socket.recv(PIECE):
                self._input += data
            self.ended = "closed"
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.ended = "reset"
        if parses:
            self._parse()

    def _parse(self) -> None:
        while len(self._input) >= codes.FRAME_HEADER:
            try:
                came, length = Frame.parse_frame_header(memoryview(bytes(self._input[: codes.FRAME_HEADER])))
                if len(self._input) < codes.FRAME_HEADER + length:
                    return
                came.parse_body(memoryview(bytes(self._input[codes.FRAME_HEADER : codes.FRAME_HEADER + length])))
                del self._input[: codes.FRAME_HEADER + length]
                self._take(came)
            except (HyperframeError, hpack.HPACKError, ValueError) as error:
                self.ended = f"what came is no HTTP/2: {error!r}"
                return

    def _take(self, came: Frame) -> None:
        if self._block and not isinstance(came, ContinuationFrame):
            raise ValueError(f"{type(came).__name__} within a header section")
        if isinstance(came, HeadersFrame | PushPromiseFrame):
            self._block = (came, bytearray(came.data))
        elif isinstance(came, ContinuationFrame):
            if not self._block:
                raise ValueError("CONTINUATION without HEADERS")
            self._block[1].extend(came.data)
        else:
            self._keep(Received(came))
            return
        if "END_HEADERS" in came.flags and self._block:
            first, block = self._block
            self._block = None
            self._keep(Received(first, [(str(name), str(value)) for name, value in self.decoder.decode(bytes(block))]))

    def _keep(self, came: Received) -> None:
        self.received.append(came)
        if came.name == "GOAWAY" and came.code and not self.goaway:
            self.goaway = came
        self._unseen.append(came)

    def close(self) -> None:
        self.socket.close()
