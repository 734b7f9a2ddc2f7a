"""An honest end of an HTTP/2 connection on top of `Peer`: it keeps the windows of both sides, sends content of many streams in
turns, and
tells its owner what came. One thread, one connection."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.http2 import codes
from lab.http2.codes import Code
from lab.http2.peer import Fields, Peer, Received

# Of DATA, so that many streams mix.
PIECE = 4_096


@dataclass
class Stream:
    number: int
    # What came.
    fields: Fields = field(default_factory=list)
    trailers: Fields = field(default_factory=list)
    interims: int = 0
    content: bytearray = field(default_factory=bytearray)
    is_complete: bool = False
    reset: int | None = None
    # What is to be sent.
    window: int = codes.WINDOW
    unsent: bytearray = field(default_factory=bytearray)
    # Behind the content; none ends the stream with it.
    last_fields: Fields | None = None
    has_sent_all: bool = True
    reset_after: int | None = None
    sent: int = 0

    def value(self, name: str) -> str:
        return next((value for key, value in self.fields if key == name), "")

    @property
    def is_over(self) -> bool:
        return self.reset is not None or (self.is_complete and self.has_sent_all)


class Endpoint:
    def __init__(self, connection: socket.socket, is_client: bool = True, authority: str = "localhost"):
        self.peer = Peer(connection, is_client, authority)
        self.streams: dict[int, Stream] = {}
        self.window = codes.WINDOW
        self.initial_window = codes.WINDOW
        self.goaway: Received | None = None
        self._next = 1

    def begin(self) -> bool:
        """Handshake; what comes with it is looked at later."""
        self.peer.preface()
        return self.peer.is_client or self.peer.takes_preface()

    def open(
        self, fields: Fields, content: bytes | None, trailers: Fields | None = None, reset_after: int | None = None
    ) -> Stream:
        """A client's next stream. With `reset_after` it is given up when so many bytes have left."""
        stream = Stream(self._next, window=self.initial_window)
        self._next += 2
        self.streams[stream.number] = stream
        self._send_head(stream, fields, content, trailers, reset_after)
        return stream

    def answer(
        self,
        stream: Stream,
        fields: Fields,
        content: bytes | None,
        trailers: Fields | None = None,
        reset_after: int | None = None,
    ) -> None:
        self._send_head(stream, fields, content, trailers, reset_after)

    def _send_head(
        self, stream: Stream, fields: Fields, content: bytes | None, trailers: Fields | None, reset_after: int | None
    ) -> None:
        ends = not content and trailers is None and reset_after is None
        self.peer.head(stream.number, fields, end=ends)
        stream.unsent += content or b""
        stream.last_fields, stream.reset_after, stream.has_sent_all = trailers, reset_after, ends

    def reset(self, stream: Stream, code: int = Code.CANCEL) -> None:
        self.peer.reset(stream.number, code)
        stream.reset, stream.has_sent_all = code, True
        stream.unsent.clear()

    def run(self, happened: Callable[[Stream], None], until: Callable[[], bool], seconds: float) -> bool:
        """Goes on until the condition holds, or the connection ends, or the time is over; returns whether it holds. `happened`
        is told
        each stream of which something came."""
        deadline = time.monotonic() + seconds
        while not until():
            if self.peer.ended or time.monotonic() > deadline:
                return until()
            self._send_some()
            for came in self.peer.events(0 if self._can_send() else 0.05):
                if stream := self._take(came):
                    happened(stream)
        return True

    def _can_send(self) -> bool:
        return self.window > 0 and any(self._has_work(stream) for stream in self.streams.values())

    def _has_work(self, stream: Stream) -> bool:
        return not stream.has_sent_all and (stream.window > 0 or not stream.unsent)

    def _send_some(self) -> None:
        """A piece of each stream that has one, in turns."""
        for stream in list(self.streams.values()):
            if not self._has_work(stream):
                continue
            if stream.reset_after is not None and stream.sent >= stream.reset_after:
                self.reset(stream)
                continue
            size = min(PIECE, len(stream.unsent), stream.window, max(self.window, 0))
            if size == 0 and stream.unsent:
                continue
            piece = bytes(stream.unsent[:size])
            del stream.unsent[:size]
            is_last = not stream.unsent
            self.peer.data(piece, stream.number, end=is_last and stream.last_fields is None and stream.reset_after is None)
            stream.sent += size
            stream.window -= size
            self.window -= size
            if is_last and stream.reset_after is not None:
                self.reset(stream)
            elif is_last:
                if stream.last_fields is not None:
                    self.peer.head(stream.number, stream.last_fields)
                stream.has_sent_all = True

    def _take(self, came: Received) -> Stream | None:
        stream = self.streams.get(came.stream)
        if came.name == "HEADERS" and stream is None and not self.peer.is_client:
            stream = self.streams[came.stream] = Stream(came.stream, window=self.initial_window)
        match came.name:
            case "SETTINGS" if "ACK" not in came.frame.flags:
                self._take_settings(came.frame.settings)
                self.peer.raw(codes.SETTINGS, codes.ACK, 0)
            case "PING" if "ACK" not in came.frame.flags:
                self.peer.raw(codes.PING, codes.ACK, 0, came.frame.opaque_data)
            case "WINDOWUPDATE" if came.stream == 0:
                self.window += came.frame.window_increment
            case "WINDOWUPDATE" if stream:
                stream.window += came.frame.window_increment
            case "GOAWAY":
                self.goaway = came
            case "HEADERS" if stream:
                self._take_fields(stream, came.fields or [])
                stream.is_complete = came.ends_stream
                return stream
            case "DATA":
                if size := came.frame.flow_controlled_length:
                    self.peer.update(size)
                    if stream and not came.ends_stream and stream.reset is None:
                        self.peer.update(size, came.stream)
                if stream:
                    stream.content += came.frame.data
                    stream.is_complete = came.ends_stream
                return stream
            case "RSTSTREAM" if stream:
                stream.reset, stream.has_sent_all = came.code, True
                stream.unsent.clear()
                return stream
        return None

    def _take_fields(self, stream: Stream, fields: Fields) -> None:
        if stream.fields:
            stream.trailers = fields
        elif dict(fields).get(":status", "").startswith("1"):
            stream.interims += 1
        else:
            stream.fields = fields

    def _take_settings(self, settings: dict[int, int]) -> None:
        if (initial := settings.get(codes.INITIAL_WINDOW_SIZE)) is not None:
            for stream in self.streams.values():
                stream.window += initial - self.initial_window
            self.initial_window = initial

    def close(self) -> None:
        self.peer.close()
