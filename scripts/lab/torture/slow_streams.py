"""1 GiB in one stream of HTTP/2 whose reader stops and goes on, while 99 other streams of the same connection are served."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.certificates import Certificates
from lab.http2 import codes
from lab.http2.peer import Fields, Peer, Received
from lab.http2.subjects import secure_tunnel, server_context
from lab.origin import Origin
from lab.proxy import Peak
from lab.torture.http2 import prepare
from lab.torture.scenario import Failed, Run, Scenario

SIZE = 1 << 30
HELD = 1
OTHERS, OTHER_SIZE = range(3, 201, 2), 10_000
MOST_KIB = 64 << 10
# Nothing has moved for so long: all buffers are full.
STILL_SECONDS = 1.0
PATIENCE = 120.0
# Written at once: as many frames as windows allow, up to so much.
BATCH = 1 << 18
FRAME = bytes(codes.FRAME_SIZE)


class Pump(Peer):
    """Sends content without having it, and counts what comes without keeping it. The windows of all streams but those in `held`
    open as bytes come; the connection's window always does."""

    def __init__(self, connection, is_client: bool = True):
        super().__init__(connection, is_client)
        self.window = self.initial_window = codes.WINDOW
        self.windows: dict[int, int] = {}
        self.unsent: dict[int, int] = {}
        self.came: Counter[int] = Counter()
        self.whole: set[int] = set()
        self.held: set[int] = set()
        self.owed: Counter[int] = Counter()

    def send(self, stream: int, fields: Fields, size: int | None) -> None:
        """A head, and so much content if there is to be any. Only notes what is to be written."""
        flags = codes.END_HEADERS | (codes.END_STREAM if size is None else 0)
        self.note(codes.HEADERS, flags, stream, self.block(fields))
        if size is not None:
            self.unsent[stream] = size
            self.windows.setdefault(stream, self.initial_window)

    def note(self, kind: int, flags: int, stream: int, payload: bytes = b"") -> None:
        # Not by `write`, which reads: frames are answered while they are read.
        self._output += codes.frame(kind, flags, stream, payload)

    def release(self, stream: int) -> None:
        self.held.discard(stream)
        if owed := self.owed.pop(stream, 0):
            self.note(codes.WINDOW_UPDATE, 0, stream, codes.number(owed))

    def run(self, until: Callable[[], bool], seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not until():
            if self.ended or time.monotonic() > deadline:
                raise Failed(f"{self.ended or 'nothing more'}: {self.came[HELD]:,} bytes came, {self.unsent} are to be sent")
            if len(self._output) < BATCH:
                self._fill()
            self._turn(0.05)

    def _fill(self) -> None:
        for stream in list(self.unsent):
            while len(self._output) < BATCH:
                left = self.unsent[stream]
                size = min(left, len(FRAME), self.window, self.windows[stream])
                if size <= 0 < left:
                    break
                self.note(codes.DATA, codes.END_STREAM if size == left else 0, stream, FRAME[:size])
                self.window -= size
                self.windows[stream] -= size
                self.unsent[stream] -= size
                if size == left:
                    del self.unsent[stream]
                    break

    def _keep(self, came: Received) -> None:
        match came.name:
            case "DATA":
                self._take_data(came)
            case "HEADERS":
                self.began(came.stream, came)
            case "WINDOWUPDATE" if came.stream == 0:
                self.window += came.frame.window_increment
            case "WINDOWUPDATE":
                self.windows[came.stream] = self.windows.get(came.stream, self.initial_window) + came.frame.window_increment
            case "SETTINGS" if "ACK" not in came.frame.flags:
                self._take_settings(came.frame.settings)
            case "RSTSTREAM" | "GOAWAY":
                self.ended = str(came)
        if came.name in ("DATA", "HEADERS") and came.ends_stream:
            self.whole.add(came.stream)
            self.completed(came.stream)

    def _take_data(self, came: Received) -> None:
        size = came.frame.flow_controlled_length
        if not size:
            return
        self.came[came.stream] += size
        self.note(codes.WINDOW_UPDATE, 0, 0, codes.number(size))
        if came.stream in self.held:
            self.owed[came.stream] += size
        elif not came.ends_stream:
            self.note(codes.WINDOW_UPDATE, 0, came.stream, codes.number(size))

    def _take_settings(self, settings: dict[int, int]) -> None:
        if (initial := settings.get(codes.INITIAL_WINDOW_SIZE)) is not None:
            self.windows = {stream: window + initial - self.initial_window for stream, window in self.windows.items()}
            self.initial_window = initial
        self.note(codes.SETTINGS, codes.ACK, 0)

    def began(self, stream: int, head: Received) -> None:
        """A head has come."""

    def completed(self, stream: int) -> None:
        """Everything has come."""


class Servant(Pump):
    """An origin's connection. The path says how much a GET gets. An upload is answered when it has come; that of `SIZE` bytes is
    held."""

    def __init__(self, connection):
        super().__init__(connection, is_client=False)
        self.may_go_on = threading.Event()

    def serve(self) -> None:
        self.preface()
        if not self.takes_preface():
            return
        try:
            self.run(self._look, seconds=10 * PATIENCE)
        except Failed:
            # The client has what it wants, or says what it lacks.
            pass

    def _look(self) -> bool:
        if self.may_go_on.is_set():
            for stream in list(self.held):
                self.release(stream)
        return False

    def began(self, stream: int, head: Received) -> None:
        size = int(head.value(":path").removeprefix("/"))
        if head.value(":method") == "GET":
            self.send(stream, [(":status", "200")], size)
        elif size == SIZE:
            self.held.add(stream)

    def completed(self, stream: int) -> None:
        if self.came[stream]:
            self.send(stream, [(":status", "200")], None)


@dataclass
class Transfer:
    """One direction, through one tunnel."""

    run: Run
    is_upload: bool
    servants: list[Servant] = field(default_factory=list)

    def measure(self) -> str:
        certificates = Certificates(self.run.directory / "certificates")
        with Origin(self._serve, server_context(certificates)) as origin:
            roots = self.run.directory / "ca" / "ca.pem"
            client = Pump(secure_tunnel(self.run.proxy.address, origin.port, roots, PATIENCE))
            client.preface()
            try:
                return self._measure(client)
            finally:
                client.close()

    def _serve(self, connection) -> None:
        servant = Servant(connection)
        self.servants.append(servant)
        servant.serve()

    def _measure(self, client: Pump) -> str:
        self._ask(client, HELD, SIZE)
        if not self.is_upload:
            client.held.add(HELD)
        held = self._wait_until_still(client)
        began = time.monotonic()
        for stream in OTHERS:
            self._ask(client, stream, OTHER_SIZE)
        client.run(lambda: client.whole.issuperset(OTHERS))
        others = time.monotonic() - began
        if self._moved(client) != held:
            raise Failed(f"{self._moved(client):,} bytes moved in a stream that nobody reads, {held:,} before")
        if self.is_upload:
            self.servants[0].may_go_on.set()
        else:
            client.release(HELD)
        began = time.monotonic()
        client.run(lambda: HELD in client.whole)
        rest = time.monotonic() - began
        if self._moved(client) != SIZE:
            raise Failed(f"{self._moved(client):,} of {SIZE:,} bytes came")
        verb = "taken" if self.is_upload else "read"
        stopped = f"1 GiB {verb}: stopped after {held >> 10:,} KiB, {len(OTHERS)} others in {others:.2f} s"
        return f"{stopped}, the rest in {rest:.1f} s"

    def _ask(self, client: Pump, stream: int, size: int) -> None:
        method = "POST" if self.is_upload else "GET"
        client.send(stream, client.fields(method=method, path=f"/{size}"), size if self.is_upload else None)

    def _wait_until_still(self, client: Pump) -> int:
        """How much of the held stream has come, once nothing more does."""
        last, since = -1, time.monotonic()

        def is_still() -> bool:
            nonlocal last, since
            if (moved := self._moved(client)) != last or not moved:
                last, since = moved, time.monotonic()
            return time.monotonic() - since > STILL_SECONDS

        client.run(is_still)
        return last

    def _moved(self, client: Pump) -> int:
        if not self.is_upload:
            return client.came[HELD]
        return max(self.servants[0].came.values(), default=0) if self.servants else 0


def transfer(run: Run) -> str:
    peak = Peak(run.proxy)
    texts = [Transfer(run, is_upload).measure() for is_upload in (False, True)]
    most = run.proxy.running.peak_resident_kib()
    run.figures.update(size=SIZE, grown_kib=peak.growth_kib(), resident_kib=most)
    text = f"{'; '.join(texts)}; at most {most / 1024:.0f} MiB resident"
    if most > MOST_KIB and not run.sanitizer:
        raise Failed(text)
    return text


SCENARIOS = [
    Scenario(
        "slow-stream", "1 GiB in one stream of HTTP/2 whose reader stops and goes on, beside 99 others", transfer, heavy=True,
        prepare=prepare, grows_kib=16 << 10,
        options=("--intercept", "--ca-dir", "{directory}/ca", "--upstream-ca", "{directory}/certificates/root.pem"),
    ),
]  # fmt: skip
