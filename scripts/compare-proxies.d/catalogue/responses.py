"""Responses that have to reach the client."""

from __future__ import annotations

from case import Case, answered, at_client, both, looks_complete, post, request, response
from catalogue.forms import good_response, CHUNKED
from peers import Answer

CASES = [
    good_response(
        "unknown status 799",
        "RFC 9110 15",
        response(b"Content-Length: 0\r\n", status=b"HTTP/1.1 799 Odd"),
        at_client(rb"^HTTP/1\.1 799 Odd\r\n"),
    ),
    good_response(
        "octets above 127 in values and reason",
        "RFC 9110 5.5",
        response(b"X: \xe9\xff\r\nContent-Length: 0\r\n", status=b"HTTP/1.1 200 \xc4h"),
        at_client(rb"^HTTP/1\.1 200 \xc4h\r\n.*^X: \xe9\xff\r\n"),
    ),
    good_response(
        "empty reason",
        "RFC 9112 4",
        response(b"Content-Length: 0\r\n", status=b"HTTP/1.1 200 "),
        at_client(rb"^HTTP/1\.1 200 \r\n"),
    ),
    good_response(
        "Date as it came",
        "RFC 9110 6.6.1",
        response(b"Content-Length: 0\r\n"),
        at_client(rb"^Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
    ),
    good_response(
        "duplicates as they came",
        "RFC 9110 5.3",
        response(b"Set-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 0\r\n"),
        lambda seen: b"Set-Cookie: a=1\r\n" in seen.client.octets and b"set-cookie: b=2\r\n" in seen.client.octets,
    ),
    good_response(
        "a coded body, and its coding, as they came",
        "RFC 9110 8.4",
        response(b"Content-Encoding: gzip\r\nContent-Length: 4\r\n", b"\x1f\x8b\x00\xff"),
        at_client(rb"^Content-Encoding: gzip\r\n.*\r\n\r\n\x1f\x8b\x00\xff$"),
    ),
    good_response(
        "trailers",
        "RFC 9110 6.5",
        response(CHUNKED, b"3\r\nabc\r\n0\r\nX-Checksum: 1\r\n\r\n"),
        at_client(rb"^X-Checksum: 1\r\n"),
    ),
    good_response(
        "body that ends with the connection",
        "RFC 9112 6.3",
        response(b"", b"abc"),
        both(looks_complete, at_client(rb"abc")),
        close=True,
    ),
    good_response(
        "103 Early Hints",
        "RFC 9110 15.2",
        response(status=b"HTTP/1.1 103 Early Hints") + response(b"Content-Length: 2\r\n", b"ok"),
        at_client(rb"^HTTP/1\.1 103.*^HTTP/1\.1 200"),
    ),
    good_response(
        "304 with the Content-Length of the representation",
        "RFC 9110 8.6",
        response(b"Content-Length: 6\r\n", status=b"HTTP/1.1 304 Not Modified"),
        answered(304),
    ),
    Case(
        "WebSocket",
        "RFC 6455 4",
        [
            request(
                b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            )
        ],
        answers=[
            Answer(
                b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81\x02ok"
            )
        ],
        service=at_client(rb"^HTTP/1\.1 101.*\x81\x02ok"),
        about_response=True,
    ),
    Case(
        "a POST to an origin that answers and closes",
        "RFC 9112 9.3",
        [post(b"Content-Length: 3\r\n", b"abc")],
        answers=[Answer(response(b"Connection: close\r\nContent-Length: 2\r\n", b"ok"), close=True)],
        methods=[b"POST"],
        service=answered(200),
        about_response=True,
    ),
]
