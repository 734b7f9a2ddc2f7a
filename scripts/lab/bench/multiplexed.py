"""HTTP/2 on both legs: many streams on few connections by h2load, and the turns of a bidirectional call of gRPC."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from lab import load
from lab.bench.comparison import Plan
from lab.bench.interceptors import InterceptingTapeline, MultiplexingMitmdump, ReverseNghttpx
from lab.bench.report import MULTIPLEXED_TARGETS, ratio_verdicts
from lab.certificates import Certificates
from lab.nginx import Nginx
from lab.process import Server, ServerFailed
from lab.proxies import Tool
from lab.tool import Verdict, plain, progress, settle

TURNS = 2_000
MOST_TURN_US = 1_000
MODULE = [sys.executable, "-B", "-m", "lab.http2.calls"]


@dataclass
class Figures:
    failure: str | None = None
    samples: list[load.Sample] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    # Microseconds of a turn, by how often; of each round.
    turns: list[Counter[int]] = field(default_factory=list)

    def row(self) -> dict[str, float | None]:
        return {
            "requests_per_second": _median([sample.rate for sample in self.samples]),
            "p50_us": _median([sample.p50_us for sample in self.samples]),
            "p99_us": _median([sample.p99_us for sample in self.samples]),
            "cpu_us_per_request": _median(self.cpu_us),
            "turn_p50_us": _median([load.percentile(turns, 0.5) for turns in self.turns]),
            "turn_p99_us": _median([load.percentile(turns, 0.99) for turns in self.turns]),
            "failed": sum(sample.failed + sample.cut for sample in self.samples),
        }


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def turn_verdict(rows: dict[str, dict[str, float | None]]) -> list[Verdict]:
    """What a turn of a bidirectional call costs more than without us, of one in a hundred."""
    direct, through = (rows.get(name, {}).get("turn_p99_us") for name in ("direct", "tapeline"))
    if direct is None or through is None:
        return []
    gained = through - direct
    return [(f"turns of a call: {gained:+,.0f} µs at p99 (at most {MOST_TURN_US:+,})", gained <= MOST_TURN_US)]


class Multiplexed:
    def __init__(self, plan: Plan, origin: Nginx, directory: Path, names: list[str]):
        self.plan = plan
        self.origin = origin
        self.directory = directory / "http2"
        roots = origin.certificates.root
        tools: list[Tool] = [
            Tool(self.directory / "direct"),
            InterceptingTapeline(self.directory / "tapeline", roots),
            ReverseNghttpx(self.directory / "nghttpx", origin.certificates, origin.h2_port),
            MultiplexingMitmdump(self.directory / "mitmdump", roots),
        ]
        self.tools = [tool for tool in tools if tool.name in names]
        self.figures = {tool.name: Figures() for tool in self.tools}

    @property
    def failed(self) -> bool:
        return any(self.figures[name].failure for name in ("direct", "tapeline") if name in self.figures)

    def run(self) -> None:
        self.directory.mkdir(parents=True)
        service, port = self._start_service()
        try:
            for tool in self.tools:
                self._guarded(tool, lambda tool=tool: tool.start())
            for number in range(1, self.plan.rounds + 1):
                progress(f"HTTP/2: 32 connections of 10 streams, round {number} of {self.plan.rounds}")
                for tool in self.tools:
                    self._guarded(tool, lambda tool=tool: self._load(tool))
            for number in range(1, self.plan.rounds + 1):
                progress(f"HTTP/2: turns of a call, round {number} of {self.plan.rounds}")
                for tool in self.tools:
                    self._guarded(tool, lambda tool=tool: self._chat(tool, port))
        finally:
            for tool in self.tools:
                tool.stop()
            service.stop()

    def _start_service(self) -> tuple[Server, int]:
        certificates: Certificates = self.origin.certificates
        log = self.directory / "service.log"
        service = Server("gRPC", [*MODULE, "serve", str(certificates.certificate), str(certificates.key)], log)
        service.wait_for(lambda: "port " in log.read_text())
        return service, int(log.read_text().split("port ")[1].split()[0])

    def _guarded(self, tool: Tool, measure) -> None:
        figures = self.figures[tool.name]
        if figures.failure:
            return
        try:
            measure()
        except (ServerFailed, load.LoadFailed, OSError, subprocess.TimeoutExpired) as error:
            figures.failure = str(error)
            progress(f"{tool.name}: {error}")

    def _load(self, tool: Tool) -> None:
        figures = self.figures[tool.name]
        before = tool.server.cpu_seconds() if tool.server else 0
        is_reverse = isinstance(tool, ReverseNghttpx)
        port = tool.address[1] if is_reverse else self.origin.h2_port
        sample = load.multiplexed_rate(port, None if is_reverse else tool.authority, self.plan.seconds, self.plan.connections)
        settle()
        figures.samples.append(sample)
        if tool.server:
            figures.cpu_us.append((tool.server.cpu_seconds() - before) / sample.requests * 1e6)

    def _chat(self, tool: Tool, port: int) -> None:
        """nghttpx stands before another origin."""
        if isinstance(tool, ReverseNghttpx):
            return
        roots = self._roots(tool)
        environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        environment |= {"no_grpc_proxy": "none.invalid", "NO_PROXY": "none.invalid", "no_proxy": "none.invalid"}
        if tool.authority:
            environment |= {"grpc_proxy": f"http://{tool.authority}"}
        command = [*MODULE, "chat", f"localhost:{port}", str(roots), str(TURNS)]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
        if finished.returncode:
            raise load.LoadFailed(f"gRPC: {finished.stderr.strip()[-300:]}")
        taken = [int(line) // 1000 for line in finished.stdout.split()]
        # The first turns pay for the connection.
        self.figures[tool.name].turns.append(Counter(taken[len(taken) // 10 :]))

    def _roots(self, tool: Tool) -> Path:
        if isinstance(tool, InterceptingTapeline):
            return tool.directory / "authority" / "ca.pem"
        if isinstance(tool, MultiplexingMitmdump):
            return tool.directory / "mitmproxy" / "mitmproxy-ca-cert.pem"
        return self.origin.certificates.root

    def rows(self) -> dict[str, dict[str, float | None]]:
        result = {name: figures.row() for name, figures in self.figures.items()}
        for reference in ("direct", "nghttpx", "mitmdump"):
            base = result.get(reference, {}).get("requests_per_second")
            for row in result.values():
                rate = row["requests_per_second"]
                row[f"ratio_to_{reference}"] = rate / base if rate and base else None
        return result

    def verdict(self) -> list[Verdict]:
        rows = self.rows()
        return [*ratio_verdicts("HTTP/2", rows.get("tapeline", {}), MULTIPLEXED_TARGETS), *turn_verdict(rows)]

    def as_json(self) -> dict[str, object]:
        return {"medians": self.rows(), "tools": {name: plain(figures) for name, figures in self.figures.items()}}

    def table(self) -> str:
        columns = [
            ("HTTP/2 req/s", "requests_per_second", "{:,.0f}"), ("/direct", "ratio_to_direct", "{:.2f}"),
            ("/nghttpx", "ratio_to_nghttpx", "{:.2f}"), ("/mitmdump", "ratio_to_mitmdump", "{:.1f}"),
            ("p50 µs", "p50_us", "{:,.0f}"), ("p99 µs", "p99_us", "{:,.0f}"), ("CPU µs", "cpu_us_per_request", "{:.1f}"),
            ("turn p50 µs", "turn_p50_us", "{:,.0f}"), ("turn p99 µs", "turn_p99_us", "{:,.0f}"), ("failed", "failed", "{:,.0f}"),
        ]  # fmt: skip
        lines = [f"{'tool':10}" + "".join(f"{title:>14}" for title, _, _ in columns)]
        for name, row in self.rows().items():
            cells = ["–" if row[key] is None else form.format(row[key]) for _, key, form in columns]
            lines.append(f"{name:10}" + "".join(f"{cell:>14}" for cell in cells))
        failures = [f"{name}: {figures.failure}" for name, figures in self.figures.items() if figures.failure]
        return "\n".join([*lines, *failures])
