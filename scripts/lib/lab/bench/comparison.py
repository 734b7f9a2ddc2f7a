"""The comparison: every tool through the same phases, in alternated rounds, so that a change of the machine's mood falls
on all of them alike."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from lab import load
from lab.bench.recording import census
from lab.nginx import SMALL_BODY, Nginx
from lab.process import ServerFailed
from lab.proxies import Tool
from lab.run import plain, progress, settle


@dataclass(frozen=True)
class Plan:
    """How much is measured. A large body is at least many socket buffers, a round at least many scheduler periods."""

    rounds: int = 5
    seconds: float = 5
    close_rounds: int = 3
    close_seconds: float = 3
    large_rounds: int = 3
    large_size: int = 1 << 30
    idle_connections: int = 1000
    connections: int = 32

    @staticmethod
    def quick() -> Plan:
        return Plan(rounds=3, seconds=2, close_rounds=1, close_seconds=2, large_rounds=1, idle_connections=250)


@dataclass
class Figures:
    """All that was measured of one tool, round by round."""

    version: str | None = None
    failure: str | None = None
    keep_alive: list[load.Sample] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    close: list[load.Sample] = field(default_factory=list)
    down_mbs: list[float] = field(default_factory=list)
    up_mbs: list[float] = field(default_factory=list)
    idle_connection_kib: float | None = None
    resident_after_load_kib: int | None = None
    peak_resident_kib: int | None = None
    recording: dict[str, int] | None = None
    exchanges_sent: int = 0
    exit_status: int | None = None

    def summary(self) -> dict[str, float | None]:
        """The medians, under the names of the result's members."""
        return {
            "requests_per_second": _median([sample.rate for sample in self.keep_alive]),
            "p50_us": _median([sample.p50_us for sample in self.keep_alive]),
            "p99_us": _median([sample.p99_us for sample in self.keep_alive]),
            "cpu_us_per_request": _median(self.cpu_us),
            "new_connections_per_second": _median([sample.rate for sample in self.close]),
            "down_mb_per_second": _median(self.down_mbs),
            "up_mb_per_second": _median(self.up_mbs),
            "peak_resident_mib": self.peak_resident_kib / 1024 if self.peak_resident_kib else None,
            "idle_connection_kib": self.idle_connection_kib,
        }

    def as_json(self) -> dict[str, object]:
        return {"summary": self.summary(), **plain(self)}


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


class Comparison:
    """Runs the phases. A tool that fails is left out of the rest and the failure is reported with the figures."""

    def __init__(self, plan: Plan, origin: Nginx, tools: list[Tool], secure: bool = False):
        self.plan = plan
        self.origin = origin
        self.tools = tools
        self.secure = secure
        self.small_url = origin.secure_small_url if secure else origin.small_url
        self.request_rate = load.secure_request_rate if secure else load.request_rate
        self.figures = {tool.name: Figures() for tool in tools}

    def run(self) -> dict[str, Figures]:
        try:
            self._phase("starting", self._start)
            if not self.secure:
                self._phase("memory of idle connections", self._idle_memory)
            self._phase("warming up", self._warm_up)
            self._phase("keep-alive exchanges", self._keep_alive, self.plan.rounds)
            self._phase("memory after load", self._memory_after_load)
            self._phase("a connection for each exchange", self._close, self.plan.close_rounds)
            if not self.secure:
                self._phase("large responses", self._down, self.plan.large_rounds)
                self._phase("large requests", self._up, self.plan.large_rounds)
            self._phase("peak memory", self._peak_memory)
        finally:
            self._stop()
        return self.figures

    def _phase(self, title: str, measure: Callable[[Tool, Figures], None], rounds: int = 1) -> None:
        for number in range(1, rounds + 1):
            progress(f"{'HTTPS: ' if self.secure else ''}{title}" + (f", round {number} of {rounds}" if rounds > 1 else ""))
            for tool in self.tools:
                figures = self.figures[tool.name]
                if figures.failure:
                    continue
                try:
                    measure(tool, figures)
                except (ServerFailed, load.LoadFailed, OSError) as error:
                    figures.failure = f"{title}: {error}"
                    progress(f"{tool.name} failed at {figures.failure}")

    def _start(self, tool: Tool, figures: Figures) -> None:
        if not tool.is_installed():
            raise ServerFailed(f"{tool.program} is not there")
        figures.version = tool.version()
        tool.start()
        if load.fetch(self.small_url, tool.authority) != SMALL_BODY:
            raise load.LoadFailed("the small body came back changed")
        figures.exchanges_sent += 1

    def _idle_memory(self, tool: Tool, figures: Figures) -> None:
        """First of all, while nothing freed by other phases can be used again and hide the cost."""
        if not tool.server or not tool.authority:
            return
        before = tool.server.proportional_kib()
        with load.IdleConnections(self.origin.small_url, tool.authority, self.plan.idle_connections) as idle:
            settle()
            if idle.open_count() == self.plan.idle_connections:
                figures.idle_connection_kib = (tool.server.proportional_kib() - before) / self.plan.idle_connections
        figures.exchanges_sent += self.plan.idle_connections

    def _warm_up(self, tool: Tool, figures: Figures) -> None:
        sample = self.request_rate(self.small_url, tool.authority, 1, self.plan.connections)
        figures.exchanges_sent += sample.requests
        if tool.authority is None and not self.secure:
            load.download_rate(self.origin.large_url, None, self.origin.large_size)

    def _keep_alive(self, tool: Tool, figures: Figures) -> None:
        before = tool.server.cpu_seconds() if tool.server else 0
        sample = self.request_rate(self.small_url, tool.authority, self.plan.seconds, self.plan.connections)
        settle()
        figures.keep_alive.append(sample)
        figures.exchanges_sent += sample.requests
        if tool.server:
            figures.cpu_us.append((tool.server.cpu_seconds() - before) / sample.requests * 1e6)

    def _memory_after_load(self, tool: Tool, figures: Figures) -> None:
        if tool.server:
            figures.resident_after_load_kib = tool.server.resident_kib()

    def _close(self, tool: Tool, figures: Figures) -> None:
        sample = self.request_rate(self.small_url, tool.authority, self.plan.close_seconds, self.plan.connections, close=True)
        figures.close.append(sample)
        figures.exchanges_sent += sample.requests

    def _down(self, tool: Tool, figures: Figures) -> None:
        figures.down_mbs.append(load.download_rate(self.origin.large_url, tool.authority, self.origin.large_size))
        figures.exchanges_sent += 1

    def _up(self, tool: Tool, figures: Figures) -> None:
        rate = load.upload_rate(self.origin.upload_url, tool.authority, self.origin.large_file, self.origin.large_size)
        figures.up_mbs.append(rate)
        figures.exchanges_sent += 1

    def _peak_memory(self, tool: Tool, figures: Figures) -> None:
        if tool.server:
            figures.peak_resident_kib = tool.server.peak_resident_kib()

    def _stop(self) -> None:
        progress("stopping")
        for tool in self.tools:
            figures = self.figures[tool.name]
            figures.exit_status = tool.stop()
            figures.recording = census(tool.recordings())
