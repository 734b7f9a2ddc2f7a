"""For clients that know no proxy: listens, and opens a tunnel by CONNECT for each connection. Run as
`python3 -m lab.http2.forward PROXY TARGET`, both HOST:PORT; says `port N` when it listens."""

from __future__ import annotations

import asyncio
import contextlib
import sys

from lab.wire import HOST, PIECE, connect_request


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(PIECE):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: tuple[str, int], target: str) -> None:
    there, toward = await asyncio.open_connection(*proxy)
    toward.write(connect_request(target))
    head = await there.readuntil(b"\r\n\r\n")
    if b" 200 " in head:
        await asyncio.gather(copy(reader, toward), copy(there, writer))
    for end in (writer, toward):
        end.close()


async def main() -> None:
    host, _, port = sys.argv[1].rpartition(":")
    server = await asyncio.start_server(lambda r, w: forward(r, w, (host, int(port)), sys.argv[2]), HOST, 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
