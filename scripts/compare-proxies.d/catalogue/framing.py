"""Requests whose end two readers could see in two places: the ways of request smuggling."""

from __future__ import annotations

from case import Case, arrives, at_origin, both, both_framings, either, post, request, smuggled
from catalogue.forms import CHUNKED, shown, escaped
from peers import HalfClose

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: {origin}\r\n\r\n"


def length(value: bytes) -> Case:
    """A Content-Length that is not a number to some readers."""
    return Case(
        f"Content-Length: {shown(value)}",
        "RFC 9112 6.3",
        [post(b"Content-Length: " + value + b"\r\n", b"abc" + SMUGGLED)],
        hazard=either(at_origin(rb"^Content-Length: *" + escaped(value) + rb"\r?$"), smuggled),
    )


def coding(value: bytes, difference: str | None = None) -> Case:
    """A Transfer-Encoding that some readers take for chunked, with the Content-Length that the others go by."""
    fields = b"Content-Length: 3\r\nTransfer-Encoding: " + value + b"\r\n"
    return Case(
        f"Transfer-Encoding: {shown(value)} with Content-Length",
        "RFC 9112 6.1",
        [post(fields, b"0\r\n\r\n" + SMUGGLED)],
        hazard=both_framings,
        difference=difference,
    )


def lone_coding(value: bytes, difference: str | None = None) -> Case:
    return Case(
        f"Transfer-Encoding: {shown(value)}",
        "RFC 9112 6.1",
        [post(b"Transfer-Encoding: " + value + b"\r\n", b"3\r\nabc\r\n0\r\n\r\n")],
        hazard=at_origin(rb"^Transfer-Encoding: *" + escaped(value) + rb"\r?$"),
        difference=difference,
    )


def chunks(name: str, body: bytes, hazard: bytes, rule: str = "RFC 9112 7.1", difference: str | None = None) -> Case:
    """`hazard`: what of the body must not reach the origin."""
    return Case(
        name, rule, [post(CHUNKED, body)], hazard=either(at_origin(rb"\r\n\r\n.*" + hazard), smuggled), difference=difference
    )


