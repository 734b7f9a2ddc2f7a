"""Several requests on a connection, and CONNECT."""

from __future__ import annotations

from case import Case, answered, arrives, at_client, at_origin, either, post, request, smuggled, unlike
from peers import Answer, HalfClose, Wait

ANY_PORT = (
    "RFC 9110 9.3.6 recommends a limited set of ports to proxies that others can use. tapeline listens for its own user, who may"
    " connect anywhere without it too, and whose tests use any port; --allow-host and --deny-host limit hosts, and what other"
    " machines may reach is limited besides"
)
HANG_UP = (
    "RFC 9112 9.5 asks to watch for the other side's closing and to respond to it. The end of a client's octets within an"
    " exchange is taken for a hang-up, by nginx, squid and mitmproxy too: the work for it is cancelled, and recorded so. In"
    " tunnels each direction ends for itself"
)
CONNECT = [b"CONNECT"]
# The origin says that it keeps the connection, and ends it at the next request.
KEPT = Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
CASES = [
    Case(
        "three requests at once, answered in order",
        "RFC 9112 9.3.2",
        [b"".join(request(target=b"http://{origin}/%d" % number) for number in (1, 2, 3))],
        methods=[b"GET"] * 3,
        service=lambda seen: [each.body for each in seen.final()] == [b"answer to /%d" % number for number in (1, 2, 3)],
    ),
    Case(
        "a good request, a bad one behind it",
        "RFC 9112 9.3.2",
        [request() + request(b"X y: a\r\n") + request(target=b"http://{origin}/smuggled")],
        methods=[b"GET"] * 2,
        hazard=at_origin(rb"smuggled|X y"),
    ),
    Case(
        "a request behind one that closes",
        "RFC 9112 9.6",
        [request(b"Connection: close\r\n") + request(target=b"http://{origin}/smuggled")],
        hazard=at_origin(rb"smuggled"),
    ),
    Case(
        "Expect: 100-continue",
        "RFC 9110 10.1.1",
        [post(b"Expect: 100-continue\r\nContent-Length: 3\r\n", b"abc")],
        methods=[b"POST"],
        service=answered(200),
    ),
    Case(
        "early answer to a long upload",
        "RFC 9112 9.3",
        [post(b"Content-Length: 1000000\r\n", b"a" * 20_000)],
        methods=[b"POST"],
        answers=[Answer(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", early=True)],
        service=answered(413),
    ),
    Case(
        "the rest of a body behind an early answer is no request",
        "RFC 9112 9.3",
        [post(b"Content-Length: 10\r\n", b"abc"), Wait(), request(target=b"http://{origin}/smuggled")],
        methods=[b"POST"],
        answers=[Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", early=True)],
        hazard=smuggled,
    ),
    Case(
        "a declined Upgrade is no tunnel",
        "RFC 9110 7.8",
        [request(b"Connection: Upgrade\r\nUpgrade: websocket\r\n"), Wait(), request(target=b"http://{origin}/second")],
        methods=[b"GET", b"GET"],
        answers=[
            Answer(b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: cow\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n")
        ],
        hazard=at_origin(rb"^GET http://[^\r]*/second"),
    ),
    Case(
        "octets behind a CONNECT that failed are no request",
        "RFC 9110 9.3.6",
        [b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n" + request(target=b"http://{origin}/smuggled")],
        methods=CONNECT,
        hazard=smuggled,
    ),
    Case(
        "a POST is not sent twice",
        "RFC 9110 9.2.2",
        [request(), Wait(), post(b"Content-Length: 3\r\n", b"abc")],
        methods=[b"GET", b"POST"],
        answers=[Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), Answer(b"", close=True)],
        hazard=lambda seen: len([each for each in seen.requests() if each.start_line.startswith(b"POST")]) > 1,
    ),
    Case(
        "an error answer to HEAD has no body",
        "RFC 9110 9.3.2",
        [request(b"Transfer-Encoding: cow\r\n", method=b"HEAD")],
        methods=[b"HEAD"],
        hazard=either(arrives, at_client(rb"\r\n\r\n.")),
    ),
    Case(
        "GET on a connection that the origin has just closed",
        "RFC 9112 9.3.1",
        [request(), Wait(), request()],
        answers=[KEPT, Answer(b"", close=True)],
        methods=[b"GET", b"GET"],
        service=answered(200, 200),
    ),
    Case(
        "DELETE with Content-Length: 0 on such a connection",
        "RFC 9112 9.3.1",
        [request(), Wait(), request(b"Content-Length: 0\r\n", method=b"DELETE")],
        answers=[KEPT, Answer(b"", close=True)],
        methods=[b"GET", b"DELETE"],
        service=answered(200, 200),
    ),
    Case(
        "a client that closes its side after the request gets its answer",
        "RFC 9112 9.5",
        [request(), HalfClose()],
        service=answered(200),
        difference=HANG_UP,
    ),
    Case(
        "CONNECT without a port",
        "RFC 9110 9.3.6",
        [b"CONNECT 127.0.0.1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
        methods=CONNECT,
        hazard=unlike(at_client(rb"^HTTP/1\.[01] 400")),
    ),
    Case(
        "CONNECT to port 0",
        "RFC 9110 9.3.6",
        [b"CONNECT 127.0.0.1:0 HTTP/1.1\r\nHost: a\r\n\r\n"],
        methods=CONNECT,
        hazard=at_client(rb"^HTTP/1\.[01] (2|502|503)"),
    ),
    Case(
        "CONNECT to a port beyond 65535",
        "RFC 9110 9.3.6",
        [b"CONNECT 127.0.0.1:{wrapped} HTTP/1.1\r\nHost: a\r\n\r\nhello"],
        methods=CONNECT,
        hazard=either(at_origin(rb"hello"), at_client(rb"^HTTP/1\.[01] 2")),
    ),
    Case(
        "CONNECT to port 25",
        "RFC 9110 9.3.6",
        [b"CONNECT 127.0.0.1:25 HTTP/1.1\r\nHost: a\r\n\r\n"],
        methods=CONNECT,
        hazard=unlike(at_client(rb"^HTTP/1\.[01] 403")),
        difference=ANY_PORT,
    ),
    Case(
        "CONNECT with absolute-form",
        "RFC 9112 3.2.3",
        [b"CONNECT http://{origin}/ HTTP/1.1\r\nHost: {origin}\r\n\r\nhello"],
        methods=CONNECT,
        hazard=either(at_origin(rb"hello"), at_client(rb"^HTTP/1\.[01] 2")),
    ),
    Case(
        "CONNECT with userinfo",
        "RFC 9112 3.2.3",
        [b"CONNECT user:secret@{origin} HTTP/1.1\r\nHost: {origin}\r\n\r\nhello"],
        methods=CONNECT,
        hazard=either(at_origin(rb"hello|secret"), at_client(rb"^HTTP/1\.[01] 2")),
    ),
    Case(
        "CONNECT, and octets right behind its head",
        "RFC 9110 9.3.6",
        [b"CONNECT {origin} HTTP/1.1\r\nHost: {origin}\r\n\r\n" + request(target=b"/tunnelled")],
        methods=CONNECT,
        service=at_origin(rb"^GET /tunnelled HTTP"),
    ),
    Case(
        "CONNECT to a port where nothing listens",
        "RFC 9110 9.3.6",
        [b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
        methods=CONNECT,
        hazard=at_client(rb"^HTTP/1\.[01] 2"),
    ),
    Case(
        "CONNECT with Content-Length and a body",
        "RFC 9110 9.3.6",
        [b"CONNECT {origin} HTTP/1.1\r\nHost: {origin}\r\nContent-Length: 5\r\n\r\nhello" + request(target=b"/tunnelled")],
        methods=CONNECT,
        hazard=at_origin(rb"GET /tunnelled"),
    ),
]
