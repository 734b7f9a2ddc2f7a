"""Peers that end their direction and keep the other one, at every point where that means something."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

from lab.origin import Origin
from lab.torture.scenario import Failed, Run, Scenario
from lab.torture.stage import BODY, CHUNKED, OK, PATIENCE, WHOLE, Stage, expect, nothing, tunnel
from lab.wire import ResponseReader, connect, get, read_response, read_to_end

TIMES = 20
LARGE = 1 << 20


def origin_ends(run: Run, name: str, sent: bytes, judge: Callable[[ResponseReader], bool]) -> None:
    """Each time: what the client gets is what `judge` wants, and the proxy lets the origin's connection go."""

    def send_and_end(connection: socket.socket) -> None:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)

    with Stage(send_and_end) as stage:
        for _ in range(TIMES):
            with connect(run.proxy.address, timeout=PATIENCE) as client:
                client.sendall(get(stage.url("/half"), close=False))
                response = read_response(client)
            expect(judge(response), f"{name}: the client got {response.status}, {'whole' if response.complete else 'cut off'}")
            expect(stage.ended.acquire(timeout=PATIENCE), f"{name}: the connection to the origin stays open")


def origins(run: Run) -> str:
    def whole(response: ResponseReader) -> bool:
        return response.status == 200 and response.complete and response.body == BODY

    def cut(response: ResponseReader) -> bool:
        return response.status == 200 and not response.complete

    def refused(response: ResponseReader) -> bool:
        return response.status == 502

    chunk = b"%x\r\n%s\r\n" % (len(BODY), BODY)
    cases = [
        ("before the response", b"", refused),
        ("in the status line", b"HTTP/1.1 20", refused),
        ("in the head", OK + b"X-Field: va", refused),
        ("after an interim response", b"HTTP/1.1 103 Early Hints\r\n\r\n", refused),
        ("in a body with a length", OK + b"Content-Length: 1000\r\n\r\n" + BODY, cut),
        ("in a chunk", CHUNKED + chunk[:-10], cut),
        ("between chunks", CHUNKED + chunk, cut),
        ("in the trailers", CHUNKED + chunk + b"0\r\nX: y", cut),
        ("after a body with a length", WHOLE, whole),
        ("after the last chunk", CHUNKED + chunk + b"0\r\n\r\n", whole),
        ("at the end of a body without a length", OK + b"Connection: close\r\n\r\n" + BODY, whole),
    ]
    for name, sent, judge in cases:
        origin_ends(run, f"origin ends {name}", sent, judge)
    return f"{len(cases)} ends of origins, {TIMES} times each"


def clients(run: Run) -> str:
    """A client that ends its direction is taken for gone: neither it nor its origin is kept waiting."""
    points = {
        "before a request": b"",
        "in the head": b"GET http://127.0.0.1:1/ HTTP/1.1\r\nHos",
        "in the body": b"POST {url} HTTP/1.1\r\nHost: {authority}\r\nContent-Length: 100\r\n\r\nhalf",
        "in a chunk": b"POST {url} HTTP/1.1\r\nHost: {authority}\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf",
        "after the request": b"GET {url} HTTP/1.1\r\nHost: {authority}\r\n\r\n",
    }
    with Stage(nothing) as origin:
        for name, text in points.items():
            request = text.replace(b"{url}", origin.url("/").encode()).replace(b"{authority}", b"127.0.0.1:%d" % origin.port)
            for _ in range(TIMES):
                with connect(run.proxy.address, timeout=PATIENCE) as client:
                    client.sendall(request)
                    if b"{url}" in text and not wait_for_requests(run):
                        raise Failed(f"client ends {name}: its request did not begin")
                    client.shutdown(socket.SHUT_WR)
                    answer = read_to_end(client)
                expect(b" 200 " not in answer[:20], f"client ends {name}: it got {answer[:40]!r}")
    return f"{len(points)} ends of clients, {TIMES} times each"


def wait_for_requests(run: Run) -> bool:
    """The request that asks is in flight as well."""
    return any(run.proxy.metrics()["tapeline_requests_in_flight"] > 1 for _ in range(100))


def tunnels(run: Run) -> str:
    """Each direction of a tunnel ends on its own, after all that was sent in it."""
    content = bytes(range(256)) * (LARGE // 256)

    def echo_after_end(connection: socket.socket) -> None:
        received = read_to_end(connection)
        connection.sendall(received)

    def speak_and_end(connection: socket.socket) -> None:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        heard.append(read_to_end(connection))
        listened.release()

    heard: list[bytes] = []
    listened = threading.Semaphore(0)
    with Origin(echo_after_end) as echoing, Origin(speak_and_end) as speaking:
        for _ in range(TIMES):
            with tunnel(run, echoing.port) as client:
                client.sendall(content)
                client.shutdown(socket.SHUT_WR)
                expect(read_to_end(client) == content, "a tunnel whose client has ended did not carry the answer whole")
            with tunnel(run, speaking.port) as client:
                expect(read_to_end(client) == content, "a tunnel whose server has ended did not carry all before")
                client.sendall(content)
                client.shutdown(socket.SHUT_WR)
                expect(listened.acquire(timeout=PATIENCE), "a tunnel whose server has ended did not carry the client's end")
                expect(heard.pop() == content, "a tunnel whose server has ended did not carry what the client sent")
    return f"{2 * TIMES} tunnels, {LARGE >> 20} MiB each way past the other's end"


SCENARIOS = [
    Scenario("half-closed-origins", "origins that end their direction at every point of a response", origins),
    Scenario("half-closed-clients", "clients that end their direction at every point of a request", clients),
    Scenario("half-closed-tunnels", "tunnels that end in one direction and go on in the other", tunnels),
]
