"""A case's client: sends its bytes piece by piece, reads what comes, and goes as the case wants it."""

from __future__ import annotations

import socket
import ssl
from enum import Enum

from lab.torture.answers import Answers, Violation
from lab.torture.case import Case, Ending, Kind, Through
from lab.torture.reference import Rest
from lab.torture.streams import Peer

# How long a client stays that expects nothing in particular.
_LINGER = 0.1


class _Phase(Enum):
    # The tunnel has been asked for.
    OPENING = "waiting for the tunnel"
    TALKING = "waiting for answers"
    # Has said everything that it is going to say, and waits for the other side to end.
    LEAVING = "waiting for the proxy to close"


class Client(Peer):
    """`is_done` once the case is over; then `received`, `answers` and `violation` tell how."""

    def __init__(self, case: Case, proxy: tuple[str, int], target: bytes, trust: ssl.SSLContext, now: float):
        self.case = case
        self.deadline = 0.0
        self.linger_until: float | None = None
        # The proxy has ended the connection, perhaps by RST.
        self.has_ended = False
        self.violation: str | None = None
        self.received = b""
        self._target = target
        self._trust = trust
        self._sent = 0
        reading = case.reading
        requests = [(request.method, request.minor) for request in reading.requests]
        if reading.partial:
            requests.append((reading.partial.method, reading.partial.minor))
        self.answers = Answers(requests)
        self._segments: list[bytes | int] = list(_until(case.segments, case.sent_limit))
        self._segments.reverse()
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(proxy)
        super().__init__(connection)
        self.phase = _Phase.TALKING
        if case.through is not Through.NOTHING:
            self.phase = _Phase.OPENING
            self.stream.pieces.append(b"CONNECT %b HTTP/1.1\r\nHost: %b\r\n\r\n" % (target, target))
        else:
            self._go_on(now)

    def cannot_send(self) -> None:
        # What the proxy has said before is still to be read.
        self.stream.pieces.clear()
        self._segments.clear()

    def has_sent(self, now: float) -> None:
        if self.phase is _Phase.TALKING and not self.stream.pieces:
            self._go_on(now)

    def has_received(self, data: bytes, now: float) -> None:
        if not data:
            self.has_sent(now)
            return
        if self.phase is _Phase.OPENING:
            self._open(data, now)
            return
        self.received += data
        try:
            self.answers.receive(data)
        except Violation as violation:
            self.violation = str(violation)
            self._leave(Ending.RST)
            return
        limit = self.case.received_limit
        if self.phase is _Phase.TALKING and limit is not None and len(self.received) >= limit:
            self._leave(self.case.ending)
        elif self.phase is _Phase.TALKING:
            self._go_on(now)

    def on_linger_end(self) -> None:
        self._leave(Ending.ORDERLY)

    @property
    def waits_for(self) -> str:
        return f"{self.phase.value}, {len(self.answers.finished)} complete, {len(self.received)} bytes received"

    def _open(self, data: bytes, now: float) -> None:
        self.received += data
        if b"\r\n\r\n" not in self.received:
            return
        if not self.received.startswith(b"HTTP/1.1 200"):
            self.violation = f"a tunnel to our origin was refused: {self.received[:500]!r}"
            self._leave(Ending.RST)
            return
        self.received = b""
        self.phase = _Phase.TALKING
        if self.case.through is Through.TLS:
            self.stream.secure(self._trust, self._target.rpartition(b":")[0].decode())
        self._go_on(now)

    def _go_on(self, now: float) -> None:
        """Gives the stream the next pieces, up to where answers are to be waited for; goes when there is no more to do."""
        while self._segments:
            segment = self._segments[-1]
            if isinstance(segment, int):
                if len(self.answers.finished) < segment:
                    return
                self._segments.pop()
            else:
                self.stream.pieces.append(segment)
                self._segments.pop()
        if self.stream.wants_to_send:
            return
        if self.case.sent_limit is not None:
            self._leave(self.case.ending)
        elif self.case.kind in (Kind.TUNNEL, Kind.UPGRADE):
            content = self.case.data.partition(b"\r\n\r\n")[2]
            if len(self.answers.opaque) >= len(content):
                self._leave(Ending.FIN)
        elif self.case.reading.rest is Rest.OPAQUE:
            self.linger_until = self.linger_until or now + _LINGER
        elif self.case.reading.rest in (Rest.NOTHING, Rest.INCOMPLETE) and self._has_all_answers:
            self._leave(Ending.ORDERLY)

    @property
    def _has_all_answers(self) -> bool:
        return len(self.answers.finished) >= len(self.case.reading.requests)

    def _leave(self, ending: Ending) -> None:
        self._segments.clear()
        if ending is Ending.FIN:
            self.phase = _Phase.LEAVING
            self.stream.finish()
            return
        if ending is Ending.RST:
            self.stream.reset()
        self.close()

    def has_ended_here(self) -> None:
        self.has_ended = True
        try:
            if not self.was_reset:
                self.answers.end()
        except Violation as violation:
            self.violation = str(violation)
        self.close()


def _until(segments: list[bytes | int], limit: int | None) -> list[bytes | int]:
    if limit is None:
        return segments
    kept: list[bytes | int] = []
    for segment in segments:
        if isinstance(segment, bytes):
            segment = segment[:limit]
            limit -= len(segment)
        kept.append(segment)
        if not limit:
            break
    return kept
