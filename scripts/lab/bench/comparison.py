"""The comparison: every tool through the same phases, in alternated rounds, so that a change of the machine's mood falls
on all of them alike."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from lab import load
from lab.bench.recording import census
from lab.nginx import SMALL_BODY, Nginx
from lab.process import ServerFailed
from lab.proxies import Tool, Tunnel
from lab.tool import plain, progress, settle


@dataclass(frozen=True)
class Plan:
    """How much is measured. A large body is at least many socket buffers, a round at least many scheduler periods."""

    rounds: int = 5
    seconds: float = 5
    close_rounds: int = 3
    close_seconds: float = 3
    medium_rounds: int = 5
    medium_seconds: float = 2
    large_rounds: int = 5
    large_size: int = 1 << 30
    idle_connections: int = 1000
    connections: int = 32

    @staticmethod
    def quick() -> Plan:
        return Plan(rounds=3, seconds=2, close_rounds=1, close_seconds=2, medium_rounds=1, large_rounds=1, idle_connections=250)


# How a large body goes: in which direction, and whether the tool reads the messages.
BULK = ["down", "up", "tunnel_down", "tunnel_up"]


@dataclass(frozen=True)
class Bulk:
    """One large body. The processor time is the tool's, for 2^30 bytes."""

    mb_per_second: float
    cpu_seconds_per_gib: float | None


@dataclass
class Figures:
    """All that was measured of one tool, round by round."""

    version: str | None = None
    failure: str | None = None
    keep_alive: list[load.Sample] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    close: list[load.Sample] = field(default_factory=list)
    # Bodies of 64 KiB, on keep-alive connections.
    medium: list[load.Sample] = field(default_factory=list)
    bulk: dict[str, list[Bulk]] = field(default_factory=lambda: {way: [] for way in BULK})
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
            "medium_requests_per_second": _median([sample.rate for sample in self.medium]),
            "peak_resident_mib": self.peak_resident_kib / 1024 if self.peak_resident_kib else None,
            "idle_connection_kib": self.idle_connection_kib,
            **{f"{way}_mb_per_second": _median([each.mb_per_second for each in self.bulk[way]]) for way in BULK},
            **{f"{way}_cpu_per_gib": _median(self._bulk_cpu(way)) for way in BULK},
        }

    def _bulk_cpu(self, way: str) -> list[float]:
        return [each.cpu_seconds_per_gib for each in self.bulk[way] if each.cpu_seconds_per_gib is not None]

    def as_json(self) -> dict[str, object]:
        return {"summary": self.summary(), **plain(self)}


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


class Comparison:
    """Runs the phases. A tool that fails is left out of the rest and the failure is reported with the figures."""

    def __init__(
        self, plan: Plan, origin: Nginx, tools: list[Tool], secure: bool = False, bulk_only: bool = False, shares: bool = False
    ):
        self.plan = plan
        self.origin = origin
        self.tools = tools
        self.secure = secure
        self.bulk_only = bulk_only
        # Whether clients share the connections to the origin, of every tool that lets us choose.
        self.shares = shares
        self.small_url = origin.secure_small_url if secure else origin.small_url
        self.request_rate = load.secure_request_rate if secure else load.request_rate
        self.figures = {tool.name: Figures() for tool in tools}

    def run(self) -> dict[str, Figures]:
        try:
            self._phase("starting", self._start)
            if self.bulk_only:
                self._warm_large_file()
                self._bulk()
                self._phase("peak memory", self._peak_memory)
                return self.figures
            if not self.secure:
                self._phase("memory of idle connections", self._idle_memory)
            self._phase("warming up", self._warm_up)
            self._phase("keep-alive exchanges", self._keep_alive, self.plan.rounds)
            self._phase("memory after load", self._memory_after_load)
            self._phase("a connection for each exchange", self._close, self.plan.close_rounds)
            if not self.secure:
                self._bulk()
            self._phase("peak memory", self._peak_memory)
            if not self.secure:
                self._phase("bodies of 64 KiB", self._medium, self.plan.medium_rounds)
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
        tool.origin_ports = [self.origin.port, self.origin.sink_port]
        tool.start()
        if load.fetch(self.small_url, tool.authority) != SMALL_BODY:
            raise load.LoadFailed("the small body came back changed")
        figures.exchanges_sent += 1

    def _idle_memory(self, tool: Tool, figures: Figures) -> None:
        """First of all, while nothing freed by other phases can be used again and hide the cost. As many connections before pay
        for what all share."""
        if not tool.server or not tool.authority:
            return
        count = self.plan.idle_connections
        with load.IdleConnections(self.origin.small_url, tool.authority, count) as earlier:
            settle()
            before = tool.server.proportional_kib()
            with load.IdleConnections(self.origin.small_url, tool.authority, count) as idle:
                settle()
                if earlier.open_count() + idle.open_count() == 2 * count:
                    figures.idle_connection_kib = (tool.server.proportional_kib() - before) / count
        figures.exchanges_sent += 2 * count

    def _warm_up(self, tool: Tool, figures: Figures) -> None:
        sample = self.request_rate(self.small_url, tool.authority, 1, self.plan.connections)
        figures.exchanges_sent += sample.requests
        if tool.authority is None and not self.secure:
            self._warm_large_file()

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
        authority = tool.authority if self.shares else tool.pairing_authority
        sample = self.request_rate(self.small_url, authority, self.plan.close_seconds, self.plan.connections, close=True)
        figures.close.append(sample)
        figures.exchanges_sent += sample.requests

    def _medium(self, tool: Tool, figures: Figures) -> None:
        sample = load.request_rate(self.origin.medium_url, tool.authority, self.plan.medium_seconds, self.plan.connections)
        figures.medium.append(sample)
        figures.exchanges_sent += sample.requests

    def _warm_large_file(self) -> None:
        load.download_rate(self.origin.large_url, None, self.origin.large_size)

    def _bulk(self) -> None:
        for title, way, measure in [
            ("large responses", "down", self._download),
            ("large requests", "up", self._upload),
            ("large responses in tunnels", "tunnel_down", self._download),
            ("large requests in tunnels", "tunnel_up", self._upload),
        ]:
            self._phase(title, partial(self._carry, way, measure), self.plan.large_rounds)

    def _carry(self, way: str, measure: Callable[[Tunnel, bool], float], tool: Tool, figures: Figures) -> None:
        by_connect = way.startswith("tunnel")
        url = self.origin.upload_url if way.endswith("up") else self.origin.large_url
        path = tool.tunnel_to(url) if by_connect else Tunnel(url, tool.authority)
        if path is None:
            return
        before = tool.server.cpu_seconds() if tool.server else 0
        rate = measure(path, by_connect)
        settle()
        taken = (tool.server.cpu_seconds() - before) * (1 << 30) / self.origin.large_size if tool.server else None
        figures.bulk[way].append(Bulk(rate, taken))
        figures.exchanges_sent += 1

    def _download(self, path: Tunnel, by_connect: bool) -> float:
        return load.download_rate(path.url, path.proxy, self.origin.large_size, by_connect)

    def _upload(self, path: Tunnel, by_connect: bool) -> float:
        return load.upload_rate(path.url, path.proxy, self.origin.large_file, self.origin.large_size, by_connect)

    def _peak_memory(self, tool: Tool, figures: Figures) -> None:
        if tool.server:
            figures.peak_resident_kib = tool.server.peak_resident_kib()

    def _stop(self) -> None:
        progress("stopping")
        for tool in self.tools:
            figures = self.figures[tool.name]
            figures.exit_status = tool.stop()
            figures.recording = census(tool.recordings())
