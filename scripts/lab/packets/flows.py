"""Connections out of packets: the bytes of each direction, and which packet brought which byte."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from lab.packets.capture import ACK, SYN, Address, Packet

_MODULUS = 1 << 32


class Torn(Exception):
    """Bytes of a connection are missing, or are not what they should be."""


@dataclass
class Bytes:
    """Bytes in their order, in pieces that came together. A piece has two stamps in nanoseconds: those of the packets that have
    its first and its last byte. They differ if it is a record of TLS that lies in several packets."""

    data: bytearray = field(default_factory=bytearray)
    _starts: list[int] = field(default_factory=list)
    _stamps: list[tuple[int, int]] = field(default_factory=list)

    def append(self, data: bytes, began: int, ended: int) -> None:
        if data:
            self._starts.append(len(self.data))
            self._stamps.append((began, ended))
            self.data += data

    def began(self, offset: int) -> int:
        """When the piece with that byte began to come: the packet that a writer of the byte let go first."""
        return self._stamps[self._piece(offset)][0]

    def came(self, offset: int) -> int:
        """When the piece with that byte was complete: the packet after which a reader could have the byte."""
        return self._stamps[self._piece(offset)][1]

    def after(self, offset: int) -> Bytes:
        """What comes behind that many bytes."""
        rest = Bytes()
        for start, end, stamps in zip(self._starts, [*self._starts[1:], len(self.data)], self._stamps):
            rest.append(bytes(self.data[max(start, offset) : end]), *stamps)
        return rest

    def _piece(self, offset: int) -> int:
        if offset >= len(self.data):
            raise Torn(f"byte {offset} of {len(self.data)} did not come")
        return bisect_right(self._starts, offset) - 1


@dataclass
class Direction:
    """What one end sent, from the sequence number `initial` on. `opened` is its SYN, `answered` its first ACK without one."""

    bytes: Bytes = field(default_factory=Bytes)
    initial: int | None = None
    opened: int | None = None
    answered: int | None = None
    _next: int | None = None

    def take(self, packet: Packet) -> None:
        if packet.flags & SYN:
            # The first one counts, if it was sent again.
            if self.initial is None:
                self.opened, self.initial = packet.stamp, packet.sequence
                self._next = (packet.sequence + 1) % _MODULUS
            return
        if self._next is None:
            raise Torn("a connection has no beginning")
        if packet.flags & ACK and self.answered is None:
            self.answered = packet.stamp
        ahead = (packet.sequence - self._next + _MODULUS // 2) % _MODULUS - _MODULUS // 2
        if ahead > 0 and packet.payload:
            raise Torn(f"{ahead} bytes of a connection are missing")
        # What is sent again came before; a probe has an old byte or none.
        fresh = packet.payload[-ahead:] if ahead < 0 else packet.payload
        self.bytes.append(fresh, packet.stamp, packet.stamp)
        self._next = (self._next + len(fresh)) % _MODULUS


@dataclass
class Flow:
    """A connection; `client` opened it."""

    client: Address
    server: Address
    sent: Direction = field(default_factory=Direction)
    received: Direction = field(default_factory=Direction)


def assemble(packets: Iterable[Packet]) -> list[Flow]:
    """All connections that were opened, in that order. Loopback soon uses a pair of addresses again, for another connection."""
    flows: list[Flow] = []
    latest: dict[tuple[Address, Address], Flow] = {}
    for packet in packets:
        ends = (packet.source, packet.destination)
        opens = packet.flags & SYN and not packet.flags & ACK
        if opens and (ends not in latest or latest[ends].sent.initial != packet.sequence):
            latest[ends] = Flow(*ends)
            flows.append(latest[ends])
        if flow := latest.get(ends):
            flow.sent.take(packet)
        elif flow := latest.get((packet.destination, packet.source)):
            flow.received.take(packet)
    return flows
