"""A second reader of requests: what the rules of RFC 9112 and of `docs/conformance` make of a client's bytes, written
without a look at how the proxy does it. What arrives at an origin must be what this reader finds, or less."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = re.compile(rb"(%b) ([^\x00-\x20\x7f]+) HTTP/1\.([0-9])\r\n" % TOKEN)
_FIELD = re.compile(rb"(%b):([^\x00\x0a\x0d]*)\r\n" % TOKEN)
_TRAILER = re.compile(rb"(%b):([^\x00-\x08\x0a-\x1f\x7f]*)\r\n" % TOKEN)
_END_OF_CONNECT = re.compile(rb"\n\r?\n")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})((?:;[\t\x20-\x7e\x80-\xff]*)?)\r\n")
_HOST = rb"(?:\[[0-9A-Fa-f:.]*\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=\x80-\xff]|%[0-9A-Fa-f]{2})*)"
_USERINFO = rb"(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*"
_AUTHORITY = re.compile(rb"(?:%b@)?(?P<host>%b)(?::(?P<port>[0-9]{0,5}))?" % (_USERINFO, _HOST))
_ABSOLUTE = re.compile(rb"([A-Za-z][A-Za-z0-9+\-.]*)://([^/?#]*)([^#]*)")
_LENGTH = re.compile(rb"[0-9]{1,19}")

REQUEST_LINE_LIMIT, BLOCK_LIMIT, FIELD_LIMIT, EXTENSION_LIMIT, TRAILER_LIMIT = 1 << 20, 1 << 20, 10_000, 1 << 20, 1 << 20
# To a reader that takes `_` for `-`, they frame.
_UNDERSCORED = re.compile(rb"content[-_]length|transfer[-_]encoding")
TLS_HANDSHAKE = b"\x16"
# The first byte of a greeting is the version (RFC 1928 3).
SOCKS = (b"\x04", b"\x05")


class Rest(Enum):
    """What follows the last whole request."""

    NOTHING = "nothing"
    # A request, or the first part of one, that nothing says is wrong.
    INCOMPLETE = "incomplete"
    INVALID = "invalid"
    # Whatever it is, it is no request to a proxy.
    OPAQUE = "opaque"
    # Not to be read: the request before it ends the connection.
    UNREAD = "unread"


@dataclass(slots=True)
class Request:
    method: bytes
    target: bytes
    minor: int
    fields: list[tuple[bytes, bytes]]
    body: bytes = b""

    def values(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.fields if key == name]

    def members(self, name: bytes) -> list[bytes]:
        return [part for value in self.values(name) for member in value.split(b",") if (part := member.strip(b" \t"))]

    @property
    def closes(self) -> bool:
        options = [option.lower() for option in self.members(b"connection")]
        return b"close" in options or (self.minor == 0 and b"keep-alive" not in options)

    @property
    def signature(self) -> tuple[bytes, bytes, bytes]:
        """What an origin gets of it."""
        return self.method, origin_form(self.method, self.target), self.body


@dataclass(slots=True)
class Reading:
    requests: list[Request] = field(default_factory=list)
    rest: Rest = Rest.NOTHING
    # Its head is whole, its body is not.
    partial: Request | None = None


class Invalid(Exception):
    """No reader may accept this."""


class Incomplete(Exception):
    """More bytes could make this whole."""


def origin_form(method: bytes, target: bytes) -> bytes:
    if found := _ABSOLUTE.match(target):
        path = found[3]
        if not path:
            return b"*" if method == b"OPTIONS" else b"/"
        return path if path.startswith(b"/") else b"/" + path
    return target.partition(b"#")[0]


def read(data: bytes) -> Reading:
    """Reads a connection's bytes from its beginning to its end."""
    reading = Reading()
    position = 0
    if data.startswith((TLS_HANDSHAKE, *SOCKS)):
        reading.rest = Rest.OPAQUE
        return reading
    try:
        while True:
            if data.startswith(b"\r\n", position):
                position += 2
            if position == len(data):
                return reading
            request, position = read_head(data, position)
            reading.partial = request
            request.body, position = read_body(request, data, position)
            reading.partial = None
            reading.requests.append(request)
            if request.method == b"CONNECT":
                reading.rest = Rest.OPAQUE
                return reading
            if request.closes:
                reading.rest = Rest.UNREAD
                return reading
    except Incomplete:
        reading.rest = Rest.INCOMPLETE
    except Invalid:
        reading.rest = Rest.INVALID
    return reading


