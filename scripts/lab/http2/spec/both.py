"""Cases that a client and an origin can be told alike: frames and connections (RFC 9113, sections 4 to 6). `p.stream` is the
client's
first stream, or the one on which the origin was asked; `p.head` sends a request or a response."""

from __future__ import annotations

from collections.abc import Callable

from lab.http2 import codes
from lab.http2.codes import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    FRAME_SIZE,
    GOAWAY,
    HEADERS,
    LARGEST_WINDOW,
    PADDED,
    PING,
    PRIORITIZED,
    PRIORITY,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Code,
    number,
    setting,
)
from lab.http2.peer import Peer
from lab.http2.spec.case import BOTH, Acknowledges, Case, Expectation, Works, connection_error, stream_error

PROTOCOL, SIZE, FLOW = Code.PROTOCOL_ERROR, Code.FRAME_SIZE_ERROR, Code.FLOW_CONTROL_ERROR
CLOSED, COMPRESSION = Code.STREAM_CLOSED, Code.COMPRESSION_ERROR
FURTHER = 100
PRIORITY_FIELDS = bytes([0, 0, 0, 0, 15])


def case(section: str, name: str, act, expect: Expectation, legs: frozenset[str] = BOTH, settings: bytes = b"") -> Case:
    return Case(section, name, act, expect, legs, settings)


def open_stream(p: Peer) -> None:
    p.head(end=False)


def reset_stream(p: Peer) -> None:
    p.head(end=False)
    p.reset()


def late(p: Peer, act: Callable[[], None]) -> None:
    """A frame for a stream that was reset. It comes with the reset: after that, the other side may leave an idle connection."""
    with p.together():
        reset_stream(p)
        act()


def begin_block(p: Peer, flags: int = codes.END_STREAM) -> None:
    """A header section that is not complete yet."""
    p.raw(HEADERS, flags, p.stream, p.block(p.fields()))


def finish(p: Peer) -> None:
    """What the other end waits for, so that the exchange has an end."""
    if not p.is_client:
        p.head()


def by_hand(p: Peer, line: bytes) -> None:
    """A request or response whose last field line is `line`."""
    p.raw(HEADERS, END_HEADERS | codes.END_STREAM, p.stream, p.block(p.fields()) + line)


def padded(p: Peer) -> bytes:
    """A header section with a pad length that is larger than the frame."""
    block = p.block(p.fields())
    return bytes([len(block) + 6]) + block