CASES = [
    Case(
        "Content-Length and Transfer-Encoding",
        "RFC 9112 6.1",
        [post(b"Content-Length: 48\r\n" + CHUNKED, b"0\r\n\r\n" + SMUGGLED)],
        hazard=both_framings,
    ),
    Case(
        "Transfer-Encoding and Content-Length",
        "RFC 9112 6.1",
        [post(CHUNKED + b"Content-Length: 3\r\n", b"8\r\nabcdefgh\r\n0\r\n\r\n")],
        hazard=both_framings,
    ),
    Case(
        "Content-Length twice, different",
        "RFC 9112 6.3",
        [post(b"Content-Length: 3\r\nContent-Length: 40\r\n", b"abc" + SMUGGLED)],
        hazard=either(at_origin(rb"Content-Length: *3\b.*Content-Length: *40\b"), smuggled),
    ),
    Case(
        "Content-Length twice, the same",
        "RFC 9112 6.3",
        [post(b"Content-Length: 3\r\nContent-Length: 3\r\n", b"abc")],
        hazard=at_origin(rb"Content-Length: *3\r\n.*Content-Length: *3\r\n"),
    ),
    Case(
        "Content-Length twice, one empty",
        "RFC 9112 6.3",
        [post(b"Content-Length:\r\nContent-Length: 3\r\n", b"abc" + SMUGGLED)],
        hazard=either(at_origin(rb"^Content-Length: *\r"), smuggled),
    ),
    length(b"3, 3"),
    length(b"3, 40"),
    length(b"+3"),
    length(b"-3"),
    length(b"0x3"),
    length(b""),
    length(b"3 0"),
    length(b"3;"),
    length(b"3.0"),
    length(b"18446744073709551619"),
    length(b"3\xa0"),
    length(b"\x0b3"),
    Case(
        "Content-Length : 3 (space before the colon)",
        "RFC 9112 5.1",
        [post(b"Content-Length : 3\r\n", b"abc" + SMUGGLED)],
        hazard=either(at_origin(rb"^Content-Length +:"), smuggled),
    ),
    Case(
        "Content-Length with NUL in its name",
        "RFC 9110 5.1",
        [post(b"Content-Length\0: 3\r\n", b"abc" + SMUGGLED)],
        hazard=either(at_origin(rb"\x00"), smuggled),
    ),
    coding(b"xchunked"),
    coding(b"\x0bchunked"),
    coding(b"chunked\x0c"),
    coding(b"\xa0chunked"),
    coding(b"chunked, identity"),
    coding(b'"chunked"'),
    coding(b"chunked;q=1"),
    coding(b""),
    coding(b"chunked, "),
    coding(b"c\x00hunked"),
    lone_coding(b"chunked, chunked"),
    lone_coding(b"chunked, gzip"),
    lone_coding(b"identity"),
    lone_coding(b"cow"),
    lone_coding(b"cow, chunked"),
    lone_coding(b"gzip, chunked"),
    Case(
        "Transfer-Encoding twice: chunked, then chunked",
        "RFC 9112 6.1",
        [post(CHUNKED + CHUNKED, b"3\r\nabc\r\n0\r\n\r\n")],
        hazard=at_origin(rb"^Transfer-Encoding:.*^Transfer-Encoding:"),
    ),
    Case(
        "Transfer-Encoding twice: chunked, then cow",
        "RFC 9112 6.1",
        [post(CHUNKED + b"Transfer-Encoding: cow\r\n", b"0\r\n\r\n" + SMUGGLED)],
        hazard=either(at_origin(rb"^Transfer-Encoding: *cow"), smuggled),
    ),
    Case(
        "Transfer-Encoding : chunked (space before the colon)",
        "RFC 9112 5.1",
        [post(b"Content-Length: 3\r\nTransfer-Encoding : chunked\r\n", b"0\r\n\r\n" + SMUGGLED)],
        hazard=either(at_origin(rb"^Transfer-Encoding +:"), both_framings),
    ),
    Case(
        "Transfer-Encoding in a folded line",
        "RFC 9112 5.2",
        [post(b"Content-Length: 3\r\nX: a\r\n Transfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SMUGGLED)],
        hazard=either(at_origin(rb"^[ \t]+Transfer-Encoding:"), both_framings),
    ),
    Case(
        "Transfer-Encoding after a bare CR",
        "RFC 9112 2.2",
        [post(b"Content-Length: 3\r\nX: a\rTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SMUGGLED)],
        hazard=either(at_origin(rb"\r[^\n]"), both_framings),
    ),
    Case(
        "Transfer-Encoding after a bare LF",
        "RFC 9112 2.2",
        [post(b"Content-Length: 3\r\nX: a\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SMUGGLED)],
        hazard=either(at_origin(rb"[^\r]\n"), both_framings),
    ),
    Case(
        "Transfer-Encoding whose colon is on the next line",
        "RFC 9112 5.1",
        [post(b"Content-Length: 3\r\nTransfer-Encoding\r\n: chunked\r\n", b"0\r\n\r\n" + SMUGGLED)],
        hazard=either(at_origin(rb"^Transfer-Encoding\r?\n|^:"), both_framings),
    ),
    Case(
        "Transfer-Encoding in HTTP/1.0",
        "RFC 9112 6.1",
        [post(CHUNKED, b"0\r\n\r\n" + SMUGGLED, version=b"HTTP/1.0")],
        hazard=either(at_origin(rb"^Transfer-Encoding:"), smuggled),
    ),
    chunks("chunk size 0x3", b"0x3\r\nabc\r\n0\r\n\r\n", rb"0x3"),
    chunks("chunk size +3", b"+3\r\nabc\r\n0\r\n\r\n", rb"\+3"),
    chunks("chunk size -1", b"-1\r\nabc\r\n0\r\n\r\n", rb"-1"),
    chunks("chunk size of no digits", b";a=b\r\nabc\r\n0\r\n\r\n", rb";a=b\r\nabc\r\n0\r\n\r\n"),
    chunks("chunk size 3_0", b"3_0\r\nabc\r\n0\r\n\r\n", rb"3_0"),
    chunks("chunk size after a space", b" 3\r\nabc\r\n0\r\n\r\n", rb" 3\r\nabc\r\n0\r\n\r\n"),
    chunks("chunk size of 65 bits", b"10000000000000003\r\nabc\r\n0\r\n\r\n", rb"abc\r\n0\r\n\r\n"),
    chunks("chunk size with 2,000 leading zeros", b"0" * 2000 + b"3\r\nabc\r\n0\r\n\r\n", rb"0{100}3\r\nabc"),
    chunks("chunk lines that end in bare LF", b"3\nabc\n0\n\n" + SMUGGLED, rb"3\nabc\n0\n\n", "RFC 9112 2.2"),
    chunks("chunk size, then bare CR", b"3\rabc\r\n0\r\n\r\n", rb"3\rabc"),
    chunks("bare LF in a chunk extension", b"3;a\nabc\r\n0\r\n\r\n", rb"3;a\n", "RFC 9112 7.1.1"),
    chunks("bare CR in a chunk extension", b"3;a\rb\r\nabc\r\n0\r\n\r\n", rb"3;a\r[^\n]", "RFC 9112 7.1.1"),
    chunks("NUL in a chunk extension", b"3;a\0b\r\nabc\r\n0\r\n\r\n", rb"\x00", "RFC 9112 7.1.1"),
    chunks("chunk extension of 1 MiB", b"3;a=" + b"b" * (1 << 20) + b"\r\nabc\r\n0\r\n\r\n", rb"b{65536}", "RFC 9112 7.1.1"),
    chunks("chunk longer than its size", b"3\r\nabcd\r\n0\r\n\r\n", rb"3\r\nabcd\r\n0\r\n\r\n"),
    chunks(
        "Content-Length among the trailers",
        b"3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n",
        rb"^Content-Length:",
        "RFC 9110 6.5.1",
    ),
    chunks("Host among the trailers", b"3\r\nabc\r\n0\r\nHost: evil.example\r\n\r\n", rb"evil\.example", "RFC 9110 6.5.1"),
    chunks("bare LF among the trailers", b"3\r\nabc\r\n0\r\nX: a\nY: b\r\n\r\n", rb"X: a\nY", "RFC 9112 2.2"),
    chunks("folded trailer", b"3\r\nabc\r\n0\r\nX: a\r\n b\r\n\r\n", rb"X: a\r\n b", "RFC 9112 5.2"),
    chunks("trailers of 1 MiB", b"3\r\nabc\r\n0\r\nX: " + b"a" * (1 << 20) + b"\r\n\r\n", rb"a{65536}", "RFC 9112 7.1.2"),
    Case(
        "chunked body that is cut off",
        "RFC 9112 8",
        [post(CHUNKED, b"3\r\nabc\r\n5\r\nab"), HalfClose()],
        hazard=arrives,
    ),
    Case(
        "chunked body without its last chunk",
        "RFC 9112 8",
        [post(CHUNKED, b"3\r\nabc\r\n"), HalfClose()],
        hazard=arrives,
    ),
    Case(
        "body shorter than its Content-Length",
        "RFC 9112 8",
        [post(b"Content-Length: 10\r\n", b"abc"), HalfClose()],
        hazard=arrives,
    ),
    Case(
        "GET with a body",
        "RFC 9110 9.3.1",
        [request(b"Content-Length: 3\r\n", b"abc")],
        service=both(at_origin(rb"^Content-Length: 3\r\n"), at_origin(rb"\r\n\r\nabc$")),
    ),
    Case(
        "POST without Content-Length and Transfer-Encoding",
        "RFC 9112 6.3",
        [post(b"")],
        service=arrives,
    ),
    Case(
        "chunked request",
        "RFC 9112 7.1",
        [post(CHUNKED, b"3\r\nabc\r\n0\r\n\r\n")],
        service=either(at_origin(rb"\r\n\r\n3\r\nabc\r\n0\r\n\r\n$"), at_origin(rb"\r\n\r\nabc$")),
    ),
    Case(
        "Transfer-Encoding: CHUNKED",
        "RFC 9112 7",
        [post(b"Transfer-Encoding: CHUNKED\r\n", b"3\r\nabc\r\n0\r\n\r\n")],
        service=arrives,
    ),
    Case(
        "trailers",
        "RFC 9110 6.5",
        [post(b"Transfer-Encoding: chunked\r\n", b"3\r\nabc\r\n0\r\nX-Checksum: 1\r\n\r\n")],
        service=at_origin(rb"^X-Checksum: 1\r\n"),
    ),
    Case(
        "Content-Length: 003",
        "RFC 9110 8.6",
        [post(b"Content-Length: 003\r\n", b"abc")],
        service=at_origin(rb"\r\n\r\nabc$"),
    ),
]
