"""Connections that are slow on purpose: a thread feeds, or reads, many of them a byte at a time."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from lab.wire import connect, reset


@dataclass
class Slow:
    """One slow connection: `opening` at once, then `byte` for ever; or, without it, a byte is read each time."""

    address: tuple[str, int]
    opening: bytes
    byte: bytes
    connection: socket.socket | None = None
    opened: float = 0
    received: bytes = b""

    def open(self) -> None:
        # The kernel must not read for a slow reader.
        self.connection = connect(self.address, receive_buffer=None if self.byte else 4096)
        self.connection.sendall(self.opening)
        self.connection.setblocking(False)
        self.opened = time.monotonic()
        self.received = b""

    def go_on(self) -> bool:
        """Whether the connection still stands."""
        assert self.connection
        try:
            if not self.byte:
                return self.connection.recv(1) != b""
            if select.select([self.connection], [], [], 0)[0]:
                data = self.connection.recv(4096)
                self.received += data
                return data != b""
            self.connection.send(self.byte)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True


@dataclass(frozen=True)
class Dropped:
    """A connection that the proxy has ended."""

    slow: Slow
    seconds: float
    answer: bytes


@dataclass
class Drip:
    """Keeps all of `slow` going: each once in `period` seconds, and anew when it was ended. They are opened evenly over `ramp`
    seconds."""

    slow: list[Slow]
    period: float
    ramp: float
    dropped: list[Dropped] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Drip:
        self.dropped = []
        self._stopping.clear()
        for slow in self.slow:
            slow.open()
            time.sleep(self.ramp / len(self.slow))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()
        for slow in self.slow:
            if slow.connection:
                reset(slow.connection)

    def _run(self) -> None:
        waiting = deque(self.slow)
        due = time.monotonic()
        while not self._stopping.is_set():
            slow = waiting.popleft()
            waiting.append(slow)
            if not slow.go_on():
                self.dropped.append(Dropped(slow, time.monotonic() - slow.opened, slow.received))
                if slow.connection:
                    slow.connection.close()
                slow.open()
            due += self.period / len(self.slow)
            self._stopping.wait(max(0.0, due - time.monotonic()))
