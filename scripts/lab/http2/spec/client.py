"""Cases of a client: what a server must take (the generic cases of h2spec) and must refuse (RFC 9113, sections 3 to 8; RFC
7541)."""

from __future__ import annotations

from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH

from lab.http2 import codes
from lab.http2.codes import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    FRAME_SIZE,
    GOAWAY,
    HEADERS,
    PADDED,
    PING,
    PREFACE,
    PRIORITIZED,
    PRIORITY,
    PUSH_PROMISE,
    SETTINGS,
    Code,
    frame,
    number,
    setting,
)  # fmt: skip
from lab.http2.peer import Fields, Peer
from lab.http2.spec.both import CLOSED, FLOW, PRIORITY_FIELDS, PROTOCOL, begin_block, by_hand, open_stream
from lab.http2.spec.case import (
    CLIENT,
    Acknowledges,
    Answers,
    Case,
    Expectation,
    SendsData,
    Works,
    connection_error,
    malformed,
    stream_error,
)  # fmt: skip

HELD = setting(codes.INITIAL_WINDOW_SIZE, 0)
ONLY = frozenset({CLIENT})


def case(section: str, name: str, act, expect: Expectation, settings: bytes = b"", handshake: bool = True) -> Case:
    return Case(section, name, act, expect, ONLY, settings, handshake)


def request(section: str, name: str, change, expect: Expectation | None = None) -> Case:
    """One request with other fields; malformed unless something else is expected."""

    def act(p: Peer) -> None:
        p.head(fields=change(p.fields()))

    return case(section, name, act, expect or malformed())


def prioritized(p: Peer, weight: int, stream: int = 0, exclusive: bool = False) -> bytes:
    return number(stream | (1 << 31 if exclusive else 0)) + bytes([weight])


def without(name: str):
    return lambda fields: [each for each in fields if each[0] != name]


def twice(name: str):
    return lambda fields: [again for each in fields for again in ([each, each] if each[0] == name else [each])]


def literal(first: int, *texts: tuple[bytes, bool]) -> bytes:
    """A field line of HPACK by hand: the byte of its kind, then texts, each with Huffman's code or without."""
    parts = [bytes([first])]
    for text, huffman in texts:
        parts.append(bytes([len(text) | (0x80 if huffman else 0)]) + text)
    return b"".join(parts)


def lengths(p: Peer, length: int, *pieces: bytes) -> None:
    p.head(fields=p.fields(("content-length", str(length)), method="POST"), end=False)
    for number_, piece in enumerate(pieces, 1):
        p.data(piece, end=number_ == len(pieces))


def resume(p: Peer, *sizes: int) -> None:
    """Sets the initial window to each size while a response waits for one."""
    p.head()
    for size in sizes:
        p.raw(SETTINGS, 0, 0, setting(codes.INITIAL_WINDOW_SIZE, size))


def split(p: Peer, pieces: int) -> None:
    block = p.block([*p.fields(), *((f"x-{index}", "v" * 20) for index in range(pieces))])
    size = len(block) // (pieces + 1)
    p.raw(HEADERS, END_STREAM, p.stream, block[:size])
    for index in range(1, pieces + 1):
        is_last = index == pieces
        part = block[index * size :] if is_last else block[index * size : (index + 1) * size]
        p.raw(CONTINUATION, END_HEADERS if is_last else 0, p.stream, part)


def too_many(p: Peer) -> None:
    """Streams beyond what the server allows at once."""
    allowed = next(
        (came.frame.settings[codes.MAX_CONCURRENT_STREAMS] for came in p.received
         if came.name == "SETTINGS" and codes.MAX_CONCURRENT_STREAMS in getattr(came.frame, "settings", {})), 0
    )  # fmt: skip
    for index in range(allowed + 1):
        p.head(1 + 2 * index, fields=p.fields(method="POST"), end=False)


def crlf(fields: Fields) -> Fields:
    return [*fields, ("x-a", "1\r\nx-b: 2")]


NAME, VALUE = b"user-agent", b"h2spec"
# "x-test" and "test" in the code of RFC 7541, appendix B.
HUFFMAN_NAME = bytes(HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH).encode(b"x-test"))
HUFFMAN_TEST = bytes(HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH).encode(b"test"))

