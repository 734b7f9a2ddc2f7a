"""Request lines and Host: what an origin must not see in a target, and what must reach it as it came."""

from __future__ import annotations

from case import Case, arrives, at_client, at_origin, either, request, request_without
from catalogue.forms import bad_request, good_request

CASES = [
    good_request("absolute-form to origin-form", "RFC 9112 3.2.1", request(), at_origin(rb"^GET /case HTTP/1\.1\r\n")),
    good_request("empty path", "RFC 9112 3.2.1", request(target=b"http://{origin}"), at_origin(rb"^GET / HTTP")),
    good_request(
        "empty path with a query", "RFC 9112 3.2.1", request(target=b"http://{origin}?q=1"), at_origin(rb"^GET /\?q=1 HTTP")
    ),
    good_request(
        "octets of the path as they came",
        "RFC 3986 6.2",
        request(target=b"http://{origin}/a/../b/./%2e%2E/%7Eq//x;y=1?z=[]{}|\\^`'\""),
        at_origin(rb"^GET /a/\.\./b/\./%2e%2E/%7Eq//x;y=1\?z=\[\]\{\}\|\\\^`'\" HTTP"),
    ),
    good_request(
        "scheme in capitals", "RFC 3986 3.1", request(target=b"HTTP://{origin}/case"), at_origin(rb"^GET /case HTTP")
    ),
    good_request(
        "OPTIONS for the whole server",
        "RFC 9112 3.2.4",
        request(method=b"OPTIONS", target=b"http://{origin}"),
        at_origin(rb"^OPTIONS \* HTTP"),
    ),
    bad_request(
        "userinfo in the target",
        "RFC 9110 4.2.4",
        request(target=b"http://user:secret@{origin}/case"),
        at_origin(rb"secret|^Authorization:"),
    ),
    bad_request(
        "fragment in the target", "RFC 9110 7.1", request(target=b"http://{origin}/case#fragment"), at_origin(rb"fragment")
    ),
    bad_request(
        "space in the target", "RFC 9112 3.2", request(target=b"http://{origin}/a b"), at_origin(rb"^GET [^\r]*/a b")
    ),
    bad_request(
        "two spaces before the target", "RFC 9112 3", request(target=b" http://{origin}/case"), at_origin(rb"^GET  ")
    ),
    bad_request("space before the method", "RFC 9112 3", b" " + request()),
    bad_request("words after the version", "RFC 9112 3", request(version=b"HTTP/1.1 HTTP/1.0")),
    bad_request(
        "tabs for spaces",
        "RFC 9112 3",
        b"GET\thttp://{origin}/case\tHTTP/1.1\r\nHost: {origin}\r\n\r\n",
        at_origin(rb"^[^\r]*\t"),
    ),
    bad_request("space after the version", "RFC 9112 3", request(version=b"HTTP/1.1 "), at_origin(rb"HTTP/1.1 \r")),
    bad_request("bare CR in the target", "RFC 9112 2.2", request(target=b"http://{origin}/a\rb"), at_origin(rb"a\rb")),
    bad_request("NUL in the target", "RFC 9112 3.2", request(target=b"http://{origin}/a\0b"), at_origin(rb"\x00")),
    bad_request("a control in the target", "RFC 9112 3.2", request(target=b"http://{origin}/a\x01b"), at_origin(rb"\x01")),
    bad_request("DEL in the target", "RFC 9112 3.2", request(target=b"http://{origin}/a\x7fb"), at_origin(rb"\x7f")),
    bad_request(
        "%0d%0a in the target decoded", "RFC 3986 2.4", request(target=b"http://{origin}/%0d%0aX:%20y"), at_origin(rb"^X: y")
    ),
    bad_request("backslash before another host", "RFC 3986 3.2", request(target=b"http://{origin}\\@evil.invalid/case")),
    bad_request("@ twice", "RFC 3986 3.2.1", request(target=b"http://a@b@{origin}/case")),
    bad_request(
        "port beyond 65535 that wraps around",
        "RFC 3986 3.2.3",
        request(target=b"http://127.0.0.1:{wrapped}/case", host=b"Host: a\r\n"),
    ),
    bad_request("port with a sign", "RFC 3986 3.2.3", request(target=b"http://127.0.0.1:+{port}/case", host=b"Host: a\r\n")),
    bad_request(
        "space after the host", "RFC 3986 3.2.2", request(target=b"http://127.0.0.1 :{port}/case", host=b"Host: a\r\n")
    ),
    bad_request("two ports", "RFC 3986 3.2.3", request(target=b"http://{origin}:80/case", host=b"Host: a\r\n")),
    bad_request("one slash after the scheme", "RFC 3986 3", request(target=b"http:/{origin}/case")),
    bad_request(
        "percent-encoded host", "RFC 3986 3.2.2", request(target=b"http://%31%32%37.0.0.1:{port}/case", host=b"Host: a\r\n")
    ),
    bad_request(
        "host with an underscore beside a NUL",
        "RFC 3986 3.2.2",
        request(target=b"http://127.0.0.1\0.a_b:{port}/case", host=b"Host: a\r\n"),
    ),
    bad_request("no host in the target", "RFC 9110 4.2.1", request(target=b"http:///case")),
    bad_request("* with GET", "RFC 9112 3.2.4", request(target=b"*")),
    bad_request("authority-form with GET", "RFC 9112 3.2.3", request(target=b"{origin}")),
    bad_request("origin-form to the proxy", "RFC 9112 3.2.1", request(target=b"/case")),
    bad_request(
        "scheme ftp",
        "RFC 9110 7.3.3",
        request(target=b"ftp://{origin}/case"),
        either(arrives, at_client(rb"^HTTP/1\.. 200")),
    ),
    bad_request("scheme nobody knows", "RFC 9110 7.3.3", request(target=b"cow://{origin}/case")),
    bad_request(
        "another host in Host", "RFC 9112 3.2.2", request(host=b"Host: evil.example\r\n"), at_origin(rb"evil\.example")
    ),
    bad_request("Host twice", "RFC 9112 3.2", request(b"Host: evil.example\r\n"), at_origin(rb"evil\.example")),
    bad_request("Host twice, the same", "RFC 9112 3.2", request(b"Host: {origin}\r\n"), at_origin(rb"^Host:.*^Host:")),
    bad_request("no Host in HTTP/1.1", "RFC 9112 3.2", request(host=b""), request_without(b"Host")),
    bad_request(
        "two hosts in Host", "RFC 9112 3.2", request(host=b"Host: {origin}, evil.example\r\n"), at_origin(rb"evil\.example")
    ),
    bad_request("path in Host", "RFC 9112 3.2", request(host=b"Host: {origin}/evil\r\n"), at_origin(rb"^Host:[^\r]*evil")),
    bad_request("userinfo in Host", "RFC 9112 3.2", request(host=b"Host: evil@{origin}\r\n"), at_origin(rb"evil@")),
    bad_request("folded Host", "RFC 9112 5.2", request(host=b"Host:\r\n evil.example\r\n"), at_origin(rb"evil\.example")),
    Case(
        "a request to the proxy itself, through it",
        "RFC 9110 7.3",
        [request(target=b"http://{proxy}/case", host=b"Host: {proxy}\r\n")],
        hazard=lambda seen: seen.client.silent or bool(seen.final()) and seen.final()[0].status == 200,
        alone=True,
    ),
]
