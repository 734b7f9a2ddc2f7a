"""`scripts/lab/run soak --silence MINUTES`: a stream of events, a WebSocket, a tunnel and an upload that say nothing for so long,
through tapeline with its default limits. Each must go on afterwards as if nothing had been, and no entry may have an error."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

from lab.origin import Origin
from lab.proxy import Tapeline
from lab.tool import Verdict
from lab.wire import connect, connect_request

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
SWITCH = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)
UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
CLOSE = b"\x88\x02\x03\xe8"
MASKED_CLOSE = b"\x88\x82\x00\x00\x00\x00\x03\xe8"
SLACK_SECONDS = 30


class Case:
    """One conversation: what the server and the client say before and after the silence."""

    def __init__(self, name: str, seconds: float):
        self.name = name
        self.seconds = seconds
        self.origin = Origin(self.serve)
        self.authority = self.origin.authority
        self.problem: str | None = "it did not end in time"

    def start(self, proxy: tuple[str, int]) -> None:
        self.asking = threading.Thread(target=self.ask, args=(proxy,), daemon=True)
        self.asking.start()

    def serve(self, connection: socket.socket) -> None:
        connection.settimeout(self.seconds + SLACK_SECONDS)
        try:
            getattr(self, f"serve_{self.name}")(connection)
        except OSError as error:
            self.problem = f"at the server: {error}"

    def ask(self, proxy: tuple[str, int]) -> None:
        connection = connect(proxy, self.seconds + SLACK_SECONDS)
        try:
            getattr(self, f"ask_{self.name}")(connection)
            self.problem = None
        except (OSError, AssertionError) as error:
            self.problem = f"at the client: {error}"
        connection.close()

    def request(self, method: str, fields: bytes = b"") -> bytes:
        return f"{method} http://{self.authority}/{self.name} HTTP/1.1\r\nHost: {self.authority}\r\n".encode() + fields + b"\r\n"

    def serve_events(self, connection: socket.socket) -> None:
        read_through(connection, b"\r\n\r\n")
        connection.sendall(HEAD + b"8\r\ndata: a\n\r\n")
        time.sleep(self.seconds)
        connection.sendall(b"8\r\ndata: b\n\r\n0\r\n\r\n")
        connection.recv(1)

    def ask_events(self, connection: socket.socket) -> None:
        connection.sendall(self.request("GET"))
        read_through(connection, b"data: b\n\r\n0\r\n\r\n")

    def serve_socket(self, connection: socket.socket) -> None:
        read_through(connection, b"\r\n\r\n")
        connection.sendall(SWITCH)
        time.sleep(self.seconds)
        connection.sendall(b"\x81\x01b" + CLOSE)
        read_through(connection, MASKED_CLOSE)
        connection.close()

    def ask_socket(self, connection: socket.socket) -> None:
        connection.sendall(self.request("GET", UPGRADE))
        read_through(connection, b"\x81\x01b" + CLOSE)
        connection.sendall(MASKED_CLOSE)
        assert connection.recv(1) == b"", "more came"

    def serve_tunnel(self, connection: socket.socket) -> None:
        read_through(connection, b"a")
        time.sleep(self.seconds)
        connection.sendall(b"b")
        connection.close()

    def ask_tunnel(self, connection: socket.socket) -> None:
        connection.sendall(connect_request(self.authority))
        read_through(connection, b"\r\n\r\n")
        connection.sendall(b"a")
        read_through(connection, b"b")

    def serve_upload(self, connection: socket.socket) -> None:
        read_through(connection, b"\r\n\r\nab")
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        connection.recv(1)

    def ask_upload(self, connection: socket.socket) -> None:
        connection.sendall(self.request("POST", b"Content-Length: 2\r\n") + b"a")
        time.sleep(self.seconds)
        connection.sendall(b"b")
        assert b" 200 " in read_through(connection, b"\r\n\r\n")


def read_through(connection: socket.socket, mark: bytes) -> bytes:
    received = b""
    while mark not in received:
        piece = connection.recv(65536)
        assert piece, f"ended after {received[-80:]!r}"
        received += piece
    return received


def run(directory: Path, minutes: float) -> list[Verdict]:
    """What is asked of each conversation, and whether it was so."""
    tapeline = Tapeline(directory / "recording")
    tapeline.start()
    cases = [Case(name, minutes * 60) for name in ("events", "socket", "tunnel", "upload")]
    for case in cases:
        case.start(tapeline.address)
    for case in cases:
        case.asking.join(minutes * 60 + SLACK_SECONDS)
    status = tapeline.stop()
    entries = json.loads(tapeline.har.read_text())["log"]["entries"]
    errors = [entry["_error"] for entry in entries if "_error" in entry]
    results: list[Verdict] = []
    for case in cases:
        problem = f" ({case.problem})" if case.problem else ""
        results.append((f"{case.name}: silent for {minutes:g} minutes, and goes on{problem}", not case.problem))
    text = f"{len(cases)} entries without an error: {len(entries)} entries, errors {errors}"
    results.append((text, len(entries) == len(cases) and not errors))
    results.append((f"it ends with status 0: {status}", status == 0))
    return results
