"""Cases of an origin: what a client must refuse in answers (RFC 9113, sections 3 to 8)."""

from __future__ import annotations

from lab.http2 import codes
from lab.http2.codes import (
    CONTINUATION,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PUSH_PROMISE,
    SETTINGS,
    Code,
    frame,
    number,
    setting,
)
from lab.http2.peer import Peer
from lab.http2.spec.both import CLOSED, PROTOCOL, open_stream
from lab.http2.spec.case import ORIGIN, Case, Expectation, Works, connection_error, stream_error

ONLY = frozenset({ORIGIN})


def case(section: str, name: str, act, expect: Expectation, settings: bytes = b"", handshake: bool = True) -> Case:
    return Case(section, name, act, expect, ONLY, settings, handshake)


def answer(section: str, name: str, *fields: tuple[str, str], content: bytes = b"") -> Case:
    """One response with these fields, which is malformed."""

    def act(p: Peer) -> None:
        p.head(fields=list(fields), end=not content)
        if content:
            p.data(content, end=True)

    return case(section, name, act, stream_error(Code.PROTOCOL_ERROR))


OK = (":status", "200")

ALL = [
    case("3.4", "frame other than SETTINGS first", lambda p: p.write(frame(PING, 0, 0, bytes(8))), connection_error(PROTOCOL),
         handshake=False),
    case("generic 3.2", "response without content", lambda p: p.head(), Works()),
    case("generic 3.1", "response with content", lambda p: (open_stream(p), p.data(b"test", end=True)), Works()),
    case("generic 3.1", "DATA with padding", lambda p: (
        open_stream(p), p.raw(codes.DATA, END_STREAM | codes.PADDED, p.stream, b"\x06test" + bytes(6))), Works()),
    case("generic 3.10", "CONTINUATION", lambda p: (
        p.raw(HEADERS, END_STREAM, p.stream, p.block([OK])),
        p.raw(CONTINUATION, END_HEADERS, p.stream, p.block([("x-a", "1")]))), Works()),
    case("generic 4", "interim responses", lambda p: (
        p.head(fields=[(":status", "100")], end=False), p.head(fields=[(":status", "103")], end=False), p.head()), Works()),
    case("generic 4", "trailers", lambda p: (open_stream(p), p.data(b"test"), p.head(fields=[("x-test", "ok")])), Works()),
    case("generic 4", "DATA of 2^14 bytes", lambda p: (open_stream(p), p.data(bytes(codes.FRAME_SIZE), end=True)), Works()),
    case("5.1", "closed: DATA", lambda p: (p.head(), p.data(b"test")), stream_error(CLOSED)),
    case("5.1.1", "HEADERS of a stream that the origin opens", lambda p: p.head(2), connection_error(PROTOCOL)),
    case("5.1.1", "HEADERS of a stream that was not asked", lambda p: p.head(p.stream + 100), connection_error(PROTOCOL)),
    case("6.5.2", "SETTINGS_ENABLE_PUSH of 1", lambda p: p.raw(SETTINGS, 0, 0, setting(codes.ENABLE_PUSH, 1)),
         connection_error(PROTOCOL)),
    case("6.5.2", "SETTINGS_ENABLE_PUSH of 2", lambda p: p.raw(SETTINGS, 0, 0, setting(codes.ENABLE_PUSH, 2)),
         connection_error(PROTOCOL)),
    case("8.1", "DATA before HEADERS", lambda p: p.data(b"test", end=True), stream_error(PROTOCOL)),
    case("8.1", "second HEADERS without END_STREAM", lambda p: (open_stream(p), p.head(end=False)), stream_error(PROTOCOL)),
    case("8.1", "interim response that ends the stream", lambda p: p.head(fields=[(":status", "103")]), stream_error(PROTOCOL)),
    case("8.1", "end after an interim response", lambda p: (
        p.head(fields=[(":status", "103")], end=False), p.data(end=True)), stream_error(PROTOCOL)),
    answer("8.1.1", "content-length against DATA", OK, ("content-length", "1"), content=b"test"),
    answer("8.1.1", "content-length without DATA", OK, ("content-length", "1")),
    answer("8.2.1", "upper case in a name", OK, ("X-TEST", "ok")),
    answer("8.2.1", "CR LF in a value", OK, ("x-a", "1\r\nx-b: 2")),
    answer("8.2.1", "NUL in a value", OK, ("x-a", "a\0b")),
    answer("8.2.2", "connection", OK, ("connection", "close")),
    answer("8.2.2", "transfer-encoding", OK, ("transfer-encoding", "chunked")),
    answer("8.3", "pseudo-field of a request", (":method", "GET"), OK),
    answer("8.3", "unknown pseudo-field", OK, (":test", "ok")),
    answer("8.3", "pseudo-field after a field", ("x-test", "ok"), OK),
    answer("8.3.2", "no :status", ("x-test", "ok")),
    answer("8.3.2", ":status twice", OK, OK),
    answer("8.3.2", ":status of four digits", (":status", "2000")),
    answer("8.6", ":status 101", (":status", "101")),
    case("8.3", "pseudo-field in trailers", lambda p: (
        open_stream(p), p.data(b"test"), p.head(fields=[OK])), stream_error(PROTOCOL)),
    case("8.4", "PUSH_PROMISE, which was switched off", lambda p: (
        open_stream(p), p.raw(PUSH_PROMISE, END_HEADERS, p.stream, number(2) + p.block([
            (":method", "GET"), (":scheme", "https"), (":path", "/pushed"), (":authority", p.authority)]))),
        connection_error(PROTOCOL)),
]  # fmt: skip
