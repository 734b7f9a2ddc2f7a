"""Requests and responses in the bytes of a connection, and when each part of them was on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import hpack
from hyperframe.frame import ContinuationFrame, DataFrame, Frame, HeadersFrame

from lab.http2 import codes
from lab.packets.flows import Bytes, Torn

_NUMBER = re.compile(rb"/exchange/(\d+)")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"


@dataclass
class Message:
    """Stamps in nanoseconds: the packet with which its first byte began, the one after which the first byte could be read, and
    the ones that completed its head and the whole message."""

    began: int
    first: int
    head: int
    last: int


@dataclass
class Exchanged:
    """One exchange on one connection, by the number in its path."""

    number: int
    request: Message
    response: Message


def number_in(url: str) -> int | None:
    """Of an exchange of the script, in its URL."""
    found = _NUMBER.search(url.encode())
    return int(found[1]) if found else None


def exchanges(sent: Bytes, received: Bytes) -> list[Exchanged]:
    """Of a connection without TLS, or of what is within TLS; `sent` is the client's."""
    if sent.data.startswith(codes.PREFACE):
        return _multiplexed(sent, received)
    requests = list(_messages(sent))
    responses = list(_messages(received))
    if len(requests) != len(responses):
        raise Torn(f"{len(requests)} requests and {len(responses)} responses on a connection")
    return [_numbered(head, request, response) for (head, request), (_, response) in zip(requests, responses)]


def _numbered(text: bytes, request: Message, response: Message) -> Exchanged:
    found = _NUMBER.search(text)
    if not found:
        raise Torn(f"a request has no number: {text[:80]!r}")
    return Exchanged(int(found[1]), request, response)


def head_end(stream: Bytes, place: int) -> int:
    """Where the head of HTTP/1 ends that begins at `place`."""
    end = stream.data.find(_HEAD_END, place)
    if end < 0:
        raise Torn("a head has no end")
    return end + len(_HEAD_END)


def _messages(stream: Bytes) -> Iterator[tuple[bytes, Message]]:
    """Of HTTP/1.1 (RFC 9112), with the text of their heads. The script frames bodies by their length alone."""
    place = 0
    while place < len(stream.data):
        end = head_end(stream, place)
        head = bytes(stream.data[place:end])
        length = _LENGTH.search(head)
        last = end + (int(length[1]) if length else 0) - 1
        yield head, Message(stream.began(place), stream.came(place), stream.came(end - 1), stream.came(last))
        place = last + 1


def _multiplexed(sent: Bytes, received: Bytes) -> list[Exchanged]:
    requests, responses = _streams(sent, len(codes.PREFACE)), _streams(received, 0)
    return [_numbered(head, request, responses[stream][1]) for stream, (head, request) in requests.items()]


def _streams(stream: Bytes, place: int) -> dict[int, tuple[bytes, Message]]:
    """The messages of HTTP/2 (RFC 9113) by their streams, with their paths. A message begins with the first byte of its HEADERS
    frame; an interim response does not count."""
    decoder = hpack.Decoder()
    found: dict[int, tuple[bytes, Message]] = {}
    block, began = bytearray(), 0
    for frame, start, end in _frames(stream, place):
        if isinstance(frame, HeadersFrame):
            block, began = bytearray(frame.data), start
            ends = "END_STREAM" in frame.flags
        elif isinstance(frame, ContinuationFrame):
            block += frame.data
        elif isinstance(frame, DataFrame):
            found[frame.stream_id][1].last = stream.came(end - 1)
        if isinstance(frame, HeadersFrame | ContinuationFrame) and "END_HEADERS" in frame.flags:
            fields = {bytes(name): bytes(value) for name, value in decoder.decode(bytes(block), raw=True)}
            complete = stream.came(end - 1)
            if frame.stream_id in found:
                found[frame.stream_id][1].last = complete
            elif ends or not fields.get(b":status", b"").startswith(b"1"):
                message = Message(stream.began(began), stream.came(began), complete, complete)
                found[frame.stream_id] = (fields.get(b":path", b""), message)
    return found


def _frames(stream: Bytes, place: int) -> Iterator[tuple[Frame, int, int]]:
    """Each frame that came whole, and where it begins and ends."""
    while place + codes.FRAME_HEADER <= len(stream.data):
        body = place + codes.FRAME_HEADER
        frame, length = Frame.parse_frame_header(memoryview(bytes(stream.data[place:body])))
        if body + length > len(stream.data):
            return
        frame.parse_body(memoryview(bytes(stream.data[body : body + length])))
        yield frame, place, body + length
        place = body + length
