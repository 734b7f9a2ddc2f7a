"""Valid messages: requests of every kind that a proxy forwards, and the responses that an origin gives to them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

# Bodies are cut out of this; it is the same for every seed, so that a case depends on nothing but its number.
_FILLER = random.Random(0).randbytes(1 << 20)
_PRINTABLE = bytes(b"abcdefghijklmnopqrstuvwxyz0123456789-._~ "[byte % 41] for byte in _FILLER[:8192])

METHODS = (
    [b"GET"] * 24 + [b"POST"] * 10 + [b"PUT"] * 3 + [b"HEAD"] * 4 + [b"DELETE"] * 2 + [b"OPTIONS"] * 2
    + [b"PATCH", b"PURGE", b"get", b"TRACE", b"M-SEARCH", b"!#$%&'*+-.^_`|~"]
)  # fmt: skip
WITH_BODY = {b"POST", b"PUT", b"PATCH", b"PURGE", b"DELETE", b"OPTIONS", b"M-SEARCH"}
# RFC 9110 9.2.2.
IDEMPOTENT = {b"GET", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"TRACE"}

_FIELDS = [
    b"Accept: */*", b"accept-encoding: gzip, br", b"Cookie: a=1; b=2", b"Cookie: c=", b"X-Empty:", b"X-Tab:\tvalue\t ",
    b"X-Padded:   x   ", b"X-Latin: caf\xe9 \xff", b"X-Same: 1", b"X-Same: 2", b"x-same: 1", b"User-Agent: torture",
    b"Range: bytes=0-1", b"Referer: http://a/?b", b"Keep-Alive: timeout=5", b"Proxy-Connection: keep-alive",
    b"TE: trailers, deflate", b"Cache-Control: no-cache", b"Via: 1.0 other", b"Connection: keep-alive",
    b"Connection: X-Hop, x-other\r\nX-Hop: goes", b"Connection: te\r\nTE: trailers", b"X-Comma: a,b,,c, ",
    b"Authorization: Basic bm9ib2R5Om5vdGhpbmc=", b"If-None-Match: \"x\", W/\"y\"", b"Max-Forwards: 7",
    b"Upgrade-Insecure-Requests: 1",
]  # fmt: skip
_TRAILERS = [b"X-Trailer: t", b"x-sum: 1234", b"X-Latin: \xe9", b"Content-MD5: x", b"X-Empty:"]
_EXTENSIONS = [b";a", b";a=b", b';a="b c"', b"", b";x=" + b"y" * 200]
_REASONS = [b"OK", b"", b"Some Thing", b"caf\xe9", b"Not  Found"]
_STATUSES = (
    [200] * 30 + [204, 304] * 2 + [201, 202, 203, 206, 299, 301, 302, 307, 400, 401, 403, 404, 410, 416, 429, 500, 503, 599]
)
_REPLY_FIELDS = [
    b"Content-Type: text/plain", b"Content-Type: application/json; charset=utf-8", b"Server: torture", b"Set-Cookie: a=b; Path=/",
    b"Set-Cookie: c=d", b"X-Latin: \xe9\xff", b"X-Empty:", b"ETag: \"1\"", b"Connection: keep-alive", b"Keep-Alive: timeout=100",
    b"Date: Thu, 01 Jan 2026 00:00:00 GMT", b"Location: http://a/b", b"Vary: *", b"Connection: x-hop\r\nX-Hop: goes", b"Age: 1",
    b"Proxy-Authenticate: Basic realm=x", b"Warning: 199 - \"x\"", b"Content-Encoding: gzip", b"X-Fold: no",
]  # fmt: skip


@dataclass(slots=True)
class Outgoing:
    """A request of the client's as it would be sent, unharmed."""

    method: bytes
    data: bytes
    minor: int
    closes: bool
    # Whether the client asks for the end of the connection by its version or by `Connection`.
    has_body: bool
    is_chunked: bool = False
    # What the proxy answers by itself; 0 when it forwards.
    local_status: int = 0