TAKEN = [
    case("generic 1", "preface", lambda p: None, Works()),
    case("generic 2", "PRIORITY on an idle stream", lambda p: p.raw(PRIORITY, 0, 1, PRIORITY_FIELDS), Works()),
    case("generic 2", "WINDOW_UPDATE on a half-closed stream", lambda p: (p.head(), p.update(1000, 1)), Works(), HELD),
    case("generic 2", "PRIORITY on a half-closed stream", lambda p: (p.head(), p.raw(PRIORITY, 0, 1, PRIORITY_FIELDS)),
        Works(), HELD),
    case("generic 2", "RST_STREAM on a half-closed stream", lambda p: (p.head(), p.reset()), Works(), HELD),
    case("generic 2", "PRIORITY on a closed stream", lambda p: (
        p.head(), p.wait_for(lambda came: came.ends_stream), p.raw(PRIORITY, 0, 1, PRIORITY_FIELDS)), Works()),
    case("generic 3.1", "DATA", lambda p: (open_stream(p), p.data(b"test", end=True)), Answers()),
    case("generic 3.1", "several DATA", lambda p: (open_stream(p), p.data(b"test"), p.data(b"test", end=True)), Answers()),
    case("generic 3.1", "DATA with padding", lambda p: (
        open_stream(p), p.raw(DATA, END_STREAM | PADDED, 1, b"\x06test" + bytes(6))), Answers()),
    case("generic 3.2", "HEADERS", lambda p: p.head(), Answers()),
    case("generic 3.2", "HEADERS with padding", lambda p: p.raw(
        HEADERS, END_HEADERS | END_STREAM | PADDED, 1, b"\x06" + p.block(p.fields()) + bytes(6)), Answers()),
    case("generic 3.2", "HEADERS with priority", lambda p: p.raw(
        HEADERS, END_HEADERS | END_STREAM | PRIORITIZED, 1, prioritized(p, 15) + p.block(p.fields())), Answers()),
    case("generic 3.3", "PRIORITY with weight 1", lambda p: p.raw(PRIORITY, 0, 1, prioritized(p, 0)), Works()),
    case("generic 3.3", "PRIORITY with weight 256", lambda p: p.raw(PRIORITY, 0, 1, prioritized(p, 255)), Works()),
    case("generic 3.3", "PRIORITY with a dependency", lambda p: p.raw(PRIORITY, 0, 3, prioritized(p, 15, 1)), Works()),
    case("generic 3.3", "PRIORITY, exclusive", lambda p: p.raw(PRIORITY, 0, 3, prioritized(p, 15, 1, True)), Works()),
    case("generic 3.3", "PRIORITY for an idle stream, then a lower one", lambda p: (
        p.raw(PRIORITY, 0, 5, PRIORITY_FIELDS), p.head()), Answers()),
    case("generic 3.4", "RST_STREAM", lambda p: (open_stream(p), p.reset()), Works()),
    case("generic 3.5", "SETTINGS", lambda p: p.raw(SETTINGS, 0, 0, setting(3, 100)), Acknowledges("SETTINGS")),
    case("generic 3.7", "PING", lambda p: p.raw(PING, 0, 0, b"12345678"), Acknowledges("PING", b"12345678")),
    case("generic 3.8", "GOAWAY", lambda p: p.raw(GOAWAY, 0, 0, bytes(8)), Works(asks=False)),
    case("generic 3.9", "WINDOW_UPDATE", lambda p: p.update(1), Works()),
    case("generic 3.9", "WINDOW_UPDATE of a stream", lambda p: (open_stream(p), p.update(1, 1), p.data(end=True)), Answers()),
    case("generic 3.10", "CONTINUATION", lambda p: split(p, 1), Answers()),
    case("generic 3.10", "several CONTINUATIONs", lambda p: split(p, 3), Answers()),
    case("generic 4", "GET", lambda p: p.head(), Answers()),
    case("generic 4", "HEAD", lambda p: p.head(fields=p.fields(method="HEAD")), Answers()),
    case("generic 4", "POST", lambda p: (open_stream(p), p.data(b"test", end=True)), Answers()),
    case("generic 4", "POST with trailers", lambda p: (
        p.head(fields=p.fields(("trailer", "x-test"), method="POST"), end=False), p.data(b"test"),
        p.head(fields=[("x-test", "ok")])), Answers()),
    *(
        case("generic 5", f"HPACK: {kind}{', Huffman' if huffman else ''}", lambda p, line=line: by_hand(p, line), Answers())
        for kind, huffman, line in [
            ("indexed", False, b"\x90"),
            ("indexing, indexed name", False, literal(0x7A, (VALUE, False))),
            ("indexing, indexed name", True, literal(0x7A, (HUFFMAN_TEST, True))),
            ("indexing, new name", False, literal(0x40, (b"x-test", False), (VALUE, False))),
            ("indexing, new name", True, literal(0x40, (HUFFMAN_NAME, True), (HUFFMAN_TEST, True))),
            ("without indexing, indexed name", False, literal(0x0F, ) + b"\x2b" + literal(len(VALUE)) + VALUE),
            ("without indexing, indexed name", True, literal(0x0F, ) + b"\x2b" + literal(0x83) + HUFFMAN_TEST),
            ("without indexing, new name", False, literal(0x00, (b"x-test", False), (VALUE, False))),
            ("without indexing, new name", True, literal(0x00, (HUFFMAN_NAME, True), (HUFFMAN_TEST, True))),
            ("never indexed, indexed name", False, literal(0x1F, ) + b"\x2b" + literal(len(VALUE)) + VALUE),
            ("never indexed, indexed name", True, literal(0x1F, ) + b"\x2b" + literal(0x83) + HUFFMAN_TEST),
            ("never indexed, new name", False, literal(0x10, (b"x-test", False), (VALUE, False))),
            ("never indexed, new name", True, literal(0x10, (HUFFMAN_NAME, True), (HUFFMAN_TEST, True))),
        ]
    ),
    case("generic 5", "HPACK: change of the table's size", lambda p: p.raw(
        HEADERS, END_HEADERS | END_STREAM, 1, b"\x21" + p.block(p.fields())), Answers()),
    case("generic 5", "HPACK: two changes of the table's size", lambda p: p.raw(
        HEADERS, END_HEADERS | END_STREAM, 1, b"\x20\x3f\xe1\x1f" + p.block(p.fields())), Answers()),
]  # fmt: skip

