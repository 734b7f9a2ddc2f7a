"""The load beside the script: many exchanges of other clients with another origin through the same tapeline, at a steady rate."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from lab import load
from lab.nginx import Nginx
from lab.packets.script import Protocol
from lab.process import Server, ServerFailed
from lab.proxy import Tapeline

SHARE = 0.8
SECONDS, QUICK_SECONDS = 5, 2
CONNECTIONS = 32
# Longer than any script.
LONGEST = 3_600
PATIENCE = 60.0


class Quiet:
    """None."""

    name = "idle"
    roots: Path | None = None
    clients = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @contextmanager
    def on(self, _: Tapeline, __: Protocol) -> Iterator[None]:
        yield

    def describe(self) -> str:
        return "One client at a time."


class Pressure(Quiet):
    """nginx and h2load, at four fifths of the rate that they reach through tapeline when nothing holds them back."""

    name = f"{SHARE:.0%} load"
    clients = 4

    def __init__(self, directory: Path, quick: bool):
        self._directory = directory
        self._seconds = QUICK_SECONDS if quick else SECONDS
        self._nginx = Nginx(directory / "origin", 1 << 20)
        self._rates: list[float] = []
        self.roots = self._nginx.certificates.root

    def __enter__(self) -> Self:
        self._directory.mkdir(parents=True)
        self._nginx.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._nginx.stop()

    @contextmanager
    def on(self, proxy: Tapeline, protocol: Protocol) -> Iterator[None]:
        """First finds the highest rate of that version of HTTP, then keeps to its share of it."""
        words = (self._port(protocol), proxy.authority, CONNECTIONS, protocol.alpn)
        rate = SHARE * load.encrypted_rate(*words, self._seconds).rate
        self._rates.append(rate)
        # The highest rate may be more than the recorder can take: it leaves exchanges out.
        self._wait_for_recorder(proxy)
        command = load.h2load_command(*words, LONGEST, rate)
        log = self._directory / f"{protocol.alpn.replace('/', '-')}-{len(self._rates)}.log"
        generator = Server("h2load", command, log)
        try:
            yield
            if not generator.is_running():
                raise generator.failure("ended before the script")
        finally:
            generator.stop(seconds=5)

    def _wait_for_recorder(self, proxy: Tapeline) -> None:
        deadline = time.monotonic() + PATIENCE
        while proxy.metrics()["tapeline_recorder_queue_bytes"] > 0:
            if time.monotonic() > deadline:
                raise ServerFailed("the recorder did not catch up")
            time.sleep(0.05)

    def _port(self, protocol: Protocol) -> int:
        return self._nginx.h2_port if protocol.is_multiplexed else self._nginx.tls_port

    def describe(self) -> str:
        rates = ", ".join(f"{rate:,.0f}" for rate in self._rates)
        return f"{self.clients} clients at a time, beside a generator with so many requests a second, by protocol: {rates}."

    def roots_with(self, other: Path, file: Path) -> Path:
        """One file with both origins' roots."""
        if not self.roots:
            raise ServerFailed("nginx has no root")
        file.write_text(other.read_text() + self.roots.read_text())
        return file
