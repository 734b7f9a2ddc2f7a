"""Methods, versions and sizes of requests."""

from __future__ import annotations

from case import Case, arrives, at_client, at_origin, either, request
from catalogue.forms import bad_request, good_request

CASES = [
    good_request("unknown method", "RFC 9110 9.1", request(method=b"FROBNICATE"), at_origin(rb"^FROBNICATE /case HTTP")),
    good_request(
        "method in small letters",
        "RFC 9110 9.1",
        request(method=b"get"),
        lambda seen: any(b"get /case HTTP" in one for one in seen.arrived),
    ),
    bad_request("method that is no token", "RFC 9110 9.1", request(method=b"G(T"), at_origin(rb"^G\(T")),
    bad_request("method of 100,000 octets", "RFC 9110 9.1", request(method=b"A" * 100_000)),
    bad_request("NUL in the method", "RFC 9110 9.1", request(method=b"G\0T"), at_origin(rb"\x00")),
    good_request(
        "HTTP/1.2 goes on as 1.1", "RFC 9110 2.5", request(version=b"HTTP/1.2"), at_origin(rb"^GET /case HTTP/1\.1")
    ),
    bad_request("HTTP/1.0 forwarded as 1.0", "RFC 9110 7.6", request(version=b"HTTP/1.0"), at_origin(rb"HTTP/1\.0\r\n")),
    bad_request("HTTP/2.0 in a request line", "RFC 9110 15.6.6", request(version=b"HTTP/2.0")),
    bad_request("HTTP/1.10", "RFC 9112 2.3", request(version=b"HTTP/1.10"), at_origin(rb"HTTP/1\.10")),
    bad_request("HTTP/01.1", "RFC 9112 2.3", request(version=b"HTTP/01.1")),
    bad_request("http/1.1 in small letters", "RFC 9112 2.3", request(version=b"http/1.1"), arrives),
    bad_request("HTTP/1,1", "RFC 9112 2.3", request(version=b"HTTP/1,1")),
    bad_request("HTTP/0.9", "RFC 9112 3", b"GET http://{origin}/case\r\n\r\n"),
    bad_request(
        "the preface of HTTP/2",
        "RFC 9113 3.4",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        either(arrives, at_client(rb"^HTTP/1\.. 200")),
    ),
    bad_request(
        "TLS to the plain port, garbage after the record header",
        "RFC 8446 5.1",
        b"\x16\x03\x01\x00\x05hello" + b"\0" * 40,
        at_origin(rb"hello"),
    ),
    Case(
        "Max-Forwards: 0 on TRACE",
        "RFC 9110 7.6.2",
        [request(b"Max-Forwards: 0\r\n", method=b"TRACE")],
        methods=[b"TRACE"],
        hazard=arrives,
    ),
    Case(
        "Max-Forwards: 0 on OPTIONS",
        "RFC 9110 7.6.2",
        [request(b"Max-Forwards: 0\r\n", method=b"OPTIONS")],
        methods=[b"OPTIONS"],
        hazard=arrives,
    ),
    bad_request(
        "Max-Forwards not counted down",
        "RFC 9110 7.6.2",
        request(b"Max-Forwards: 7\r\n", method=b"TRACE"),
        at_origin(rb"^Max-Forwards: *7"),
    ),
    bad_request(
        "TRACE reflects credentials",
        "RFC 9110 9.3.8",
        request(b"Max-Forwards: 0\r\nAuthorization: Basic c2VjcmV0\r\nCookie: c2VjcmV0\r\n", method=b"TRACE"),
        at_client(rb"c2VjcmV0"),
    ),
    good_request(
        "request line of 8,000 octets",
        "RFC 9112 3",
        request(target=b"http://{origin}/" + b"a" * 7960),
        at_origin(rb"^GET /a{7960} "),
    ),
    bad_request("request line of 1 MiB", "RFC 9112 3", request(target=b"http://{origin}/" + b"a" * (1 << 20))),
    bad_request("a field of 10 MB", "RFC 9110 5.4", request(b"X: " + b"a" * 10_000_000 + b"\r\n")),
    bad_request("10,000 fields", "RFC 9110 5.4", request(b"X: a\r\n" * 10_000)),
    bad_request("a header block that never ends", "RFC 9110 5.4", request()[:-2] + b"X: " + b"a" * 2_000_000),
]