ALL = [
    case("4.1", "frame of an unknown type", lambda p: (p.raw(0x16, 0, 0, bytes(8)), finish(p)), Works()),
    case("4.1", "PING with undefined flags", lambda p: (p.raw(PING, 0x16, 0, bytes(8)), finish(p)), Works()),
    case("4.1", "PING with the reserved bit", lambda p: (p.raw(PING, 0, 1 << 31, bytes(8)), finish(p)), Works()),
    case(
        "4.2",
        "DATA beyond SETTINGS_MAX_FRAME_SIZE",
        lambda p: (open_stream(p), p.data(bytes(FRAME_SIZE + 1))),
        stream_error(SIZE),
    ),
    case(
        "4.2",
        "HEADERS beyond SETTINGS_MAX_FRAME_SIZE",
        lambda p: p.raw(HEADERS, END_HEADERS, p.stream, p.block(p.fields(("x", "\0" * (FRAME_SIZE + 1))))),
        connection_error(SIZE),
    ),
    case(
        "4.3",
        "invalid header block",
        lambda p: p.raw(HEADERS, END_HEADERS, p.stream, b"\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff"),
        connection_error(COMPRESSION),
    ),
    case(
        "4.3",
        "PRIORITY within a header block",
        lambda p: (begin_block(p), p.raw(PRIORITY, 0, p.stream, PRIORITY_FIELDS)),
        connection_error(PROTOCOL),
    ),
    case(
        "4.3",
        "HEADERS of another stream within a header block",
        lambda p: (begin_block(p), p.head(p.stream + 2)),
        connection_error(PROTOCOL),
    ),
    case("5.1", "idle: DATA", lambda p: p.data(b"test", p.stream + FURTHER, end=True), connection_error(PROTOCOL)),
    case("5.1", "idle: RST_STREAM", lambda p: p.reset(p.stream + FURTHER), connection_error(PROTOCOL)),
    case("5.1", "idle: WINDOW_UPDATE", lambda p: p.update(100, p.stream + FURTHER), connection_error(PROTOCOL)),
    case(
        "5.1",
        "idle: CONTINUATION",
        lambda p: p.raw(CONTINUATION, END_HEADERS, p.stream + FURTHER, p.block(p.fields())),
        connection_error(PROTOCOL),
    ),
    case("5.1", "closed by RST_STREAM: DATA", lambda p: late(p, lambda: p.data(b"test")), stream_error(CLOSED)),
    case("5.1", "closed by RST_STREAM: HEADERS", lambda p: late(p, p.head), stream_error(CLOSED)),
    case(
        "5.1",
        "closed by RST_STREAM: CONTINUATION",
        lambda p: late(p, lambda: p.raw(CONTINUATION, END_HEADERS, p.stream, p.block(p.fields()))),
        connection_error(CLOSED, PROTOCOL),
    ),
    case("5.4.1", "the connection ends after an error", lambda p: p.raw(PING, 0, 0, bytes(6)), connection_error(SIZE)),
    case("5.5", "unknown extension frame", lambda p: (p.raw(0xFF, 0, 0, b"unknown"), finish(p)), Works()),
    case(
        "5.5",
        "unknown extension frame within a header block",
        lambda p: (begin_block(p), p.raw(0xFF, 0, 0, b"unknown")),
        connection_error(PROTOCOL),
    ),
    case("6.1", "DATA on stream 0", lambda p: (open_stream(p), p.data(b"test", 0)), connection_error(PROTOCOL)),
    case(
        "6.1",
        "DATA with more padding than content",
        lambda p: (open_stream(p), p.raw(DATA, codes.END_STREAM | PADDED, p.stream, b"\x06test")),
        connection_error(PROTOCOL),
    ),
    case("6.2", "HEADERS on stream 0", lambda p: p.head(0), connection_error(PROTOCOL)),
    case(
        "6.2",
        "HEADERS with more padding than content",
        lambda p: p.raw(HEADERS, END_HEADERS | codes.END_STREAM | PADDED, p.stream, padded(p)),
        connection_error(PROTOCOL),
    ),
    case("6.2", "HEADERS with priority", lambda p: p.raw(
        HEADERS, END_HEADERS | codes.END_STREAM | PRIORITIZED, p.stream, PRIORITY_FIELDS + p.block(p.fields())), Works()),
    case("6.3", "PRIORITY on stream 0", lambda p: p.raw(PRIORITY, 0, 0, PRIORITY_FIELDS), connection_error(PROTOCOL)),
    case("6.3", "PRIORITY of four bytes", lambda p: p.raw(PRIORITY, 0, p.stream, bytes(4)), stream_error(SIZE)),
    case("6.4", "RST_STREAM on stream 0", lambda p: p.reset(0), connection_error(PROTOCOL)),
    case(
        "6.4",
        "RST_STREAM of three bytes",
        lambda p: (open_stream(p), p.raw(RST_STREAM, 0, p.stream, bytes(3))),
        connection_error(SIZE),
    ),
    case("6.5", "SETTINGS with ACK and a payload", lambda p: p.raw(SETTINGS, ACK, 0, b"\x00"), connection_error(SIZE)),
    case("6.5", "SETTINGS on a stream", lambda p: p.raw(SETTINGS, 0, p.stream, setting(3, 100)), connection_error(PROTOCOL)),
    case("6.5", "SETTINGS of three bytes", lambda p: p.raw(SETTINGS, 0, 0, bytes(3)), connection_error(SIZE)),
    case(
        "6.5.2",
        "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1",
        lambda p: p.raw(SETTINGS, 0, 0, setting(codes.INITIAL_WINDOW_SIZE, 1 << 31)),
        connection_error(FLOW),
    ),
    case(
        "6.5.2",
        "SETTINGS_MAX_FRAME_SIZE below 2^14",
        lambda p: p.raw(SETTINGS, 0, 0, setting(codes.MAX_FRAME_SIZE, FRAME_SIZE - 1)),
        connection_error(PROTOCOL),
    ),
    case(
        "6.5.2",
        "SETTINGS_MAX_FRAME_SIZE above 2^24-1",
        lambda p: p.raw(SETTINGS, 0, 0, setting(codes.MAX_FRAME_SIZE, 1 << 24)),
        connection_error(PROTOCOL),
    ),
    case("6.5.2", "unknown setting", lambda p: (p.raw(SETTINGS, 0, 0, setting(0xFF, 1)), finish(p)), Works()),
    case("6.5.3", "SETTINGS are acknowledged", lambda p: p.raw(SETTINGS, 0, 0, setting(3, 100)), Acknowledges("SETTINGS")),
    case("6.7", "PING is acknowledged", lambda p: p.raw(PING, 0, 0, b"h2spec\0\1"), Acknowledges("PING", b"h2spec\0\1")),
    case("6.7", "PING with ACK", lambda p: (p.raw(PING, ACK, 0, b"unasked!"), finish(p)), Works()),
    case("6.7", "PING on a stream", lambda p: p.raw(PING, 0, p.stream, bytes(8)), connection_error(PROTOCOL)),
    case("6.7", "PING of six bytes", lambda p: p.raw(PING, 0, 0, bytes(6)), connection_error(SIZE)),
    case("6.8", "GOAWAY on a stream", lambda p: p.raw(GOAWAY, 0, p.stream, bytes(8)), connection_error(PROTOCOL)),
    case("6.9", "WINDOW_UPDATE by 0", lambda p: p.update(0), connection_error(PROTOCOL)),
    case("6.9", "WINDOW_UPDATE by 0 of a stream", lambda p: (open_stream(p), p.update(0, p.stream)), stream_error(PROTOCOL)),
    case("6.9", "WINDOW_UPDATE of three bytes", lambda p: p.raw(WINDOW_UPDATE, 0, 0, bytes(3)), connection_error(SIZE)),
    case(
        "6.9.1",
        "WINDOW_UPDATEs above 2^31-1",
        lambda p: (p.update(LARGEST_WINDOW), p.update(LARGEST_WINDOW)),
        connection_error(FLOW),
    ),
    case(
        "6.9.1",
        "WINDOW_UPDATEs of a stream above 2^31-1",
        lambda p: (open_stream(p), p.update(LARGEST_WINDOW, p.stream), p.update(LARGEST_WINDOW, p.stream)),
        stream_error(FLOW),
    ),
    case(
        "6.10",
        "CONTINUATION followed by another frame",
        lambda p: (begin_block(p), p.raw(CONTINUATION, 0, p.stream, p.block([("x-a", "1")])), p.data(b"test")),
        connection_error(PROTOCOL),
    ),
    case(
        "6.10",
        "CONTINUATION on stream 0",
        lambda p: (begin_block(p), p.raw(CONTINUATION, END_HEADERS, 0, p.block([("x-a", "1")]))),
        connection_error(PROTOCOL),
    ),
    case(
        "6.10",
        "CONTINUATION after HEADERS with END_HEADERS",
        lambda p: (open_stream(p), p.raw(CONTINUATION, END_HEADERS, p.stream, p.block([("x-a", "1")]))),
        connection_error(PROTOCOL),
    ),
    case(
        "6.10",
        "CONTINUATION after CONTINUATION with END_HEADERS",
        lambda p: (
            begin_block(p, 0),
            p.raw(CONTINUATION, END_HEADERS, p.stream, p.block([("x-a", "1")])),
            p.raw(CONTINUATION, END_HEADERS, p.stream, p.block([("x-b", "2")])),
        ),
        connection_error(PROTOCOL),
    ),
    case(
        "6.10",
        "CONTINUATION after DATA",
        lambda p: (open_stream(p), p.data(b"test"), p.raw(CONTINUATION, END_HEADERS, p.stream, p.block([("x-a", "1")]))),
        connection_error(PROTOCOL),
    ),
    case("7", "GOAWAY with an unknown code", lambda p: p.raw(GOAWAY, 0, 0, number(0) + number(0xFF)), Works(asks=False)),
    case(
        "7",
        "RST_STREAM with an unknown code",
        lambda p: (open_stream(p), p.reset(code=0xFF)),
        Works(),
    ),
    case("HPACK 2.3.3", "indexed field beyond the tables", lambda p: by_hand(p, b"\xc6"), connection_error(COMPRESSION)),
    case("HPACK 2.3.3", "name by an index beyond the tables", lambda p: by_hand(p, b"\x7f\x07\x04test"),
        connection_error(COMPRESSION)),
    case("HPACK 4.2", "change of the table's size at the end of a block",
         lambda p: by_hand(p, b"\x21"), connection_error(COMPRESSION)),
    case("HPACK 5.2", "Huffman padding of eight bits", lambda p: by_hand(p, b"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff"),
        connection_error(COMPRESSION)),
    case("HPACK 5.2", "Huffman padding with zeros", lambda p: by_hand(p, b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90"),
        connection_error(COMPRESSION)),
    case("HPACK 5.2", "Huffman text with EOS",
         lambda p: by_hand(p, b"\x00\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f"), connection_error(COMPRESSION)),
    case("HPACK 6.1", "index 0", lambda p: by_hand(p, b"\x80"), connection_error(COMPRESSION)),
    case("HPACK 6.3", "table size above the setting", lambda p: p.raw(
        HEADERS, END_HEADERS | codes.END_STREAM, p.stream, b"\x3f\xe1\xff\x03" + p.block(p.fields())),
        connection_error(COMPRESSION)),
]  # fmt: skip
