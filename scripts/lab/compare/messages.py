"""What a conforming reader makes of bytes: it takes any line end, and the last word of RFC 9112 6.3 on where a body ends.
It judges nothing: the cases do."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD_END = re.compile(rb"\r?\n\r?\n")
CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[^\n]*\n")
BODILESS_STATUSES = {204, 304}


@dataclass(frozen=True)
class Message:
    """A request or a response; `body` as it was framed, chunk sizes and trailers included."""

    head: bytes
    body: bytes
    complete: bool
    chunked: bool = False

    @property
    def start_line(self) -> bytes:
        return self.head.split(b"\n", 1)[0].rstrip(b"\r")

    @property
    def status(self) -> int:
        """Of a response; 0 if its first line has none."""
        words = self.start_line.split()
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0

    @property
    def target(self) -> bytes:
        words = self.start_line.split()
        return words[1] if len(words) > 1 else b""

    def values(self, name: bytes) -> list[bytes]:
        return [value.strip(b" \t\r") for value in re.findall(rb"(?im)^" + re.escape(name) + rb":([^\n]*)$", self.head)]

    def has(self, name: bytes) -> bool:
        return bool(self.values(name))


def requests(data: bytes) -> list[Message]:
    """The requests one after the other; the last may be incomplete."""
    found: list[Message] = []
    while data := data.lstrip(b"\r\n"):
        message, data = _next(data, body_until_close=False, bodiless=False, ended=False)
        found.append(message)
        if not message.complete:
            break
    return found


def responses(data: bytes, methods: list[bytes], ended: bool) -> list[Message]:
    """The responses to `methods`, informational ones between them; `ended`: nothing comes after these bytes."""
    found: list[Message] = []
    waiting = list(methods)
    while data:
        head = data[: _head_length(data)]
        status = Message(head, b"", True).status
        method = waiting[0] if waiting else b"GET"
        bodiless = status // 100 == 1 or status in BODILESS_STATUSES or method == b"HEAD"
        if status == 101 or (method == b"CONNECT" and status // 100 == 2):
            return [*found, Message(head, data[len(head) :], True)]
        message, data = _next(data, body_until_close=True, bodiless=bodiless, ended=ended)
        found.append(message)
        if not message.complete:
            break
        if status // 100 != 1 and waiting:
            waiting.pop(0)
    return found


def final(messages: list[Message]) -> list[Message]:
    """Without those that only inform; 101 is final for the request that it answers."""
    return [each for each in messages if each.status // 100 != 1 or each.status == 101]


def _head_length(data: bytes) -> int:
    end = HEAD_END.search(data)
    return end.end() if end else len(data)


def _next(data: bytes, *, body_until_close: bool, bodiless: bool, ended: bool) -> tuple[Message, bytes]:
    if not HEAD_END.search(data):
        return Message(data, b"", False), b""
    length = _head_length(data)
    head, rest = data[:length], data[length:]
    message = Message(head, b"", True)
    if bodiless:
        return message, rest
    if any(b"chunked" in value.lower() for value in message.values(b"Transfer-Encoding")):
        size, complete = _chunked_length(rest)
        return Message(head, rest[:size], complete, chunked=True), rest[size:]
    lengths = [value for value in message.values(b"Content-Length") if value.isdigit()]
    if lengths:
        size = int(lengths[-1])
        return Message(head, rest[:size], len(rest) >= size), rest[size:]
    if body_until_close:
        return Message(head, rest, ended), b""
    return message, rest


def _chunked_length(data: bytes) -> tuple[int, bool]:
    """How many bytes the chunks take, the trailer section included, and whether they are all there."""
    position = 0
    while size_line := CHUNK_SIZE.match(data, position):
        size = int(size_line.group(1), 16)
        position = size_line.end()
        if size == 0:
            end = re.compile(rb"(?:[^\r\n][^\n]*\n)*\r?\n").match(data, position)
            return (end.end(), True) if end else (len(data), False)
        position += size
        line_end = re.compile(rb"\r?\n").match(data, position)
        if not line_end:
            break
        position = line_end.end()
    return len(data), False
