"""The clients whose exchanges are counted: one connection at a time, one exchange after the other, always the same bytes."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import h2.config
import h2.connection
import h2.events

from lab.nginx import Nginx
from lab.process import ServerFailed
from lab.wire import PIECE, connect, connect_request, get, read_head, read_response

Address = tuple[str, int]
# Under callgrind.
TIMEOUT = 120


def keep_alive(request: bytes):
    """A request on the same connection as the one before."""

    def run(proxy: Address, count: int) -> None:
        with connect(proxy, TIMEOUT) as connection:
            for _ in range(count):
                exchange(connection, request)

    return run


def short_get(url: str) -> bytes:
    """The head of a small client."""
    return f"GET {url} HTTP/1.1\r\nHost: {url.split('/')[2]}\r\nUser-Agent: gate\r\nAccept: */*\r\n\r\n".encode()


def new_connections(url: str):
    def run(proxy: Address, count: int) -> None:
        for _ in range(count):
            with connect(proxy, TIMEOUT) as connection:
                exchange(connection, get(url))

    return run


def tunnels(origin: Nginx):
    """A tunnel for each exchange, which nobody reads."""

    def run(proxy: Address, count: int) -> None:
        for _ in range(count):
            with tunnel(proxy, f"127.0.0.1:{origin.port}") as connection:
                exchange(connection, inner_get("127.0.0.1"))

    return run


def intercepted(origin: Nginx):
    def run(proxy: Address, count: int) -> None:
        with secured(proxy, f"localhost:{origin.tls_port}", "http/1.1") as connection:
            for _ in range(count):
                exchange(connection, inner_get("localhost"))

    return run


def http2(origin: Nginx):
    """HTTP/2 on both legs, a stream at a time."""

    def run(proxy: Address, count: int) -> None:
        authority = f"localhost:{origin.h2_port}"
        fields = [(":method", "GET"), (":scheme", "https"), (":authority", authority), (":path", "/small.txt")]
        with secured(proxy, authority, "h2") as connection:
            client = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
            client.initiate_connection()
            for _ in range(count):
                stream = client.get_next_available_stream_id()
                client.send_headers(stream, fields, end_stream=True)
                connection.sendall(client.data_to_send())
                finish_stream(connection, client)

    return run


def finish_stream(connection: socket.socket, client: h2.connection.H2Connection) -> None:
    while data := connection.recv(PIECE):
        has_ended = False
        for event in client.receive_data(data):
            if isinstance(event, h2.events.DataReceived):
                client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamReset | h2.events.ConnectionTerminated):
                raise ServerFailed("the proxy ended a stream of HTTP/2")
            has_ended = has_ended or isinstance(event, h2.events.StreamEnded)
        connection.sendall(client.data_to_send())
        if has_ended:
            return
    raise ServerFailed("the proxy ended a connection of HTTP/2")


def exchange(connection: socket.socket, request: bytes) -> None:
    connection.sendall(request)
    response = read_response(connection)
    if response.status != 200 or not response.complete:
        raise ServerFailed(f"the proxy answered with {response.status}, {len(response.body)} bytes")


def inner_get(host: str) -> bytes:
    return f"GET /small.txt HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


@contextmanager
def tunnel(proxy: Address, authority: str) -> Iterator[socket.socket]:
    with connect(proxy, TIMEOUT) as connection:
        connection.sendall(connect_request(authority))
        head = read_head(connection)
        if b" 200 " not in head:
            raise ServerFailed(f"no tunnel: {head[:80]!r}")
        yield connection


@contextmanager
def secured(proxy: Address, authority: str, protocol: str) -> Iterator[ssl.SSLSocket]:
    """TLS with the proxy's own certificate, which is not looked at."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    with tunnel(proxy, authority) as connection, context.wrap_socket(connection, server_hostname="localhost") as secure:
        if secure.selected_alpn_protocol() != protocol:
            raise ServerFailed(f"the proxy does not speak {protocol} in the tunnel")
        yield secure
