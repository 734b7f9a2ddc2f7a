"""The soak's origin: answers by the first word of the path, and begins each body with the number that the request carried, so that
a body that reaches somebody else is noticed. Run as `scripted.py CERTIFICATE KEY`; prints its two ports, the second with TLS."""

from __future__ import annotations

import asyncio
import ssl
import socket
import struct
import sys
from urllib.parse import parse_qs, urlsplit

import wire

FILLER = "The quick brown fox jumps over the lazy dog. " * 1500
SMALL, MEDIUM = 1 << 10, 64 << 10
DELAY_SECONDS = 0.05
# More than `large` sends before it is cut off, and more than a client reads that hangs up.
ANNOUNCED = 1 << 20


def body(number: str, size: int) -> bytes:
    return f"{number} {FILLER}"[:size].ljust(size).encode()


def response(status: str, content: bytes, media_type: str = "text/plain") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while await answer(reader, writer):
            await writer.drain()
    except (wire.Broken, OSError):
        pass
    finally:
        writer.close()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether the connection goes on."""
    head = await wire.read_head(reader)
    target = urlsplit(head.line[1])
    kind, number = target.path.strip("/"), parse_qs(target.query)["n"][0]
    content = await wire.read_body(reader, head.fields)
    match kind:
        case "medium":
            writer.write(response("200 OK", body(number, MEDIUM)))
        case "document":
            writer.write(response("200 OK", f'{{"number": "{number}", "text": "{FILLER[:500]}"}}'.encode(), "application/json"))
        case "post" | "upload":
            writer.write(response("200 OK", f"{number} {len(content)}".encode()))
        case "chunked":
            pieces = body(number, MEDIUM // 8)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nTrailer: Number\r\n\r\n")
            for start in range(0, len(pieces), 1000):
                writer.write(wire.chunk(pieces[start : start + 1000]))
            writer.write(f"0\r\nNumber: {number}\r\n\r\n".encode())
        case "delayed":
            await asyncio.sleep(DELAY_SECONDS)
            writer.write(response("200 OK", body(number, SMALL)))
        case "missing":
            writer.write(response("404 Not Found", body(number, SMALL)))
        case "truncated" | "abandoned":
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {ANNOUNCED}\r\n\r\n".encode())
            writer.write(body(number, MEDIUM))
            await writer.drain()
            if kind == "abandoned":
                await reader.read(1)
            return False
        case "reset":
            raw: socket.socket = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return False
        case _:
            writer.write(response("200 OK", body(number, SMALL)))
    return True


async def main() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    plain = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    secure = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024, ssl=context)
    print(*(server.sockets[0].getsockname()[1] for server in (plain, secure)), flush=True)
    await asyncio.gather(plain.serve_forever(), secure.serve_forever())


if __name__ == "__main__":
    asyncio.run(main())