REFUSED = [
    case("3.4", "preface", lambda p: p.preface(), Acknowledges("SETTINGS"), handshake=False),
    case("3.4", "invalid preface", lambda p: p.write(b"INVALID CONNECTION PREFACE\r\n\r\n"), connection_error(PROTOCOL),
        handshake=False),
    case("3.4", "frame other than SETTINGS after the preface", lambda p: p.write(PREFACE + frame(PING, 0, 0, bytes(8))),
         connection_error(PROTOCOL), handshake=False),
    case("4.2", "DATA of 2^14 bytes", lambda p: (open_stream(p), p.data(bytes(FRAME_SIZE), end=True)), Answers()),
    case("5.1", "half-closed: DATA", lambda p: (p.head(), p.data(b"test")), stream_error(CLOSED), HELD),
    case("5.1", "half-closed: HEADERS", lambda p: (p.head(), p.head()), stream_error(CLOSED), HELD),
    case("5.1", "half-closed: CONTINUATION", lambda p: (p.head(), p.raw(CONTINUATION, END_HEADERS, 1, p.block(p.fields()))),
         connection_error(CLOSED, PROTOCOL), HELD),
    case("5.1", "closed: DATA", lambda p: (p.head(), p.wait_for(lambda came: came.ends_stream), p.data(b"test")),
         stream_error(CLOSED)),
    case("5.1", "closed: HEADERS", lambda p: (p.head(), p.wait_for(lambda came: came.ends_stream), p.head()),
         connection_error(CLOSED)),
    case("5.1", "closed: CONTINUATION", lambda p: (
        p.head(), p.wait_for(lambda came: came.ends_stream), p.raw(CONTINUATION, END_HEADERS, 1, p.block(p.fields()))),
        connection_error(CLOSED, PROTOCOL)),
    case("5.1.1", "even stream", lambda p: p.head(2), connection_error(PROTOCOL)),
    case("5.1.1", "stream below an earlier one", lambda p: (p.head(5), p.head(3)), connection_error(PROTOCOL)),
    case("5.1.2", "more streams than allowed", too_many, stream_error(PROTOCOL, Code.REFUSED_STREAM)),
    case("5.3.1", "HEADERS that depends on itself", lambda p: p.raw(
        HEADERS, END_HEADERS | END_STREAM | PRIORITIZED, 1, prioritized(p, 15, 1) + p.block(p.fields())), stream_error(PROTOCOL)),
    case("5.3.1", "PRIORITY that depends on itself", lambda p: p.raw(PRIORITY, 0, 1, prioritized(p, 15, 1)),
        stream_error(PROTOCOL)),
    case("5.4.1", "GOAWAY before the end", lambda p: p.raw(PING, 0, 0, bytes(6)), connection_error(Code.FRAME_SIZE_ERROR)),
    case("6.1", "DATA on a stream that is not open", lambda p: (p.head(), p.data(b"test")), stream_error(CLOSED), HELD),
    case("6.2", "HEADERS followed by another frame", lambda p: (begin_block(p), p.raw(PRIORITY, 0, 1, PRIORITY_FIELDS)),
         connection_error(PROTOCOL)),
    case("6.2", "HEADERS followed by HEADERS of another stream", lambda p: (begin_block(p), p.head(3)),
        connection_error(PROTOCOL)),
    case("6.4", "RST_STREAM on an idle stream", lambda p: p.reset(1), connection_error(PROTOCOL)),
    case("6.5.2", "SETTINGS_ENABLE_PUSH of 2", lambda p: p.raw(SETTINGS, 0, 0, setting(codes.ENABLE_PUSH, 2)),
         connection_error(PROTOCOL)),
    case("6.5.3", "the last of several values counts", lambda p: (
        p.raw(SETTINGS, 0, 0, setting(codes.INITIAL_WINDOW_SIZE, 100) + setting(codes.INITIAL_WINDOW_SIZE, 1)), p.head()),
        SendsData((1,))),
    case("6.9.1", "a window of one byte", lambda p: p.head(), SendsData((1,)), setting(codes.INITIAL_WINDOW_SIZE, 1)),
    case("6.9.2", "a window that opens after HEADERS", lambda p: resume(p, 1), SendsData((1,)), HELD),
    case("6.9.2", "a negative window", lambda p: (
        p.head(), p.wait_for(lambda came: came.name == "DATA"), p.raw(SETTINGS, 0, 0, setting(codes.INITIAL_WINDOW_SIZE, 2)),
        p.update(2, 1)), SendsData((1,)), setting(codes.INITIAL_WINDOW_SIZE, 3)),
    case("6.9.2", "a window above 2^31-1", lambda p: p.raw(SETTINGS, 0, 0, setting(codes.INITIAL_WINDOW_SIZE, 1 << 31)),
         connection_error(FLOW)),
    case("6.10", "several CONTINUATIONs", lambda p: split(p, 2), Answers()),
    case("8.1", "second HEADERS without END_STREAM", lambda p: (open_stream(p), p.head(fields=[("x-test", "ok")], end=False)),
         malformed()),
    request("8.2.1", "upper case in a name", lambda fields: [*fields, ("X-TEST", "ok")]),
    request("8.2.1", "blank in a name", lambda fields: [*fields, ("x test", "ok")]),
    request("8.2.1", "colon in a name", lambda fields: [*fields, ("x:test", "ok")]),
    request("8.2.1", "CR LF in a value", crlf),
    request("8.2.1", "NUL in a value", lambda fields: [*fields, ("x-a", "a\0b")]),
    request("8.2.1", "blank at a value's end", lambda fields: [*fields, ("x-a", "a ")]),
    request("8.3", "unknown pseudo-field", lambda fields: [(":test", "ok"), *fields]),
    request("8.3", "pseudo-field of a response", lambda fields: [(":status", "200"), *fields]),
    case("8.3", "pseudo-field in trailers", lambda p: (
        p.head(fields=p.fields(("trailer", "x-test"), method="POST"), end=False), p.data(b"test"),
        p.head(fields=[(":method", "GET"), ("x-test", "ok")])), malformed()),
    request("8.3", "pseudo-field after a field", lambda fields: [("x-test", "ok"), *fields]),
    request("8.2.2", "connection", lambda fields: [*fields, ("connection", "keep-alive")]),
    request("8.2.2", "transfer-encoding", lambda fields: [*fields, ("transfer-encoding", "chunked")]),
    request("8.2.2", "upgrade", lambda fields: [*fields, ("upgrade", "h2c")]),
    request("8.2.2", "te other than trailers", lambda fields: [*fields, ("te", "trailers, deflate")]),
    request("8.2.2", "te: trailers", lambda fields: [*fields, ("te", "trailers")], Answers()),
    request("8.3.1", "empty :path", lambda fields: [(name, "" if name == ":path" else value) for name, value in fields]),
    *(request("8.3.1", f"no {name}", without(name)) for name in (":method", ":scheme", ":path")),
    *(request("8.3.1", f"{name} twice", twice(name)) for name in (":method", ":scheme", ":path")),
    request("8.3.1", ":path with a blank", lambda fields: [(name, "/a b" if name == ":path" else value) for name,
        value in fields]),
    request("8.3.1", ":method with a blank", lambda fields: [(name, "GE T" if name == ":method" else value) for name,
        value in fields]),
    case("8.1.1", "content-length against one DATA", lambda p: lengths(p, 1, b"test"), malformed()),
    case("8.1.1", "content-length against several DATA", lambda p: lengths(p, 1, b"test", b"test"), malformed()),
    case("8.1.1", "content-length without DATA", lambda p: p.head(fields=p.fields(("content-length", "5"))), malformed()),
    case("8.4", "PUSH_PROMISE", lambda p: (
        open_stream(p), p.raw(PUSH_PROMISE, END_HEADERS, 1, number(3) + p.block(p.fields()))), connection_error(PROTOCOL)),
]  # fmt: skip

ALL = TAKEN + REFUSED
