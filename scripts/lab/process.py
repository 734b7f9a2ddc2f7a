"""A server under measurement: started in a session of its own, so that everything it forks is found again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class ServerFailed(Exception):
    """A server did not start, did not answer, or died; the text says which and shows the end of its log."""


def free_port() -> int:
    """A loopback port that was free a moment ago, for servers that cannot be asked which one they took."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds: float) -> bool:
    """Polls: the servers measured here have no common way to say that they are ready."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """One started program and all processes of its session."""

    def __init__(self, name: str, command: list[str], log: Path):
        self.name = name
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )

    def wait_for(self, condition, seconds: float = 20) -> None:
        """Waits until the server is ready by `condition`; it dying first, or taking too long, is a failure."""
        ready = wait_until(lambda: not self.is_running() or condition(), seconds)
        if not self.is_running():
            raise self.failure(f"exited with status {self.process.returncode} instead of listening")
        if not ready:
            raise self.failure(f"was not ready after {seconds} s")

    def is_running(self) -> bool:
        return self.process.poll() is None

    def failure(self, what: str) -> ServerFailed:
        tail = self.log.read_text(errors="replace").splitlines()[-10:]
        return ServerFailed("\n    ".join([f"{self.name} {what}", *tail]))

    def stop(self, number: int = signal.SIGTERM, seconds: float = 60) -> int:
        """Ends the server as its operator would, and whatever is left of its session by force."""
        if self.is_running():
            self.process.send_signal(number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return self.process.wait()

    def pids(self) -> list[int]:
        """All processes of the session, the program first."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and _session(entry) == self.process.pid:
                found.append(int(entry))
        return sorted(found)

    def cpu_seconds(self) -> float:
        """User and system time of all processes; the kernel scales it to run time, so it is better than its 10 ms tick."""
        ticks = 0
        for pid in self.pids():
            fields = _stat(str(pid))
            ticks += int(fields[11]) + int(fields[12]) if fields else 0
        return ticks / TICKS_PER_SECOND

    def peak_resident_kib(self) -> int:
        return sum(_status_kib(pid, "status", "VmHWM:") for pid in self.pids())

    def resident_kib(self) -> int:
        return sum(_status_kib(pid, "status", "VmRSS:") for pid in self.pids())

    def proportional_kib(self) -> int:
        """Resident memory with shared pages divided among those who share them: the figure to take differences of."""
        return sum(_status_kib(pid, "smaps_rollup", "Pss:") for pid in self.pids())

    def largest_kib(self, text: str) -> int:
        """Proportional memory of the largest process that has `text` in its command line."""
        pids = (pid for pid in self.pids() if text in _command_line(pid))
        return max((_status_kib(pid, "smaps_rollup", "Pss:") for pid in pids), default=0)


def _stat(pid: str) -> list[str] | None:
    """The fields of /proc/PID/stat after the command's name, which may hold spaces and parentheses."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _session(pid: str) -> int | None:
    fields = _stat(pid)
    return int(fields[3]) if fields else None


def _status_kib(pid: int, file: str, label: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(label)), 0)
