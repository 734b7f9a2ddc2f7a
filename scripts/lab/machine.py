"""What the figures were measured on."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path


def describe() -> dict[str, object]:
    return {
        "processor": _first_value("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mib": int(_first_value("/proc/meminfo", "MemTotal").split()[0]) // 1024,
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
    }


def one_line(machine: dict[str, object]) -> str:
    return "{processor}, {cores} cores, {memory_mib} MiB, {system}, Linux {kernel}".format(**machine)


class Theft:
    """How much of the processors' time went to other machines: the column `steal` of /proc/stat (proc(5)), from the making on."""

    def __init__(self, file: Path = Path("/proc/stat")):
        self._file = file
        self._before = self._times()

    def share(self) -> float:
        """Between 0 and 1."""
        passed = [now - before for now, before in zip(self._times(), self._before)]
        return passed[_STEAL] / max(1, sum(passed))

    def _times(self) -> list[int]:
        # Those of guests, which follow, are in those of users.
        return [int(ticks) for ticks in self._file.read_text().split("\n", 1)[0].split()[1 : _STEAL + 2]]


# Its place among user, nice, system, idle, iowait, irq, softirq, steal.
_STEAL = 7


def _first_value(file: str, label: str) -> str:
    for line in Path(file).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == label:
            return value.strip()
    return "unknown"


def _commit() -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    finished = subprocess.run(command, capture_output=True, text=True)
    return finished.stdout.strip() or None
