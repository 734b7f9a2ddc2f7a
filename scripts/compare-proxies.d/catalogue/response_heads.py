"""Heads of responses that a client must not see as they came."""

from __future__ import annotations

from case import Case, Predicate, at_client, either, looks_complete, response, unlike
from catalogue.forms import CHUNKED, NO_VIA, OWN_CONNECTION, bad_response

CONTROLS = (
    "RFC 9110 5.5 lets a recipient keep controls other than CR, LF and NUL in a safe context: no reader ends a line or a value at"
    " them, and a recording should show what the origin sent. From clients they are refused"
)


def status_line(name: str, line: bytes, hazard: Predicate | None = None) -> Case:
    return bad_response(
        name,
        "RFC 9112 4",
        response(b"Content-Length: 2\r\n", b"ok", status=line),
        hazard or at_client(rb"\r\n\r\nok$"),
        close=True,
    )


CASES = [
    bad_response(
        "folded field line",
        "RFC 9112 5.2",
        response(b"X: a\r\n folded\r\nContent-Length: 0\r\n"),
        at_client(rb"^[ \t]+folded"),
    ),
    bad_response(
        "bare LF as line end", "RFC 9112 2.2", b"HTTP/1.1 200 OK\nX: a\nContent-Length: 2\n\nok", at_client(rb"[^\r]\n")
    ),
    bad_response("bare CR in a value", "RFC 9112 2.2", response(b"X: a\rb\r\nContent-Length: 0\r\n"), at_client(rb"a\rb")),
    bad_response("NUL in a value", "RFC 9110 5.5", response(b"X: a\0b\r\nContent-Length: 0\r\n"), at_client(rb"\x00")),
    bad_response(
        "a control in a value",
        "RFC 9110 5.5",
        response(b"X: a\x01b\r\nContent-Length: 0\r\n"),
        at_client(rb"\x01"),
        difference=CONTROLS,
    ),
    bad_response("space before the colon", "RFC 9112 5.1", response(b"X : a\r\nContent-Length: 0\r\n"), at_client(rb"^X :")),
    bad_response(
        "Content-Length with space before the colon",
        "RFC 9112 5.1",
        response(b"Content-Length : 2\r\n", b"ok"),
        at_client(rb"^Content-Length :"),
    ),
    bad_response(
        "space in a field name", "RFC 9110 5.1", response(b"X y: a\r\nContent-Length: 0\r\n"), at_client(rb"^X y:")
    ),
    bad_response(
        "parenthesis in a field name", "RFC 9110 5.1", response(b"X(y): a\r\nContent-Length: 0\r\n"), at_client(rb"^X\(y\):")
    ),
    bad_response("empty field name", "RFC 9110 5.1", response(b": a\r\nContent-Length: 0\r\n"), at_client(rb"^: a")),
    bad_response(
        "field line without a colon", "RFC 9112 5", response(b"nonsense\r\nContent-Length: 0\r\n"), at_client(rb"^nonsense")
    ),
    bad_response(
        "space before the first field",
        "RFC 9112 2.2",
        b"HTTP/1.1 200 OK\r\n X: evil\r\nContent-Length: 0\r\n\r\n",
        at_client(rb"^ X: evil"),
    ),
    status_line("status 2000", b"HTTP/1.1 2000 OK"),
    status_line("status 99", b"HTTP/1.1 99 OK"),
    status_line("status -200", b"HTTP/1.1 -200 OK"),
    status_line("status 20x", b"HTTP/1.1 20x OK"),
    status_line("status 000", b"HTTP/1.1 000 OK"),
    status_line("no status", b"HTTP/1.1 OK"),
    status_line("two spaces before the status", b"HTTP/1.1  200 OK", at_client(rb"^HTTP/1\.1  200")),
    status_line("NUL in the reason", b"HTTP/1.1 200 O\0K", at_client(rb"\x00")),
    status_line("version HTTP/2", b"HTTP/2 200 OK"),
    status_line("version ICY", b"ICY 200 OK"),
    status_line("version HTTP/1.1x", b"HTTP/1.1x 200 OK"),
    bad_response(
        "status line without the space after the status",
        "RFC 9112 4",
        response(b"Content-Length: 0\r\n", status=b"HTTP/1.1 200"),
        at_client(rb"^HTTP/1\.1 200\r\n"),
    ),
    bad_response(
        "version HTTP/1.0 passed on",
        "RFC 9110 7.6",
        response(b"Content-Length: 0\r\n", status=b"HTTP/1.0 200 OK"),
        at_client(rb"^HTTP/1\.0"),
        close=True,
    ),
    bad_response(
        "HTTP/0.9: a body without a head",
        "RFC 9112 2.3",
        b"<html>an old page</html>",
        at_client(rb"an old page"),
        close=True,
    ),
    bad_response("nonsense", "RFC 9112 4", b"\x00\x01\x02nonsense\r\n\r\n", at_client(rb"nonsense"), close=True),
    bad_response(
        "octets before the status line",
        "RFC 9112 4",
        b"junk\r\n" + response(b"Content-Length: 2\r\n", b"ok"),
        either(at_client(rb"junk"), looks_complete),
        close=True,
    ),
    bad_response("nothing at all", "RFC 9110 15.6.3", b"", looks_complete, close=True),
    bad_response(
        "the connection ends within the head", "RFC 9112 8", b"HTTP/1.1 200 OK\r\nContent-Le", looks_complete, close=True
    ),
    bad_response(
        "a field of 10 MB",
        "RFC 9110 5.4",
        response(b"X: " + b"a" * 10_000_000 + b"\r\nContent-Length: 0\r\n"),
        at_client(rb"a{1000000}"),
    ),
    bad_response(
        "10,000 fields",
        "RFC 9110 5.4",
        response(b"X: a\r\n" * 10_000 + b"Content-Length: 0\r\n"),
        lambda seen: seen.client.octets.count(b"X: a\r\n") == 10_000,
    ),
    bad_response(
        "no Date", "RFC 9110 6.6.1", response(b"Content-Length: 0\r\n", date=False), unlike(at_client(rb"^Date: "))
    ),
    bad_response(
        "no Via", "RFC 9110 7.6.3", response(b"Content-Length: 0\r\n"), unlike(at_client(rb"^Via: ")), difference=NO_VIA
    ),
    bad_response(
        "Connection names a field",
        "RFC 9110 7.6.1",
        response(b"Connection: x-secret\r\nX-Secret: 1\r\nContent-Length: 0\r\n"),
        at_client(rb"^X-Secret"),
    ),
    bad_response(
        "Connection names a trailer",
        "RFC 9110 7.6.1",
        response(CHUNKED + b"Connection: x-secret\r\n", b"0\r\nX-Secret: 1\r\n\r\n"),
        at_client(rb"^X-Secret"),
    ),
    bad_response(
        "Connection: content-length",
        "RFC 9110 7.6.1",
        response(b"Connection: content-length\r\nContent-Length: 2\r\n", b"ok"),
        lambda seen: not seen.client.closed and not at_client(rb"^(Content-Length|Transfer-Encoding):")(seen),
    ),
    bad_response(
        "Keep-Alive and Proxy-Connection",
        "RFC 9110 7.6.1",
        response(b"Keep-Alive: timeout=77\r\nProxy-Connection: keep-alive\r\nContent-Length: 0\r\n"),
        at_client(rb"timeout=77|^Proxy-Connection:"),
        difference=OWN_CONNECTION,
    ),
    bad_response(
        "Proxy-Authenticate",
        "RFC 9110 11.7.1",
        response(
            b'Proxy-Authenticate: Basic realm="origin"\r\nContent-Length: 0\r\n',
            status=b"HTTP/1.1 407 Proxy Authentication Required",
        ),
        at_client(rb'realm="origin"'),
    ),
    bad_response(
        "Proxy-Authentication-Info",
        "RFC 9110 11.7.3",
        response(b'Proxy-Authentication-Info: nextnonce="origin"\r\nContent-Length: 0\r\n'),
        at_client(rb'nextnonce="origin"'),
    ),
    bad_response(
        "Upgrade offered",
        "RFC 9110 7.8",
        response(b"Upgrade: h2\r\nConnection: Upgrade\r\nContent-Length: 0\r\n"),
        at_client(rb"^Upgrade: h2"),
    ),
    bad_response(
        "1,000 informational responses",
        "RFC 9110 15.2",
        response(status=b"HTTP/1.1 102 Processing", date=False) * 1000 + response(b"Content-Length: 2\r\n", b"ok"),
        lambda seen: seen.client.octets.count(b"HTTP/1.1 102") >= 1000,
    ),
    bad_response(
        "1xx to an HTTP/1.0 client",
        "RFC 9110 15.2",
        response(status=b"HTTP/1.1 103 Early Hints") + response(b"Content-Length: 2\r\n", b"ok"),
        at_client(rb"^HTTP/1\.[01] 103"),
        version=b"HTTP/1.0",
    ),
    bad_response(
        "101 that nobody asked for",
        "RFC 9110 15.2.2",
        response(b"Connection: Upgrade\r\nUpgrade: cow\r\n", b"moo", status=b"HTTP/1.1 101 Switching Protocols"),
        at_client(rb"^HTTP/1\.1 101"),
    ),
]
