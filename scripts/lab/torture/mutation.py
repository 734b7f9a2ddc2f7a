"""Mutations of bytes: what a broken or malicious peer, or one that plays two readers off against each other, would send."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_INSERTS = [
    b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\0", b" ", b"\t", b"\x0b", b"\x0c", b"\x7f", b"\x80", b"\xa0", b"\xff", b":", b",",
    b";", b"\r\r\n", b"\n\n", b"\n\r\n", b"  ", b"\\", b"%", b"%00", b"/", b"@", b"#", b"?", b"*", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\x1b[2J", b"0\r\n\r\n",
]  # fmt: skip
_LINES = [
    b"Content-Length: 5", b"Content-Length: 0", b"Content-Length: +5", b"Content-Length: -1", b"Content-Length: 0x5",
    b"Content-Length: 5, 5", b"Content-Length: 99999999999999999999", b"Content-Length:", b"Content-Length: 5 5",
    b"Content-Length:\xa05", b"Content-Length : 5", b"content-length: 1000000", b"Content-Length: 18446744073709551616",
    b"Content_Length: 5", b"Transfer-Encoding: chunked", b"Transfer-Encoding: xchunked", b"Transfer-Encoding : chunked",
    b" Transfer-Encoding: chunked", b"Transfer-Encoding:\x0bchunked", b"Transfer-Encoding: chunked, chunked",
    b"Transfer-Encoding: identity", b"Transfer-Encoding: gzip, chunked", b"transfer-encoding: CHUNKED",
    b"Transfer-Encoding:\xa0chunked", b"Transfer-Encoding: \"chunked\"", b"Transfer-Encoding: chunked;q=1",
    b"Transfer-Encoding: ,chunked,", b"X: y\r\n Transfer-Encoding: chunked", b"X: y\nTransfer-Encoding: chunked",
    b"X: y\rTransfer-Encoding: chunked", b"X\0: y", b"X: \0", b"Host: evil.example", b"Host:", b"Host: a b", b"Host: a/b",
    b"Host: a@b", b"Host: [::1", b"Host: a:99999", b"Connection: content-length",
    b"Connection: transfer-encoding, host, x-mark", b"Connection: close", b"Connection: upgrade\r\nUpgrade: h2c",
    b"Connection: upgrade\r\nUpgrade: websocket", b"Connection: \x80,,", b"Expect: 100-continue", b"Expect: nonsense",
    b"Max-Forwards: 0", b"Max-Forwards: 99999999999999999999", b"Via: 1.1 tapeline", b"TE: trailers",
    b"Trailer: Content-Length", b": nothing", b"no colon", b"Date: never", b"Content-Encoding: gzip, gzip",
    b"Content-Type: text/plain; charset=\xff", b"Proxy-Authorization: Basic x",
    b"Upgrade: websocket\r\nSec-WebSocket-Accept: x", b"Set-Cookie: a\x01b", b"Location: \r\n\tfolded",
]  # fmt: skip
_NUMBERS = [b"0", b"1", b"-1", b"+1", b"0x1", b"99999999", b"18446744073709551616", b"fffffffffffffffff", b"ffffffffffffffff",
            b"7fffffffffffffff", b"00000000000000000001", b"1 ", b" 1", b"1e3", b""]  # fmt: skip
_STARTS = [
    b"HTTP/1.1 200\r\n", b"HTTP/1.1 200 \r\n", b"HTTP/2.0 200 OK\r\n", b"HTTP/1.0 200 OK\r\n", b"ICY 200 OK\r\n",
    b"HTTP/1.1 099 x\r\n", b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" * 50, b"HTTP/1.1 1000 x\r\n", b"http/1.1 200 OK\r\n", b"HTTP/1.1 200\tOK\r\n", b"\r\n",
    b"HTTP/1.1  200 OK\r\n", b"HTTP/1.1 204 x\r\n", b"HTTP/1.1 304 x\r\n", b"HTTP/1.1 205 x\r\n", b"HTTP/1.1 407 x\r\n",
    b"HTTP/1.1 999 x\r\n", b"HTTP/1.1 200 OK\n", b"HTTP/1.2 200 OK\r\n",
]  # fmt: skip
_NO_HTTP = [b"\x05\x01\x00", b"SSH-2.0-x\r\n", b"\x80\x2e\x01\x03\x01", b"\0" * 100, b"GET\r\n\r\n", b"\r\n\r\n", b"\n", b"\r"]
_LINE_ENDS = [b"\n", b"\r", b"", b"\r\r\n", b"\n\r", b"\r\n ", b" \r\n", b"\0\r\n", b"\r\n\r\n"]
_DIGITS = re.compile(rb"[0-9]+")
_LINE_END = re.compile(rb"\r\n")

Mutation = Callable[[random.Random, bytes, bytes], bytes]


def mutate(draw: random.Random, data: bytes, other: bytes, is_response: bool = False) -> bytes:
    """Harms `bytes` one to three times; `other` is what may be spliced in."""
    mutations = _OF_RESPONSES if is_response else _OF_REQUESTS
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
        data = draw.choice(mutations)(draw, data, other)
    return data


def garbage(draw: random.Random) -> bytes:
    """What is no HTTP at all."""
    form = draw.randrange(6)
    noise = draw.randbytes(draw.randint(1, 400))
    if form == 0:
        return noise
    if form == 1:
        return b"\x16\x03\x01" + len(noise).to_bytes(2) + noise
    if form == 2:
        hello = b"\x01" + len(noise).to_bytes(3) + b"\x03\x03" + noise
        return b"\x16\x03\x01" + len(hello).to_bytes(2) + hello
    if form == 3:
        return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + noise
    if form == 4:
        return draw.choice(_NO_HTTP)
    return b"A" * draw.choice((1, 100, 20_000, 90_000))


def _place(draw: random.Random, data: bytes) -> int:
    """Mostly in the first head, where most decisions are made."""
    end = data.find(b"\r\n\r\n") + 4
    return draw.randrange((end if end > 3 and draw.random() < 0.6 else len(data)) + 1)


def _flip(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at = min(_place(draw, data), len(data) - 1)
    if at < 0:
        return data
    changed = data[at] ^ (1 << draw.randrange(8)) if draw.random() < 0.7 else draw.randrange(256)
    return data[:at] + bytes([changed]) + data[at + 1 :]


def _delete(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + data[at + draw.choice((1, 1, 2, draw.randint(1, 60))) :]


def _duplicate(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at = _place(draw, data)
    end = at + draw.randint(1, 200)
    return data[:end] + data[at:end] + data[end:]


def _insert(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + draw.choice(_INSERTS) + data[at:]


def _splice(draw: random.Random, data: bytes, other: bytes) -> bytes:
    at, start = _place(draw, data), _place(draw, other)
    piece = other if draw.random() < 0.4 else other[start : start + draw.randint(1, 400)]
    return data[:at] + piece + data[at + draw.choice((0, len(piece))) :]


def _insert_line(draw: random.Random, data: bytes, _: bytes) -> bytes:
    ends = [found.end() for found in _LINE_END.finditer(data[:4096])]
    if not ends:
        return data
    at = draw.choice(ends)
    return data[:at] + draw.choice(_LINES) + b"\r\n" + data[at:]


def _line_end(draw: random.Random, data: bytes, _: bytes) -> bytes:
    ends = [found.start() for found in _LINE_END.finditer(data)]
    if not ends:
        return data
    at = draw.choice(ends)
    return data[:at] + draw.choice(_LINE_ENDS) + data[at + 2 :]


def _number(draw: random.Random, data: bytes, _: bytes) -> bytes:
    found = list(_DIGITS.finditer(data[:8192]))
    if not found:
        return data
    at = draw.choice(found)
    digits = at.group()
    near = str(max(0, int(digits[:18]) + draw.choice((-1, 1, 10)))).encode()
    return data[: at.start()] + draw.choice((near, near, draw.choice(_NUMBERS), digits * 2)) + data[at.end() :]


def _grow(draw: random.Random, data: bytes, _: bytes) -> bytes:
    at = _place(draw, data)
    size = draw.choice((500, 3_000, 20_000, 90_000))
    filler = draw.choice((b"a", b"A", b"0", b" ", b"\t", b"x: y\r\n", b"a,", b"\xff", b"%41", b";a=b", b"/", b"\r\n"))
    return data[:at] + (filler * size)[:size] + data[at:]


def _cut(draw: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _start_line(draw: random.Random, data: bytes, _: bytes) -> bytes:
    start = draw.choice(_STARTS)
    return start + (data.partition(b"\r\n")[2] if draw.random() < 0.7 else data)


def _append(draw: random.Random, data: bytes, other: bytes) -> bytes:
    """Bytes behind the message: the connection must not be used again, and nobody may get them."""
    return data + draw.choice((other, other[:20], b"\r\n", b"x", draw.randbytes(50)))


_COMMON: list[Mutation] = [_delete, _duplicate, _splice, _line_end, _number, _grow, *2 * [_flip, _insert, _insert_line]]
_OF_REQUESTS: list[Mutation] = [*_COMMON, _cut]
_OF_RESPONSES: list[Mutation] = [*_COMMON, _start_line, _append, _append, _cut]