@dataclass(slots=True)
class Reply:
    """What an origin sends, unharmed, and how its connection goes on."""

    status: int
    head: bytes
    content: bytes
    # The content as framed.
    framed: bytes
    framing: str
    interim: list[int] = field(default_factory=list)
    # Sent before the request's body has come.
    early: bool = False
    # The origin ends the connection after it.
    closes: bool = False

    @property
    def data(self) -> bytes:
        return self.head + self.framed


def body(draw: random.Random, mark: bytes) -> bytes:
    """A body that holds its token, sometimes at its end too."""
    size = _size(draw)
    start = draw.randrange(len(_FILLER) - size)
    filler = _PRINTABLE[start % 4096 :][:size] if size < 4096 and draw.random() < 0.5 else _FILLER[start : start + size]
    return mark + b":" + filler + (mark if draw.random() < 0.3 else b"")


def _size(draw: random.Random) -> int:
    chance = draw.random()
    if chance < 0.6:
        return draw.randrange(200)
    if chance < 0.93:
        return draw.randrange(4 << 10)
    return draw.randrange(32 << 10 if chance < 0.995 else 300 << 10)


def chunked(draw: random.Random, content: bytes, trailers: bool = True) -> bytes:
    parts = []
    position = 0
    longest = draw.choice((1 + len(content) // 20, 100 + len(content) // 5, len(content)))
    while position < len(content):
        piece = content[position : position + draw.randint(1, longest)]
        size = b"%x" % len(piece)
        if draw.random() < 0.1:
            size = draw.choice((size.upper(), b"000" + size))
        extension = draw.choice(_EXTENSIONS) if draw.random() < 0.1 else b""
        parts.append(size + extension + b"\r\n" + piece + b"\r\n")
        position += len(piece)
    parts.append(draw.choice((b"0\r\n", b"0\r\n", b"0\r\n", b"000\r\n", b"0;last\r\n")))
    if trailers and draw.random() < 0.2:
        parts += [line + b"\r\n" for line in draw.sample(_TRAILERS, draw.randint(1, 3))]
    return b"".join(parts) + b"\r\n"


def request(draw: random.Random, mark: bytes, authority: bytes, inside: bool = False, may_close: bool = False,
            opens: bool = False) -> Outgoing:  # fmt: skip
    """`inside` of a tunnel, targets have no authority. Only the last request of a connection may close it. A request that `opens`
    a tunnel in clear has to be one that is known for one."""
    method = draw.choice((b"GET", b"POST", b"HEAD", b"PUT")) if opens else draw.choice(METHODS)
    minor = 0 if may_close and draw.random() < 0.15 else 1
    path = _path(draw, mark)
    target = path if inside else _absolute(draw, authority, path)
    lines = [b"%b %b HTTP/1.%d" % (method, target, minor)]
    host = b"Host: " + (authority if draw.random() < 0.9 or inside else b"other.example")
    if minor or draw.random() < 0.5:
        lines.append(draw.choice((host, host, b"host:" + host[6:], b"HOST:\t" + host[6:] + b" ")))
    lines += draw.sample(_FIELDS, draw.randrange(8))
    if draw.random() < 0.02:
        lines.append(b"X-Long: " + _PRINTABLE[: draw.randrange(8000)].strip() + b"!")
    closes = may_close and draw.random() < 0.3
    if closes:
        lines.append(draw.choice((b"Connection: close", b"connection: Close", b"Connection: keep-alive, close")))
    elif not minor and draw.random() < 0.6:
        lines.append(b"Connection: Keep-Alive")
    lines.append(b"X-Mark: " + mark)
    content, is_chunked = b"", False
    if method in WITH_BODY and draw.random() < 0.85:
        content = body(draw, mark)
        is_chunked = minor == 1 and draw.random() < 0.5
        if is_chunked:
            lines.append(draw.choice((b"Transfer-Encoding: ", b"transfer-encoding:")) + draw.choice((b"chunked", b"Chunked")))
            framed = chunked(draw, content)
        else:
            lines.append(b"Content-Length: %d" % len(content))
            framed = content
        if minor and draw.random() < 0.1:
            lines.append(draw.choice((b"Expect: 100-continue", b"expect: 100-Continue")))
    else:
        framed = b""
        if method in WITH_BODY and draw.random() < 0.5:
            lines.append(b"Content-Length: 0")
    if draw.random() < 0.3:
        draw_rest = lines[1:]
        draw.shuffle(draw_rest)
        lines[1:] = draw_rest
    start = b"\r\n" if draw.random() < 0.03 and not opens else b""
    data = start + b"\r\n".join(lines) + b"\r\n\r\n" + framed
    return Outgoing(method, data, minor, closes or not minor, bool(content), is_chunked)


def local_request(draw: random.Random, mark: bytes, proxy: bytes) -> Outgoing:
    """For the proxy itself."""
    method, target, status = draw.choice((
        (b"GET", b"/healthz", 200), (b"HEAD", b"/healthz", 200), (b"GET", b"/", 200), (b"GET", b"/proxy.pac", 200),
        (b"GET", b"/nothing", 404), (b"POST", b"/healthz", 405), (b"GET", b"http://%b/healthz" % proxy, 200),
        (b"GET", b"/metrics", 200), (b"OPTIONS", b"*", 400), (b"GET", b"https://%b/" % proxy, 508),
        (b"GET", b"http://192.0.2.1/", 403), (b"CONNECT", proxy, 508),
    ))  # fmt: skip
    if method == b"CONNECT":
        method, target, status = b"GET", b"ftp://192.0.2.1/", 400
    data = b"%b %b HTTP/1.1\r\nHost: %b\r\nX-Mark: %b\r\n\r\n" % (method, target, proxy, mark)
    return Outgoing(method, data, 1, False, False, local_status=status)


def reply(draw: random.Random, mark: bytes, to: Outgoing, minor: int = 1) -> Reply:
    status = draw.choice(_STATUSES)
    lines = [b"HTTP/1.%d %d %b" % (minor, status, draw.choice(_REASONS)), b"X-Mark: " + mark]
    lines += draw.sample(_REPLY_FIELDS, draw.randrange(7))
    content = b"" if to.method == b"HEAD" or status in (204, 304) else body(draw, mark)
    closes = draw.random() < 0.05
    framing = "none"
    framed = b""
    if to.method == b"HEAD" or status in (204, 304):
        if status != 204 and draw.random() < 0.5:
            lines.append(draw.choice((b"Content-Length: 1234", b"Transfer-Encoding: chunked")) if minor else b"Content-Length: 5")
    elif minor and draw.random() < 0.45:
        framing = "chunked"
        lines.append(b"Transfer-Encoding: chunked")
        framed = chunked(draw, content)
    elif draw.random() < 0.9:
        framing = "length"
        lines.append(b"Content-Length: %d" % len(content))
        framed = content
    else:
        framing = "close"
        framed = content
        closes = True
    if closes and draw.random() < 0.5:
        lines.append(b"Connection: close")
    interim = []
    start = b""
    if minor and to.minor and draw.random() < 0.08:
        for _ in range(draw.randint(1, 3)):
            interim.append(draw.choice((100, 102, 103, 199)))
            start += b"HTTP/1.1 %d Wait\r\nLink: </a>\r\n\r\n" % interim[-1]
    head = start + b"\r\n".join(lines) + b"\r\n\r\n"
    early = to.has_body and draw.random() < 0.08
    return Reply(status, head, content, framed, framing, interim, early, closes or not minor)


def _path(draw: random.Random, mark: bytes) -> bytes:
    form = draw.randrange(8)
    if form < 4:
        return b"/" + mark
    return (b"/a/../b/%b;p?q=1&r=%%20" % mark, b"/?%b" % mark, b"/%%2e//%b?x=[1]|{}" % mark, b'/caf\xe9/%b?"' % mark)[form - 4]


def _absolute(draw: random.Random, authority: bytes, path: bytes) -> bytes:
    chance = draw.random()
    if chance < 0.9:
        return b"http://" + authority + path
    if chance < 0.94:
        return b"HTTP://" + authority + path
    if chance < 0.97:
        return b"http://user:secret@" + authority + path
    return b"http://" + authority + (path if path[1:2] != b"?" else path[1:]) + b"#fragment"
