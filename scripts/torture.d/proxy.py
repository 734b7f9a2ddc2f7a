"""The proxy under torture, and everything that can be asked of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
from pathlib import Path

from kill9 import in_order
from process import Server
from tools import Tapeline

EXPECTED = (r"tapeline: listening on .*", r"tapeline: [\d,]+ exchanges?, .*")
LONGEST_COMPLAINT = 120


class Proxy:
    """`tapeline record`, recording into `directory`."""

    def __init__(self, directory: Path, options: tuple[str, ...] = (), descriptor_limit: int | None = None):
        self.directory = directory
        self.options = options
        self.descriptor_limit = descriptor_limit
        self.address = ("", 0)
        self.server: Server
        self.log = directory / "output.log"

    def start(self) -> None:
        self.directory.mkdir(parents=True)
        port_file = self.directory / "port"
        command = [Tapeline(self.directory).program or "", "record", "--listen", "127.0.0.1:0", "--port-file", str(port_file)]
        command += ["--output", str(self.directory / "recording.har"), *self.options]
        if self.descriptor_limit:
            command = ["prlimit", f"--nofile={self.descriptor_limit}:{self.descriptor_limit}", "--", *command]
        self.server = Server("tapeline", command, self.log)
        self.server.wait_for(lambda: port_file.exists() and port_file.read_text().strip())
        host, port = port_file.read_text().strip().rsplit(":", 1)
        self.address = (host, int(port))

    @property
    def authority(self) -> str:
        return f"{self.address[0]}:{self.address[1]}"

    @property
    def pid(self) -> int:
        return self.server.process.pid

    @property
    def has_started(self) -> bool:
        return hasattr(self, "server")

    def is_running(self) -> bool:
        return self.server.is_running()

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def open_files(self) -> list[str]:
        directory = Path(f"/proc/{self.pid}/fd")
        return sorted(os.readlink(directory / number) for number in os.listdir(directory))

    def resident_kib(self) -> int:
        return self.server.resident_kib()

    def proportional_kib(self) -> int:
        return self.server.proportional_kib()

    def cpu_seconds(self) -> float:
        return self.server.cpu_seconds()

    def metrics(self) -> dict[str, float]:
        """The samples of `/metrics`, by name with labels; the request for them is counted as in flight."""
        with socket.create_connection(self.address, timeout=30) as connection:
            connection.sendall(f"GET /metrics HTTP/1.1\r\nHost: {self.authority}\r\nConnection: close\r\n\r\n".encode())
            text = b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()
        samples = [line.rsplit(" ", 1) for line in text.partition("\r\n\r\n")[2].splitlines() if line and line[0] != "#"]
        return {name: float(value) for name, value in samples}

    def recordings(self) -> list[Path]:
        return in_order(list(self.directory.glob("recording*.har")))

    def stop(self) -> int:
        return self.server.stop(signal.SIGINT, seconds=120)

    def kill(self) -> None:
        self.server.stop(signal.SIGKILL)

    def remove(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def complaints(self, expected: tuple[str, ...] = ()) -> list[str]:
        """The lines that it should not have written: reports of a sanitizer and the end of a crash are among them."""
        known = re.compile("|".join(EXPECTED + expected))
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if line.strip() and not known.fullmatch(line)][:LONGEST_COMPLAINT]
