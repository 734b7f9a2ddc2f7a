"""The origin of the rich session: every framing, every coding, every way to fail, written to the byte."""

from __future__ import annotations

import gzip
import socket
import ssl
import time
import zlib
from collections.abc import Callable

import brotli
import zstandard

from lab.origin import Exchange, Origin, serving
from lab.wire import reset_on_close

TEXT = "The quick brown fox jumps over the lazy dog. " * 20
LARGE = 3 << 20
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
PAGE = f"""<!DOCTYPE html><html><head><title>A page</title><link rel="stylesheet" href="/style.css"></head>
<body><h1>A page</h1><p>{TEXT}</p><img src="/pixel.png"></body></html>"""
CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "identity": lambda data: data,
}
COOKIES = [
    "session=0123456789abcdef; Path=/; Domain=localhost; Max-Age=3600; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Secure; HttpOnly"
    "; SameSite=Lax",
    "plain=1", "empty=", "expired=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "old=y; expires=Sunday, 06-Nov-94 08:49:37 GMT",
    "bad-date=z; Expires=whenever", 'quoted="a b"; SameSite=None; Secure', "partitioned=p; Secure; Partitioned; SameSite=Strict",
]  # fmt: skip

Answer = Callable[[Exchange], bool]


def coded(exchange: Exchange) -> bool:
    """`?codings=gzip,br`: in the order in which they were applied."""
    body, names = TEXT.encode(), exchange.query["codings"].split(",")
    for name in names:
        body = CODINGS[name](body)
    return exchange.respond(body, fields=["Content-Type: text/plain; charset=utf-8", f"Content-Encoding: {', '.join(names)}"])


def charset(exchange: Exchange) -> bool:
    name = exchange.query["name"]
    return exchange.respond(exchange.query["text"].encode(name), fields=[f"Content-Type: text/html; charset={name}"])


def status(exchange: Exchange) -> bool:
    code = exchange.query["code"]
    fields = ["Content-Type: text/plain", *([f"Location: {exchange.query['to']}"] if "to" in exchange.query else [])]
    if code in ("204", "304"):
        exchange.send(f'HTTP/1.1 {code} Reason of {code}\r\nETag: "e"\r\n\r\n')
        return True
    return exchange.respond(b"" if code == "205" else b"status\n", status=f"{code} Reason of {code}", fields=fields)


def until_close(exchange: Exchange, version: str = "1.1") -> bool:
    exchange.send(f"HTTP/{version} 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n{TEXT}")
    return False


def informational(exchange: Exchange) -> bool:
    exchange.send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
    return exchange.respond(TEXT.encode())


def cut(exchange: Exchange, text: str) -> bool:
    exchange.send(text)
    return False


def slow(exchange: Exchange) -> bool:
    time.sleep(0.05)
    return exchange.respond(TEXT.encode())


def reset(exchange: Exchange) -> bool:
    reset_on_close(exchange.connection)
    return False


def hang(exchange: Exchange) -> bool:
    exchange.connection.settimeout(10)
    exchange.connection.recv(1)
    return False


PATHS: dict[str, Answer] = {
    "/": lambda e: e.respond(PAGE.encode(), fields=["Content-Type: text/html; charset=utf-8"]),
    "/style.css": lambda e: e.respond(b"h1 { color: teal }", fields=["Content-Type: text/css"]),
    "/pixel.png": lambda e: e.respond(PIXEL, fields=["Content-Type: image/png"]),
    "/length": lambda e: e.respond(TEXT.encode()),
    "/empty": lambda e: e.respond(),
    "/echo": lambda e: e.respond(e.body, fields=[f"Content-Type: {e.fields.get('content-type', 'application/byte-stream')}"]),
    "/chunked": lambda e: e.respond_chunked([TEXT.encode(), b"x", TEXT.encode()]),
    "/trailers": lambda e: e.respond_chunked(
        [TEXT.encode()], ["Content-Type: text/plain", "Trailer: X-Checksum"], "X-Checksum: abc\r\n"
    ),
    "/events": lambda e: e.respond_chunked(
        [b"data: %d\n\n" % n for n in range(5)], ["Content-Type: text/event-stream"], pause=0.02
    ),
    "/close": until_close,
    "/cut-close": until_close,
    "/http10": lambda e: until_close(e, "1.0"),
    "/informational": informational,
    "/coded": coded,
    "/badly-coded": lambda e: e.respond(TEXT.encode(), fields=["Content-Type: text/plain", "Content-Encoding: gzip"]),
    "/unknown-coding": lambda e: e.respond(b"\x01\x02", fields=["Content-Type: text/plain", "Content-Encoding: snappy"]),
    "/charset": charset,
    "/not-text": lambda e: e.respond(b"\xff\xfe\x80\x81", fields=["Content-Type: text/plain; charset=utf-8"]),
    "/binary": lambda e: e.respond(bytes(range(256)) * 8, fields=["Content-Type: application/octet-stream"]),
    "/no-type": lambda e: e.respond(b"?", fields=["X-Nothing: 1"]),
    "/json": lambda e: e.respond(b'{"a": [1, 2, {"b": "\\u0142"}]}', fields=["Content-Type: application/json"]),
    "/large": lambda e: e.respond(bytes(LARGE), fields=["Content-Type: application/octet-stream"]),
    "/large-text": lambda e: e.respond(b"0123456789abcde\n" * (LARGE >> 4)),
    "/cookies": lambda e: e.respond(fields=[f"Set-Cookie: {cookie}" for cookie in COOKIES]),
    "/fields": lambda e: e.respond(fields=["X-Twice: 1", "x-twice: 2", "X-Empty:", "X-Latin: caf\xe9", "X-Long: " + "y" * 8000]),
    "/status": status,
    "/slow": slow,
    "/cut-length": lambda e: cut(e, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/plain\r\n\r\nonly this"),
    "/cut-chunked": lambda e: cut(e, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nonly\r\n64\r\nthis"),
    "/cut-head": lambda e: cut(e, "HTTP/1.1 200 OK\r\nContent-Le"),
    "/silent": lambda e: False,
    "/reset": reset,
    "/no-http": lambda e: cut(e, "\x00\x01\x02 this is no response\r\n\r\n"),
    "/conflicting": lambda e: cut(e, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    "/hang": hang,
}


def start(context: ssl.SSLContext | None = None) -> Origin:
    def handle(connection: socket.socket) -> None:
        path = ""

        def answer(exchange: Exchange) -> bool:
            nonlocal path
            path = exchange.url.path
            return PATHS.get(path, lambda e: e.respond(b"no such thing\n", status="404 Not Found"))(exchange)

        serving(answer)(connection)
        if isinstance(connection, ssl.SSLSocket) and path != "/cut-close":
            # Says that this was all (close_notify), where the end of the connection ends a body.
            connection.settimeout(5)
            connection.unwrap()

    return Origin(handle, context)
