"""A strict reader of what the proxy sends to a client: it must be HTTP/1.1 without a fault, whatever an origin sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-9][0-9]{2}) [^\x00\r\n]*\r\n")
# RFC 9110 5.5 lets controls other than these pass in a response. A name of other visible ASCII is one to all clients, too.
_FIELD = re.compile(rb"([!-9;-~]*):([^\x00\r\n]*)\r\n")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})\r\n")


class Violation(Exception):
    """What no client should have to see."""


@dataclass(slots=True)
class Answer:
    status: int
    head: bytes
    fields: list[tuple[bytes, bytes]]
    body: bytes = b""
    complete: bool = False
    interim: list[int] = field(default_factory=list)

    def values(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.fields if key == name]

    @property
    def closes(self) -> bool:
        return any(b"close" in value.lower() for value in self.values(b"connection"))


class Answers:
    """Reads the responses to requests of `methods`, in order; what follows a 101 or a tunnel's 2xx is `opaque`."""

    def __init__(self, requests: list[tuple[bytes, int]]):
        self._requests = requests
        self._buffer = b""
        self._interim: list[int] = []
        self._open: Answer | None = None
        # Bytes that are owed; nothing for chunks, negative until the end.
        self._owed: int | None = 0
        self._is_opaque = False
        self.finished: list[Answer] = []
        self.opaque = b""

    @property
    def all(self) -> list[Answer]:
        return self.finished + ([self._open] if self._open else [])

    def receive(self, data: bytes) -> None:
        if self._is_opaque:
            self.opaque += data
            return
        self._buffer += data
        while self._buffer and (self._read_body() if self._open else self._read_head()):
            pass

    def end(self) -> None:
        """The connection's end completes what is framed by it."""
        if self._open and self._owed is not None and self._owed < 0:
            self._finish()
        elif self._buffer and not self._open:
            raise Violation(f"ends in the middle of a head: {self._buffer[:300]!r}")

    def _read_head(self) -> bool:
        if self._is_opaque:
            self.opaque, self._buffer = self.opaque + self._buffer, b""
            return False
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if not b"HTTP/1.1 ".startswith(self._buffer[:9]):
                raise Violation(f"no response begins so: {self._buffer[:300]!r}")
            return False
        head, self._buffer = self._buffer[: end + 4], self._buffer[end + 4 :]
        line = _STATUS_LINE.match(head)
        if not line:
            raise Violation(f"status line: {head[:300]!r}")
        fields, position = [], line.end()
        while position < end + 2:
            found = _FIELD.match(head, position)
            if not found:
                raise Violation(f"field line: {head[position : position + 300]!r}")
            fields.append((found[1].lower(), found[2].strip(b" \t")))
            position = found.end()
        self._begin(Answer(int(line[1]), head, fields))
        return True

    def _begin(self, answer: Answer) -> None:
        number = len(self.finished)
        # An answer to bytes that are no request is final, too.
        method, minor = self._requests[number] if number < len(self._requests) else (b"GET", 1)
        lengths, codings = answer.values(b"content-length"), answer.values(b"transfer-encoding")
        if len(set(lengths)) + len(codings) > 1:
            raise Violation(f"several framings: {answer.head!r}")
        if (lengths and not lengths[0].isdigit()) or (codings and codings[0].lower() != b"chunked"):
            raise Violation(f"framing: {answer.head!r}")
        if codings and minor == 0:
            raise Violation(f"chunked to HTTP/1.0: {answer.head!r}")
        is_tunnel = method == b"CONNECT" and answer.status // 100 == 2
        if (answer.status < 200 or answer.status == 204 or is_tunnel) and lengths + codings:
            raise Violation(f"framing where there is no content: {answer.head!r}")
        if answer.status < 200 and answer.status != 101:
            if minor == 0:
                raise Violation(f"an interim response to HTTP/1.0: {answer.head!r}")
            self._interim.append(answer.status)
            return
        answer.interim, self._interim = self._interim, []
        self._open = answer
        if answer.status == 101 or is_tunnel:
            self._is_opaque = True
            self._finish()
        elif method == b"HEAD" or answer.status in (204, 304):
            self._finish()
        elif codings:
            self._owed = None
        else:
            self._owed = int(lengths[0]) if lengths else -1
            if not self._owed:
                self._finish()

    def _read_body(self) -> bool:
        assert self._open
        if self._owed is None:
            return self._read_chunk()
        if self._owed < 0:
            self._open.body, self._buffer = self._open.body + self._buffer, b""
            return False
        taken = self._buffer[: self._owed]
        self._open.body += taken
        self._owed -= len(taken)
        self._buffer = self._buffer[len(taken) :]
        if not self._owed:
            self._finish()
        return bool(self._buffer)

    def _read_chunk(self) -> bool:
        assert self._open
        line = _CHUNK.match(self._buffer)
        if not line:
            if b"\n" in self._buffer[:20] or len(self._buffer) > 20:
                raise Violation(f"chunk: {self._buffer[:100]!r}")
            return False
        size, start = int(line[1], 16), line.end()
        if not size:
            return self._read_trailers(start)
        if len(self._buffer) < start + size + 2:
            return False
        if self._buffer[start + size : start + size + 2] != b"\r\n":
            raise Violation(f"end of a chunk: {self._buffer[start + size : start + size + 20]!r}")
        self._open.body += self._buffer[start : start + size]
        self._buffer = self._buffer[start + size + 2 :]
        return True

    def _read_trailers(self, start: int) -> bool:
        if self._buffer.startswith(b"\r\n", start):
            end = start + 2
        else:
            found = self._buffer.find(b"\r\n\r\n", start)
            if found < 0:
                return False
            end = found + 4
            position = start
            while position < end - 2:
                line = _FIELD.match(self._buffer, position)
                if not line:
                    raise Violation(f"trailer: {self._buffer[position : position + 300]!r}")
                position = line.end()
        self._buffer = self._buffer[end:]
        self._finish()
        return True

    def _finish(self) -> None:
        assert self._open
        self._open.complete = True
        self.finished.append(self._open)
        self._open = None
