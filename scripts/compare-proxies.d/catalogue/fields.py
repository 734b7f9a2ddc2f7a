"""Lines and fields of requests."""

from __future__ import annotations

from case import at_origin, both, post, request, request_without
from catalogue.forms import NO_VIA, OWN_CONNECTION, bad_request, good_request

CASES = [
    bad_request("folded field line", "RFC 9112 5.2", request(b"X: a\r\n folded\r\n"), at_origin(rb"^[ \t]+folded")),
    bad_request(
        "space before the first field",
        "RFC 9112 2.2",
        request(host=b" X: evil\r\nHost: {origin}\r\n"),
        at_origin(rb"^ X: evil|case X"),
    ),
    bad_request(
        "bare LF as line end",
        "RFC 9112 2.2",
        b"GET http://{origin}/case HTTP/1.1\nHost: {origin}\n\n",
        at_origin(rb"[^\r]\n"),
    ),
    bad_request("bare CR in a value", "RFC 9112 2.2", request(b"X: a\rb\r\n"), at_origin(rb"a\rb")),
    bad_request("bare CR at the end of a value", "RFC 9112 2.2", request(b"X: a\r\r\n"), at_origin(rb"a\r\r")),
    bad_request("NUL in a value", "RFC 9110 5.5", request(b"X: a\0b\r\n"), at_origin(rb"\x00")),
    bad_request("a control in a value", "RFC 9110 5.5", request(b"X: a\x01b\r\n"), at_origin(rb"\x01")),
    bad_request("DEL in a value", "RFC 9110 5.5", request(b"X: a\x7fb\r\n"), at_origin(rb"\x7f")),
    bad_request("space in a field name", "RFC 9110 5.1", request(b"X y: a\r\n"), at_origin(rb"^X y:")),
    bad_request("tab before the colon", "RFC 9112 5.1", request(b"X\t: a\r\n"), at_origin(rb"^X\t:")),
    bad_request("parenthesis in a field name", "RFC 9110 5.1", request(b"X(y): a\r\n"), at_origin(rb"^X\(y\):")),
    bad_request("octet above 127 in a field name", "RFC 9110 5.1", request(b"X\xe9: a\r\n"), at_origin(rb"^X\xe9:")),
    bad_request("empty field name", "RFC 9110 5.1", request(b": a\r\n"), at_origin(rb"^: a")),
    bad_request("field line without a colon", "RFC 9112 5", request(b"nonsense\r\n"), at_origin(rb"^nonsense")),
    good_request(
        "octets above 127 in a value", "RFC 9110 5.5", request(b"X: \xe9\xff\xa0a\r\n"), at_origin(rb"^X: \xe9\xff\xa0a\r\n")
    ),
    good_request(
        "names and duplicates as they came",
        "RFC 9110 5.3",
        request(b"x-A: 1\r\nX-a: 2\r\nx-A: 3\r\n"),
        lambda seen: all(one in b"".join(seen.arrived) for one in (b"x-A: 1\r\n", b"X-a: 2\r\n", b"x-A: 3\r\n")),
    ),
    good_request("name with an underscore", "RFC 9110 5.1", request(b"X_y: a\r\n"), at_origin(rb"^X_y: a\r\n")),
    good_request("empty value", "RFC 9110 5.5", request(b"X:\r\n"), at_origin(rb"^X: ?\r\n")),
    bad_request(
        "fields that nobody sent",
        "RFC 9110 7.7",
        request(),
        at_origin(rb"^(X-Forwarded-For|Forwarded|Cache-Control|User-Agent|Accept|Accept-Encoding|X-Real-IP):"),
    ),
    good_request("one empty line before the request", "RFC 9112 2.2", b"\r\n" + request(), at_origin(rb"^GET /case")),
    bad_request(
        "Connection names a field",
        "RFC 9110 7.6.1",
        request(b"Connection: x-secret\r\nX-Secret: 1\r\n"),
        at_origin(rb"X-Secret"),
    ),
    bad_request(
        "Connection in several lines and cases",
        "RFC 9110 7.6.1",
        request(b"Connection: close\r\nCONNECTION: , x-secret ,\r\nX-SECRET: 1\r\n"),
        at_origin(rb"X-Secret"),
    ),
    bad_request(
        "Connection names a trailer",
        "RFC 9110 7.6.1",
        post(b"Connection: x-secret\r\nTransfer-Encoding: chunked\r\n", b"0\r\nX-Secret: 1\r\n\r\n"),
        at_origin(rb"X-Secret"),
    ),
    bad_request(
        "Connection: content-length",
        "RFC 9110 7.6.1",
        post(b"Connection: content-length\r\nContent-Length: 3\r\n", b"abc"),
        both(request_without(b"Content-Length"), request_without(b"Transfer-Encoding")),
    ),
    bad_request(
        "Connection: transfer-encoding",
        "RFC 9110 7.6.1",
        post(b"Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n", b"3\r\nabc\r\n0\r\n\r\n"),
        both(request_without(b"Content-Length"), request_without(b"Transfer-Encoding")),
    ),
    bad_request("Connection: host", "RFC 9110 7.6.1", request(b"Connection: host\r\n"), request_without(b"Host")),
    bad_request(
        "Keep-Alive and Proxy-Connection",
        "RFC 9110 7.6.1",
        request(b"Keep-Alive: 1\r\nProxy-Connection: close\r\n"),
        at_origin(rb"^Keep-Alive: 1|^Proxy-Connection:"),
        difference=OWN_CONNECTION,
    ),
    bad_request(
        "Proxy-Authorization",
        "RFC 9110 11.7.2",
        request(b"Proxy-Authorization: Basic c2VjcmV0\r\n"),
        at_origin(rb"c2VjcmV0"),
    ),
    bad_request("TE without Connection: TE", "RFC 9110 10.1.4", request(b"TE: gzip\r\n"), at_origin(rb"^TE: gzip")),
    bad_request(
        "Upgrade without Connection: Upgrade", "RFC 9110 7.8", request(b"Upgrade: cow\r\n"), at_origin(rb"^Upgrade:")
    ),
    bad_request(
        "Upgrade: h2c",
        "RFC 9110 7.8",
        request(b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"),
        at_origin(rb"^Upgrade: *h2c"),
    ),
    bad_request(
        "Upgrade in HTTP/1.0",
        "RFC 9110 7.8",
        request(b"Connection: Upgrade\r\nUpgrade: websocket\r\n", version=b"HTTP/1.0"),
        at_origin(rb"^Upgrade:"),
    ),
    bad_request("no Via", "RFC 9110 7.6.3", request(), request_without(b"Via"), difference=NO_VIA),
    bad_request(
        "Via of the client lost",
        "RFC 9110 7.6.3",
        request(b"Via: 1.0 before\r\n"),
        lambda seen: any(not any(b"before" in value for value in each.values(b"Via")) for each in seen.requests()),
    ),
    bad_request("a request that has passed here before, by its Via", "RFC 9110 7.6.3", request(b"{via}"), difference=NO_VIA),
    bad_request("unknown expectation", "RFC 9110 10.1.1", request(b"Expect: cow\r\n"), at_origin(rb"^Expect: cow")),
]
