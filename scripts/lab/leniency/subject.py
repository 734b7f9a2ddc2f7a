"""tapeline between raw ends: what it does with each message, by the answer and by the entry."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

from lab.leniency.cases import REQUESTS, RESPONSES
from lab.leniency.clients import OddServer
from lab.leniency.servers import Contender
from lab.process import free_port
from lab.proxy import Tapeline

_FINAL = re.compile(rb"(?:^|\r\n\r\n)HTTP/1\.1 [2-9]\d\d [^\r]*\r\n(?:[^\r]+\r\n)*\r\n")


def with_responses(directory: Path) -> list[str]:
    server = OddServer(RESPONSES)
    proxy = Tapeline(directory / "responses")
    proxy.start()
    host = server.url.removeprefix("http://")
    ask = "GET {url}/{number} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    ports = [_send(proxy.address, ask.format(url=server.url, number=n, host=host).encode()) for n in range(len(RESPONSES))]
    proxy.stop()
    return _verdicts(proxy, ports)


def with_requests(directory: Path) -> list[str]:
    (directory / "origin").mkdir()
    origin = Contender("nginx", directory / "origin")
    port = free_port()
    listens = f"127.0.0.1:{port}=http://127.0.0.1:{origin.port}"
    proxy = Tapeline(directory / "requests", ["--reverse", listens, "--reverse-name", "*"])
    proxy.start()
    ports = [_send(("127.0.0.1", port), case.message) for case in REQUESTS]
    proxy.stop()
    origin.server.stop()
    return _verdicts(proxy, ports)


def _send(address: tuple[str, int], message: bytes) -> int:
    """Sends, waits for the final response, and leaves. Answers from which port."""
    with socket.create_connection(address, timeout=3) as connection:
        port = connection.getsockname()[1]
        received = b""
        try:
            connection.sendall(message)
            while not _is_whole(received) and (data := connection.recv(1 << 20)):
                received += data
        except OSError:
            pass
        return port


def _is_whole(received: bytes) -> bool:
    """Whether a final response with a length is there."""
    found = _FINAL.search(received)
    length = found and re.search(rb"(?i)\r\ncontent-length: *(\d+)", found[0])
    return bool(found and length) and len(received) >= found.end() + int(length[1])


def _verdicts(proxy: Tapeline, ports: list[int]) -> list[str]:
    entries = {}
    for file in proxy.recordings():
        for entry in json.loads(file.read_text())["log"]["entries"]:
            entries.setdefault(entry["_clientPort"], entry)
    return [_verdict(entries[port]) for port in ports]


def _verdict(entry: dict) -> str:
    error = entry.get("_error", {})
    # The message that the entry is about came whole; what came behind it is another matter.
    if error.get("kind") in (None, "closed", "reset") and "_localStatus" not in entry:
        return "passes on, notes" if "_anomalies" in entry else "passes on"
    return f"refuses: `{error['option']}`" if "option" in error else "refuses"
