"""HTTP/1.1 messages over asyncio's streams, as far as the soak's own client and origin speak it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

Fields = dict[str, str]


class Broken(Exception):
    """The peer closed, or did not speak HTTP."""


@dataclass(frozen=True)
class Head:
    """The first line, split at its spaces, and the fields under lower-case names."""

    line: list[str]
    fields: Fields

    @property
    def status(self) -> int:
        return int(self.line[1])


async def read_head(reader: asyncio.StreamReader) -> Head:
    try:
        octets = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, OSError) as error:
        raise Broken(f"no head came: {error}") from error
    first, *rest = octets[:-4].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in rest)
    return Head(first.split(" ", 2), {name.lower(): value.strip() for name, _, value in pairs})


async def read_body(reader: asyncio.StreamReader, fields: Fields) -> bytes:
    """A body with a length of its own; one that ends early is `Broken`."""
    try:
        if fields.get("transfer-encoding") == "chunked":
            return await _read_chunks(reader)
        return await reader.readexactly(int(fields.get("content-length", 0)))
    except (asyncio.IncompleteReadError, OSError) as error:
        raise Broken(f"the body was cut off: {error}") from error


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass
    return bytes(body)


def chunk(octets: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(octets), octets)