def read_head(data: bytes, position: int) -> tuple[Request, int]:
    """RFC 9112 3 and 5: nothing is mended, but the line ends of CONNECT, whose head no other reader sees."""
    if data.startswith(b"CONNECT ", position) and (found := _END_OF_CONNECT.search(data, position)):
        lines = data[position : found.end()].split(b"\n")
        mended = b"".join(line.removesuffix(b"\r") + b"\r\n" for line in lines[:-1])
        if len(mended) != found.end() - position:
            request, _ = read_head(mended, 0)
            return request, found.end()
    end = data.find(b"\r\n\r\n", position, position + BLOCK_LIMIT + REQUEST_LINE_LIMIT)
    if len(data) - position > REQUEST_LINE_LIMIT and data.find(b"\r\n", position, position + REQUEST_LINE_LIMIT) < 0:
        raise Invalid
    if end < 0:
        raise _unfinished(data, position)
    line = _REQUEST_LINE.match(data, position)
    if not line or line.end() - position > REQUEST_LINE_LIMIT:
        raise Invalid
    fields, position = _read_fields(data, line.end(), end + 2)
    request = Request(line[1], line[2], int(line[3]), fields)
    _check_target(request)
    hosts = request.values(b"host")
    if len(hosts) > 1 or (not hosts and request.minor > 0):
        raise Invalid
    if hosts and (_port(hosts[0]) is None or b"@" in hosts[0]):
        raise Invalid
    return request, position + 2


def read_body(request: Request, data: bytes, position: int) -> tuple[bytes, int]:
    """RFC 9112 6: what could be read in two ways is refused. What there is of an incomplete body is left in the request."""
    codings, lengths = request.values(b"transfer-encoding"), request.values(b"content-length")
    if codings:
        if lengths or request.minor == 0 or request.method == b"CONNECT":
            raise Invalid
        if [coding.lower() for coding in request.members(b"transfer-encoding")] != [b"chunked"]:
            raise Invalid
        return _read_chunks(request, data, position)
    if not lengths:
        return b"", position
    if len(set(lengths)) > 1 or not _LENGTH.fullmatch(lengths[0]) or int(lengths[0]) >= 1 << 63:
        raise Invalid
    size = int(lengths[0])
    if size and request.method == b"CONNECT":
        raise Invalid
    request.body = data[position : position + size]
    if len(request.body) < size:
        raise Incomplete
    return request.body, position + size


def _read_chunks(request: Request, data: bytes, position: int) -> tuple[bytes, int]:
    while True:
        chunk = _CHUNK.match(data, position)
        if not chunk:
            line = data[position : position + EXTENSION_LIMIT + 32]
            raise Invalid if b"\n" in line or len(line) == EXTENSION_LIMIT + 32 else Incomplete
        if len(chunk[2]) > EXTENSION_LIMIT:
            raise Invalid
        size, position = int(chunk[1], 16), chunk.end()
        if not size:
            return request.body, _read_trailers(data, position)
        request.body += data[position : position + size]
        position += size
        if (ending := data[position : position + 2]) != b"\r\n":
            raise Incomplete if b"\r\n".startswith(ending) else Invalid
        position += 2


def _read_trailers(data: bytes, position: int) -> int:
    if data.startswith(b"\r\n", position):
        return position + 2
    end = data.find(b"\r\n\r\n", position, position + TRAILER_LIMIT)
    if end < 0:
        raise _unfinished(data, position, TRAILER_LIMIT)
    return _read_fields(data, position, end + 2, _TRAILER)[1] + 2


def _read_fields(data: bytes, position: int, end: int, syntax: re.Pattern = _FIELD) -> tuple[list[tuple[bytes, bytes]], int]:
    fields = []
    start = position
    while position < end:
        line = syntax.match(data, position, end)
        if not line or (b"_" in line[1] and _UNDERSCORED.fullmatch(line[1].lower())):
            raise Invalid
        fields.append((line[1].lower(), line[2].strip(b" \t")))
        position = line.end()
    # The empty line counts.
    if len(fields) > FIELD_LIMIT or end + 2 - start > BLOCK_LIMIT:
        raise Invalid
    return fields, position


def _unfinished(data: bytes, position: int, limit: int = REQUEST_LINE_LIMIT + BLOCK_LIMIT) -> Exception:
    """A section without its end: an empty line after a bare LF would be an end for some reader."""
    section = data[position : position + limit + 1]
    return Invalid() if len(section) > limit or b"\n\n" in section or b"\n\r\n" in section else Incomplete()


def _check_target(request: Request) -> None:
    target = request.target
    if request.method == b"CONNECT":
        if not _port(target) or target.startswith(b":") or b"@" in target:
            raise Invalid
    elif target.startswith(b"/") or (target == b"*" and request.method == b"OPTIONS"):
        pass
    else:
        found = _ABSOLUTE.match(target)
        if not found or _port(found[2]) is None or not _AUTHORITY.fullmatch(found[2])["host"]:
            raise Invalid


def _port(authority: bytes) -> int | None:
    """0 without one; nothing if this is no authority."""
    found = _AUTHORITY.fullmatch(authority)
    try:
        authority.decode()
    except UnicodeDecodeError:
        return None
    if not found:
        return None
    if not found["port"]:
        return 0
    port = int(found["port"])
    return port if 0 < port < 1 << 16 else None
