"""What a case is: what a peer does on a connection, and what the other end must do then."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from lab.http2 import codes
from lab.http2.codes import Code, code_name
from lab.http2.peer import Peer, Received

# Of the other end, to say what is wrong.
PATIENCE = 3.0
_pings = itertools.count(1)

CLIENT, ORIGIN = "client", "origin"
BOTH = frozenset({CLIENT, ORIGIN})


class Expectation(Protocol):
    def complaint(self, peer: Peer) -> str | None: ...


@dataclass(frozen=True)
class Fails:
    """The connection ends (RFC 9113, 5.4.1), by GOAWAY with one of the codes or, as the RFC allows, without; or, where the fault
    is
    the stream's alone (5.4.2), it is reset with one of them. A malformed request may be answered instead (8.1.1)."""

    codes: frozenset[int]
    stream_suffices: bool
    answers: bool = False

    def complaint(self, peer: Peer) -> str | None:
        for came in peer.events(PATIENCE):
            if came.name == "GOAWAY" or (came.name == "RSTSTREAM" and self.stream_suffices):
                return None if came.code in self.codes else f"{came} instead of {self._names()}"
            if self.answers and came.value(":status").startswith("4"):
                return None
        if peer.ended in ("closed", "reset"):
            return None
        return peer.ended or f"no {self._names()}; the last that came is {peer.received[-1] if peer.received else 'nothing'}"

    def _names(self) -> str:
        return " or ".join(code_name(code) for code in sorted(self.codes))


def connection_error(*codes: Code) -> Fails:
    return Fails(frozenset(codes), stream_suffices=False)


def stream_error(*codes: Code) -> Fails:
    return Fails(frozenset(codes), stream_suffices=True)


def malformed() -> Fails:
    """RFC 9113, 8.1.1."""
    return Fails(frozenset({Code.PROTOCOL_ERROR}), stream_suffices=True, answers=True)


@dataclass(frozen=True)
class Works:
    """Nothing happened: PING is answered, and a client's request is. Without `asks`, and if it is a client, the other end may
    also
    leave in peace."""

    asks: bool = True

    def complaint(self, peer: Peer) -> str | None:
        may_leave = not (peer.is_client and self.asks)
        payload = b"works%03d" % (next(_pings) % 1000)
        peer.raw(codes.PING, 0, 0, payload)
        for came in peer.events(PATIENCE):
            if came.name == "GOAWAY" and came.code == Code.NO_ERROR and may_leave:
                return None
            if came.name == "GOAWAY":
                return f"{came}"
            if came.name == "PING" and came.frame.opaque_data == payload:
                break
        else:
            if peer.ended == "closed" and may_leave:
                return None
            return peer.ended or "PING is not answered"
        if may_leave:
            return None
        stream = peer.stream + 1000
        peer.head(stream)
        answer = peer.wait_for(lambda came: came.stream == stream and came.name in ("HEADERS", "RSTSTREAM"), PATIENCE)
        if not answer or answer.name != "HEADERS":
            return f"a request afterwards: {answer or peer.ended or 'no answer'}"
        return None


@dataclass(frozen=True)
class Answers:
    """The stream has its response; after that it is as `Works`."""

    status: str = "200"

    def complaint(self, peer: Peer) -> str | None:
        for came in peer.events(PATIENCE):
            if came.name in ("GOAWAY", "RSTSTREAM"):
                return f"{came}"
            if came.stream == peer.stream and came.fields and not came.value(":status").startswith("1"):
                return None if came.value(":status") == self.status else f"status {came.value(':status')}"
        return peer.ended or "no answer"


@dataclass(frozen=True)
class Acknowledges:
    """SETTINGS and PING, with what was sent (RFC 9113, 6.5.3 and 6.7)."""

    name: str
    payload: bytes = b""

    def complaint(self, peer: Peer) -> str | None:
        def wanted(came: Received) -> bool:
            if came.name != self.name or "ACK" not in came.frame.flags:
                return False
            return self.name != "PING" or came.frame.opaque_data == self.payload

        return None if peer.wait_for(wanted, PATIENCE) else peer.ended or f"{self.name} is not acknowledged"


@dataclass(frozen=True)
class SendsData:
    """The first DATA frames of the stream have these sizes, and in `quiet` seconds nothing more comes (RFC 9113, 6.9)."""

    sizes: tuple[int, ...]
    quiet: float = 0.3

    def complaint(self, peer: Peer) -> str | None:
        sizes: list[int] = []
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for came in peer.events(self.quiet):
                if came.name == "DATA" and came.stream == peer.stream:
                    sizes.append(came.frame.flow_controlled_length)
                elif came.name in ("GOAWAY", "RSTSTREAM"):
                    return f"{came}"
            if sum(sizes) >= sum(self.sizes) or peer.ended:
                break
        return None if sum(sizes) == sum(self.sizes) else f"DATA of {sizes} instead of {list(self.sizes)}"


@dataclass(frozen=True)
class Case:
    section: str
    name: str
    act: Callable[[Peer], object]
    expect: Expectation
    legs: frozenset[str] = field(default=frozenset({CLIENT}))
    # Of our own preface.
    settings: bytes = b""
    # Without, `act` begins with the preface.
    handshake: bool = True

    @property
    def title(self) -> str:
        return f"{self.section} {self.name}"
