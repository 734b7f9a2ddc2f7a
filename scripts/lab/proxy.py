"""tapeline as it is examined: `tapeline record`, started, asked about itself, and stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

from lab.process import Server
from lab.proxies import Tool, Tunnel
from lab.tool import binary
from lab.wire import connect, read_response

# What every run says on stderr: where it listens, and the summary.
EXPECTED = (
    r"tapeline: listening on .*",
    r"tapeline: [\d,]+ exchanges?, .*",
    r"tapeline: failures of servers: .*",
)
LONGEST_COMPLAINT = 120
# Makes the kernel forget the highest level of resident memory so far (proc(5), clear_refs).
FORGET_PEAK = "5"


class Tapeline(Tool):
    """Records every exchange with its body, which are the defaults, into `directory`."""

    name = "tapeline"
    stop_signal = signal.SIGINT

    def __init__(self, directory: Path, options: list[str] | None = None, descriptor_limit: int | None = None):
        super().__init__(directory)
        self.program = binary()
        self.options = options or []
        self.descriptor_limit = descriptor_limit
        self.log = directory / "output.log"
        self.har = directory / "recording.har"
        self.port_file = directory / "port"

    def start(self) -> None:
        self.directory.mkdir(parents=True)
        command = [self.program, "record", "--listen", "127.0.0.1:0", "--port-file", str(self.port_file)]
        command += ["--output", str(self.har), *self.options]
        if self.descriptor_limit:
            command = ["prlimit", f"--nofile={self.descriptor_limit}:{self.descriptor_limit}", "--", *command]
        self.server = Server(self.name, command, self.log)
        self.server.wait_for(lambda: self.port_file.exists() and self.port_file.read_text().strip())
        self.authority = self.port_file.read_text().strip()

    def tunnel_to(self, url: str) -> Tunnel:
        return Tunnel(url, self.authority)

    def kill(self) -> None:
        if self.server:
            self.server.stop(signal.SIGKILL)

    @property
    def running(self) -> Server:
        assert self.server, "it has been started"
        return self.server

    @property
    def descriptor_folder(self) -> Path:
        return Path(f"/proc/{self.running.process.pid}/fd")

    def descriptors(self) -> int:
        return len(os.listdir(self.descriptor_folder))

    def open_files(self) -> list[str]:
        return sorted(os.readlink(self.descriptor_folder / number) for number in os.listdir(self.descriptor_folder))

    def metrics(self) -> dict[str, float]:
        """The samples of `/metrics`, by name with labels; the request for them is counted as in flight."""
        with connect(self.address, timeout=30) as connection:
            connection.sendall(f"GET /metrics HTTP/1.1\r\nHost: {self.authority}\r\nConnection: close\r\n\r\n".encode())
            text = read_response(connection).body.decode()
        samples = [line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#"]
        return {name: float(value) for name, value in samples}

    def live_query(self) -> str:
        """`?key=…`, which the live page's addresses need; of this user, whatever the recording is."""
        command = [self.program, "status", "--name", str(self.running.process.pid), "--json"]
        status = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return "?" + str(status["livePage"]).partition("?")[2]

    def recordings(self) -> list[Path]:
        """`recording.har`, `recording-1.har`, … `recording-10.har`."""
        return in_order(super().recordings())

    def complaints(self, expected: tuple[str, ...] = ()) -> list[str]:
        """The lines that it should not have written: reports of a sanitizer and the end of a crash are among them."""
        known = re.compile("|".join(EXPECTED + expected))
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if line.strip() and not known.fullmatch(line)][:LONGEST_COMPLAINT]


def in_order(files: list[Path]) -> list[Path]:
    """By the number in the name; the first has none."""
    return sorted(files, key=lambda file: int(file.stem.partition("-")[2] or 0))


class Peak:
    """How far resident memory rises from here on, not only how much of it is left."""

    def __init__(self, proxy: Tapeline):
        self._server = proxy.running
        self._before_kib = self._server.resident_kib()
        Path(f"/proc/{self._server.process.pid}/clear_refs").write_text(FORGET_PEAK)

    def growth_kib(self) -> int:
        return self._server.peak_resident_kib() - self._before_kib
