"""What an attack is, and how it is carried out: until it is over, or the other end has had enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.http2 import codes
from lab.http2.codes import Code, code_name
from lab.http2.peer import Peer, Received

# Frames of a flood; a tenth of it in the short form.
COUNT = 100_000
BATCH = 200
# For the other end, to say that it is enough once the attack is over.
PATIENCE = 5.0
HOLD = 0.5
ENOUGH = frozenset({Code.ENHANCE_YOUR_CALM, Code.PROTOCOL_ERROR, Code.INTERNAL_ERROR, Code.REFUSED_STREAM, Code.CANCEL})


@dataclass(frozen=True)
class Attack:
    """`act` sends it, `count` frames of it if it is a flood. `path` of its first request begins with its name."""

    name: str
    act: Callable[[Peer, int], object]
    codes: frozenset[int] = ENOUGH
    # The other end may also bear it, as long as it costs little.
    bearable: bool = False
    settings: bytes = b""
    # Of the requests, for an origin: what the client sends behind the head.
    upload: int = 0


@dataclass
class Outcome:
    attack: str
    leg: str
    told: str
    sent: int
    seconds: float
    complaints: list[str] = field(default_factory=list)


def flood(peer: Peer, make: Callable[[int], bytes], count: int, reads: bool = True) -> int:
    """Sends so many frames, unless the other end says that it is enough, or takes no more; returns how many it sent."""
    for first in range(0, count, BATCH):
        if peer.ended or peer.is_stuck or peer.goaway:
            return first
        peer.write(b"".join(make(number) for number in range(first, min(first + BATCH, count))), PATIENCE if reads else 1, reads)
    return count


def told(peer: Peer, stream: int) -> Received | None:
    """How the attacker was told: the first GOAWAY with a code, else the last reset, else an answer to the stream that says no."""
    resets = [came for came in peer.received if came.name == "RSTSTREAM"]
    refusals = [came for came in peer.received if came.stream == stream and came.value(":status")[:1] in ("4", "5")]
    return peer.goaway or next(iter(resets[-1:] + refusals), None)


def verdict(attack: Attack, peer: Peer, stream: int) -> tuple[str, str | None]:
    """How it was told, and what is wrong with that."""
    deadline = time.monotonic() + PATIENCE
    if attack.bearable:
        # What it costs may show a little later.
        deadline = time.monotonic() + HOLD
        while not peer.ended and not peer.goaway and time.monotonic() < deadline:
            next(peer.events(0.1), None)
    else:
        while not peer.ended and not told(peer, stream) and time.monotonic() < deadline:
            next(peer.events(0.2), None)
    came = told(peer, stream)
    if came is None:
        how = peer.ended or ("does not read" if peer.is_stuck else "borne")
        if attack.bearable or peer.ended in ("closed", "reset"):
            # A reset can overtake the GOAWAY that was sent before it, when it meets bytes that nobody has read.
            return how, None
        return how, "the peer was not told"
    if came.fields:
        return f"status {came.value(':status')}", None
    fits = came.code in attack.codes
    return f"{came.name} {code_name(came.code)}", None if fits else f"{came} does not fit"


def indexed(index: int) -> bytes:
    """A field line of HPACK that stands in a table."""
    assert index < 127
    return bytes([0x80 | index])


def new_entry(name: bytes, value: bytes) -> bytes:
    """A field line of HPACK that goes into the table, without Huffman's code."""
    return b"\x40" + text(name) + text(value)


def text(value: bytes) -> bytes:
    length = len(value)
    if length < 127:
        return bytes([length]) + value
    rest, digits = length - 127, bytearray()
    while rest >= 128:
        digits.append(rest % 128 | 0x80)
        rest //= 128
    return bytes([127]) + bytes(digits) + bytes([rest]) + value


def in_pieces(peer: Peer, block: bytes, stream: int, end: bool = True) -> None:
    """A header section of any size."""
    first, rest = block[: codes.FRAME_SIZE], block[codes.FRAME_SIZE :]
    flags = (codes.END_STREAM if end else 0) | (0 if rest else codes.END_HEADERS)
    peer.raw(codes.HEADERS, flags, stream, first)
    while rest and not peer.ended and not peer.goaway:
        first, rest = rest[: codes.FRAME_SIZE], rest[codes.FRAME_SIZE :]
        peer.raw(codes.CONTINUATION, 0 if rest else codes.END_HEADERS, stream, first)
