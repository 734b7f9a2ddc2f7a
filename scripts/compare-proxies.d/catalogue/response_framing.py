"""Responses whose end two readers could see in two places, or that have none."""

from __future__ import annotations

from case import Case, at_client, both, either, looks_complete, request, response
from catalogue.forms import bad_response, CHUNKED, shown, escaped
from peers import Answer, Wait

BOTH_FRAMINGS = both(
    at_client(rb"^Content-Length:.*\r\n\r\n"),
    at_client(rb"^Transfer-Encoding:.*\r\n\r\n"),
)


def length(value: bytes, body: bytes = b"abc") -> Case:
    pattern = rb"^Content-Length: *" + escaped(value) + rb"\r?$"
    return bad_response(
        f"Content-Length: {shown(value)}",
        "RFC 9112 6.3",
        response(b"Content-Length: " + value + b"\r\n", body),
        at_client(pattern),
        close=True,
    )


CASES = [
    bad_response(
        "Content-Length and Transfer-Encoding",
        "RFC 9112 6.3",
        response(b"Content-Length: 3\r\n" + CHUNKED, b"3\r\nabc\r\n0\r\n\r\n"),
        BOTH_FRAMINGS,
    ),
    bad_response(
        "Content-Length twice, different",
        "RFC 9112 6.3",
        response(b"Content-Length: 3\r\nContent-Length: 2\r\n", b"abc"),
        at_client(rb"^Content-Length:.*^Content-Length:"),
    ),
    bad_response(
        "Content-Length twice, the same",
        "RFC 9112 6.3",
        response(b"Content-Length: 3\r\nContent-Length: 3\r\n", b"abc"),
        at_client(rb"^Content-Length:.*^Content-Length:"),
    ),
    length(b"3, 2"),
    length(b"+3"),
    length(b"-3"),
    length(b"0x3"),
    length(b""),
    length(b"18446744073709551619"),
    length(b"3\xa0"),
    length(b"3 0"),
    bad_response(
        "Transfer-Encoding: cow",
        "RFC 9112 6.1",
        response(b"Transfer-Encoding: cow\r\n", b"abc"),
        at_client(rb"^Transfer-Encoding: *cow"),
        close=True,
    ),
    bad_response(
        "Transfer-Encoding: chunked, identity",
        "RFC 9112 6.1",
        response(b"Transfer-Encoding: chunked, identity\r\n", b"3\r\nabc\r\n0\r\n\r\n"),
        at_client(rb"^Transfer-Encoding:[^\r]*identity"),
        close=True,
    ),
    bad_response(
        "Transfer-Encoding: xchunked with Content-Length",
        "RFC 9112 6.1",
        response(b"Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n", b"abc"),
        at_client(rb"xchunked"),
        close=True,
    ),
    bad_response(
        "Transfer-Encoding: \\x0bchunked with Content-Length",
        "RFC 9112 6.1",
        response(b"Transfer-Encoding: \x0bchunked\r\nContent-Length: 3\r\n", b"abc"),
        at_client(rb"\x0bchunked"),
        close=True,
    ),
    bad_response(
        "Transfer-Encoding in HTTP/1.0",
        "RFC 9112 6.1",
        response(CHUNKED, b"3\r\nabc\r\n0\r\n\r\n", status=b"HTTP/1.0 200 OK"),
        at_client(rb"3\r\nabc"),
        close=True,
    ),
    bad_response(
        "chunk size that is no number",
        "RFC 9112 7.1",
        response(CHUNKED, b"xyz\r\nabc\r\n0\r\n\r\n"),
        either(looks_complete, at_client(rb"xyz\r\nabc")),
    ),
    bad_response(
        "chunk size 0x3",
        "RFC 9112 7.1",
        response(CHUNKED, b"0x3\r\nabc\r\n0\r\n\r\n"),
        either(looks_complete, at_client(rb"0x3")),
    ),
    bad_response(
        "chunk size of 65 bits",
        "RFC 9112 7.1",
        response(CHUNKED, b"10000000000000003\r\nabc\r\n0\r\n\r\n"),
        either(looks_complete, at_client(rb"0{15}3\r\n")),
    ),
    bad_response(
        "chunk lines that end in bare LF", "RFC 9112 2.2", response(CHUNKED, b"3\nabc\n0\n\n"), at_client(rb"3\nabc\n")
    ),
    bad_response(
        "chunk longer than its size",
        "RFC 9112 7.1",
        response(CHUNKED, b"3\r\nabcd\r\n0\r\n\r\n"),
        either(looks_complete, at_client(rb"abcd")),
    ),
    bad_response(
        "NUL in a chunk extension", "RFC 9112 7.1.1", response(CHUNKED, b"3;a\0\r\nabc\r\n0\r\n\r\n"), at_client(rb"\x00")
    ),
    bad_response(
        "chunk extension of 1 MiB",
        "RFC 9112 7.1.1",
        response(CHUNKED, b"3;a=" + b"b" * (1 << 20) + b"\r\nabc\r\n0\r\n\r\n"),
        at_client(rb"b{65536}"),
    ),
    bad_response(
        "chunked body that is cut off", "RFC 9112 8", response(CHUNKED, b"3\r\nabc\r\n5\r\nab"), looks_complete, close=True
    ),
    bad_response(
        "chunked body without its last chunk", "RFC 9112 8", response(CHUNKED, b"3\r\nabc\r\n"), looks_complete, close=True
    ),
    bad_response(
        "body shorter than its Content-Length",
        "RFC 9112 8",
        response(b"Content-Length: 10\r\n", b"abc"),
        looks_complete,
        close=True,
    ),
    bad_response(
        "reset within the body", "RFC 9112 8", response(b"Content-Length: 10\r\n", b"abc"), looks_complete, reset=True
    ),
    bad_response(
        "cut-off chunked body to HTTP/1.0, keep-alive",
        "RFC 9112 8",
        response(CHUNKED, b"3\r\nabc\r\n5\r\nab"),
        both(looks_complete, at_client(rb"^Content-Length:")),
        close=True,
        version=b"HTTP/1.0",
    ),
    bad_response(
        "Content-Length among the trailers",
        "RFC 9110 6.5.1",
        response(CHUNKED, b"3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n"),
        at_client(rb"^Content-Length: 9"),
    ),
    bad_response(
        "bare CR among the trailers",
        "RFC 9112 2.2",
        response(CHUNKED, b"3\r\nabc\r\n0\r\nX: a\rb\r\n\r\n"),
        at_client(rb"a\rb"),
    ),
    bad_response(
        "204 with a body",
        "RFC 9112 6.3",
        response(b"Content-Length: 6\r\n", b"<body>", status=b"HTTP/1.1 204 No Content"),
        at_client(rb"<body>"),
    ),
    bad_response(
        "204 with Content-Length",
        "RFC 9110 8.6",
        response(b"Content-Length: 6\r\n", status=b"HTTP/1.1 204 No Content"),
        at_client(rb"^Content-Length: 6"),
    ),
    bad_response(
        "205 with Transfer-Encoding and Content-Length",
        "RFC 9112 6.1",
        response(CHUNKED + b"Content-Length: 0\r\n", b"0\r\n\r\n", status=b"HTTP/1.1 205 Reset Content"),
        BOTH_FRAMINGS,
    ),
    bad_response(
        "304 with a body",
        "RFC 9112 6.3",
        response(b"Content-Length: 6\r\n", b"<body>", status=b"HTTP/1.1 304 Not Modified"),
        at_client(rb"<body>"),
    ),
    bad_response(
        "HEAD answered with a body",
        "RFC 9112 6.3",
        response(b"Content-Length: 6\r\n", b"<body>"),
        at_client(rb"<body>"),
        method=b"HEAD",
    ),
    bad_response(
        "1xx with Content-Length",
        "RFC 9110 8.6",
        response(b"Content-Length: 6\r\n", status=b"HTTP/1.1 103 Early Hints") + response(b"Content-Length: 2\r\n", b"ok"),
        at_client(rb"^Content-Length: 6"),
    ),
    bad_response(
        "1xx with Transfer-Encoding and chunks",
        "RFC 9112 6.3",
        response(CHUNKED, b"3\r\nabc\r\n0\r\n\r\n", status=b"HTTP/1.1 103 Early Hints")
        + response(b"Content-Length: 2\r\n", b"ok"),
        either(at_client(rb"^3\r\nabc"), at_client(rb"^HTTP/1\.1 103[^\0]*^Transfer-Encoding")),
    ),
    bad_response(
        "chunked to an HTTP/1.0 client",
        "RFC 9112 7.1",
        response(CHUNKED, b"3\r\nabc\r\n0\r\n\r\n"),
        at_client(rb"3\r\nabc\r\n|^Transfer-Encoding:"),
        version=b"HTTP/1.0",
    ),
    Case(
        "a response that nobody asked for",
        "RFC 9112 9.2",
        [request(target=b"http://{origin}/1"), Wait(), request(target=b"http://{origin}/2")],
        answers=[Answer(response(b"Content-Length: 2\r\n", b"ok") + response(b"Content-Length: 8\r\n", b"injected"))],
        methods=[b"GET"] * 2,
        hazard=at_client(rb"injected"),
        about_response=True,
    ),
    Case(
        "body behind a HEAD that looks like a response",
        "RFC 9112 6.3",
        [request(method=b"HEAD"), Wait(), request(target=b"http://{origin}/2")],
        answers=[Answer(response(b"Content-Length: 60\r\n", response(b"Content-Length: 8\r\n", b"injected")))],
        methods=[b"HEAD", b"GET"],
        hazard=at_client(rb"injected"),
        about_response=True,
    ),
    Case(
        "a second response within the same segment, requests at once",
        "RFC 9112 9.3.2",
        [request(target=b"http://{origin}/1") + request(target=b"http://{origin}/2")],
        answers=[Answer(response(b"Content-Length: 2\r\n", b"ok") + response(b"Content-Length: 8\r\n", b"injected"))],
        methods=[b"GET"] * 2,
        hazard=at_client(rb"injected"),
        about_response=True,
    ),
]
