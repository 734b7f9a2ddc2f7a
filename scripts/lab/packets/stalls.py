"""Stalls beside the script: the whole of tapeline stands still for a while, again and again, wherever its loops are just then."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lab.packets.pressure import Quiet
from lab.packets.script import Protocol
from lab.proxy import Tapeline

STALL = 0.020
# From the end of a stall to the next, in seconds: shorter and longer than an exchange.
PAUSES = 0.001, 0.060


class Stalls(Quiet):
    """Signals that stop the process, so that the kernel goes on and no code of tapeline's knows."""

    name = "stalled"

    def __init__(self) -> None:
        self._count = 0

    @contextmanager
    def on(self, proxy: Tapeline, protocol: Protocol) -> Iterator[None]:
        over = threading.Event()
        thread = threading.Thread(target=self._work, args=(proxy.running.process.pid, over, random.Random(protocol.name)))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _work(self, process: int, over: threading.Event, draw: random.Random) -> None:
        while not over.wait(draw.uniform(*PAUSES)):
            os.kill(process, signal.SIGSTOP)
            try:
                over.wait(STALL)
            finally:
                os.kill(process, signal.SIGCONT)
            self._count += 1

    def describe(self) -> str:
        return f"One client at a time. tapeline was stopped {self._count:,} times for {STALL * 1e3:.0f} ms, at any moment."
