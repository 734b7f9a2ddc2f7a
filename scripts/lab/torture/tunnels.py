"""Many tunnels and many connections, each for a moment."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lab.origin import Origin
from lab.torture.scenario import Run, Scenario
from lab.torture.stage import PATIENCE, expect, tunnel
from lab.wire import connect, reset

TUNNELS, QUICK_TUNNELS = 10_000, 500
CONNECTIONS, QUICK_CONNECTIONS = 10_000, 1_000
THREADS = 8


def in_parallel(count: int, act: Callable[[int], None]) -> float:
    """Acts per second."""
    began = time.monotonic()
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in threads.map(act, range(count), chunksize=100):
            pass
    return count / (time.monotonic() - began)


def open_tunnels(run: Run) -> str:
    """Each carries a token there and back, and is then ended by either side, or reset."""

    def echo(connection: socket.socket) -> None:
        while data := connection.recv(1 << 16):
            connection.sendall(data)
            if data.startswith(b"end "):
                return

    def act(number: int) -> None:
        with tunnel(run, origin.port) as client:
            token = b"%s %d of this tunnel" % (b"end" if number % 3 == 0 else b"go on", number)
            client.sendall(token)
            expect(client.recv(1 << 16) == token, f"tunnel {number} brought another's bytes")
            if number % 3 == 0:
                expect(client.recv(1) == b"", f"tunnel {number} did not end with its server")
            elif number % 3 == 1:
                reset(client)

    count = QUICK_TUNNELS if run.quick else TUNNELS
    with Origin(echo) as origin:
        rate = in_parallel(count, act)
    run.figures.update(tunnels=count, per_second=round(rate))
    return f"{count:,} tunnels, {rate:,.0f}/s"


def storm(run: Run) -> str:
    """Connections that are closed as soon as they stand, or after a byte, by FIN or RST."""

    def act(number: int) -> None:
        client = connect(run.proxy.address, timeout=PATIENCE)
        if number % 4 >= 2:
            client.sendall(b"G")
        if number % 2:
            reset(client)
        else:
            client.close()

    count = QUICK_CONNECTIONS if run.quick else CONNECTIONS
    rate = in_parallel(count, act)
    run.figures.update(connections=count, per_second=round(rate))
    return f"{count:,} connections, {rate:,.0f}/s"


SCENARIOS = [
    Scenario("tunnels", f"{TUNNELS:,} tunnels opened, used and ended", open_tunnels),
    Scenario("storm", f"{CONNECTIONS:,} connections closed as soon as they stand", storm),
]
