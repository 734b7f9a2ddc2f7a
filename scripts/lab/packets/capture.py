"""Packets of loopback with the kernel's stamps, in a ring that nobody reads before the end: reading would cost time.

Needs CAP_NET_RAW (packet(7)); the ring is that of version 3 in the kernel's `Documentation/networking/packet_mmap.rst`."""

from __future__ import annotations

import ctypes
import mmap
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from lab.process import ServerFailed

Address = tuple[str, int]

_SOL_PACKET, _ETH_P_ALL, _SO_ATTACH_FILTER = 263, 0x0003, 26
_PACKET_RX_RING, _PACKET_STATISTICS, _PACKET_VERSION, _PACKET_IGNORE_OUTGOING, _TPACKET_V3 = 5, 6, 10, 23, 2
# A block is given when it is full, or when its first packet is so old: a long time, or a slow script would use up many blocks.
_BLOCK, _FRAME, _RETIRE_MS = 1 << 18, 1 << 11, 1_000
_READY = 1
_LONGEST = 1 << 18
SYN, FIN, RST, ACK = 2, 1, 4, 16


@dataclass(frozen=True)
class Packet:
    """A segment of TCP as the receiver's side of loopback had it. `stamp` is CLOCK_REALTIME in nanoseconds."""

    stamp: int
    source: Address
    destination: Address
    sequence: int
    flags: int
    payload: bytes


class CaptureFailed(ServerFailed):
    """Packets cannot be read, or some are missing."""


class Capture:
    """All packets of TCP from or to the host `host`, and from or to the port `port` of any host, from its making on.

    It is bound to no device and to no protocol: the kernel stamps a packet right before IP gets it. A socket for IP alone comes
    after IP (Linux 6.18), when the receiver may have read the bytes already, and has the processor of the sender."""

    def __init__(self, host: str, port: int, blocks: int = 1_024):
        self._blocks = blocks
        try:
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_ALL))
        except PermissionError as error:
            raise CaptureFailed("reading packets needs root, or the capability CAP_NET_RAW") from error
        self._attach(host, port)
        # The same packet on its way out is not seen as well.
        self._socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        self._socket.setsockopt(_SOL_PACKET, _PACKET_VERSION, _TPACKET_V3)
        ring = struct.pack("7I", _BLOCK, blocks, _FRAME, _BLOCK // _FRAME * blocks, _RETIRE_MS, 0, 0)
        self._socket.setsockopt(_SOL_PACKET, _PACKET_RX_RING, ring)
        self._ring = mmap.mmap(self._socket.fileno(), _BLOCK * blocks)

    def _attach(self, host: str, port: int) -> None:
        """A filter of bpf(4): the addresses and ports of a packet without options of IP, which loopback never has."""
        address = int.from_bytes(socket.inet_aton(host), "big")
        load, load_half, equal, give = 0x20, 0x28, 0x15, 0x06
        program = [
            (load, 0, 0, 12), (equal, 7, 0, address), (load, 0, 0, 16), (equal, 5, 0, address),
            (load_half, 0, 0, 20), (equal, 3, 0, port), (load_half, 0, 0, 22), (equal, 1, 0, port),
            (give, 0, 0, 0), (give, 0, 0, _LONGEST),
        ]  # fmt: skip
        code = b"".join(struct.pack("HBBI", *step) for step in program)
        buffer = ctypes.create_string_buffer(code)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HL", len(program), ctypes.addressof(buffer)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The block that is being filled is given in its time.
        time.sleep(1.5 * _RETIRE_MS / 1e3)
        counted, dropped, _ = struct.unpack("3I", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 12))
        self._packets = [packet for block in range(self._blocks) for packet in self._read(block * _BLOCK)]
        self._ring.close()
        self._socket.close()
        if dropped:
            size = self._blocks * _BLOCK >> 20
            raise CaptureFailed(f"the ring of {size} MiB took {counted - dropped} packets and dropped {dropped}")

    @property
    def packets(self) -> list[Packet]:
        """In their order; known when it has ended."""
        return self._packets

    def _read(self, block: int) -> Iterator[Packet]:
        status, count, first = struct.unpack_from("3I", self._ring, block + 8)
        place = block + first
        for _ in range(count if status & _READY else 0):
            following, seconds, nanoseconds, size = struct.unpack_from("4I", self._ring, place)
            start = place + struct.unpack_from("H", self._ring, place + 26)[0]
            if packet := parse(seconds * 1_000_000_000 + nanoseconds, self._ring[start : start + size]):
                yield packet
            place += following


def parse(stamp: int, data: bytes) -> Packet | None:
    """A packet from its head of IP on; nothing if it is not of TCP over IPv4."""
    head = (data[0] & 15) * 4
    if data[0] >> 4 != 4 or data[9] != socket.IPPROTO_TCP:
        return None
    total = int.from_bytes(data[2:4], "big")
    source_port, destination_port, sequence, _, offset, flags = struct.unpack_from("!HHIIBB", data, head)
    return Packet(
        stamp,
        (socket.inet_ntoa(data[12:16]), source_port),
        (socket.inet_ntoa(data[16:20]), destination_port),
        sequence,
        flags,
        bytes(data[head + (offset >> 4) * 4 : total]),
    )
