"""Load: many small exchanges with wrk, one large body with curl, many idle connections with plain sockets."""

from __future__ import annotations

import json
import re
import select
import socket
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from lab.programs import preload_library
from lab.wire import HOST, connect, get, read_response

# Of h2load, on each connection of HTTP/2.
STREAMS = 10


class LoadFailed(Exception):
    """A load did not run, or the answers were not what the origin sends."""


@dataclass(frozen=True)
class Sample:
    """What one run of wrk saw: answered requests, those that failed, and those whose connection ended under them."""

    requests: int
    seconds: float
    p50_us: int
    p99_us: int
    failed: int
    cut: int
    # How often each latency occurred, in microseconds.
    latencies: Counter[int] = field(default_factory=Counter, compare=False)

    @property
    def rate(self) -> float:
        return self.requests / self.seconds


def request_rate(url: str, proxy: str | None, seconds: float, connections: int = 32, close: bool = False) -> Sample:
    """wrk over keep-alive connections, or with `close` over a new connection for every request."""
    return _run(request_command(url, proxy, seconds, connections, close), seconds)


def request_command(url: str, proxy: str | None, seconds: float, connections: int = 32, close: bool = False) -> list[str]:
    target = urlsplit(url)
    words = [url if proxy else target.path, target.netloc, "close" if close else "keep-alive"]
    return _wrk(f"http://{proxy or target.netloc}/", words, seconds, connections)


def paced_rate(url: str, proxy: str, seconds: float, rate: float, connections: int = 64) -> Sample:
    """wrk at so many requests a second, as far as the proxy answers them."""
    words = [url, urlsplit(url).netloc, "keep-alive", f"{rate / 2}"]
    return _run(_wrk(f"http://{proxy}/", words, seconds, connections), seconds)


def moderate_latencies(url: str, proxy: str, seconds: float) -> Counter[int]:
    """What a normal client notices of the proxy: a few keep-alive connections at a moderate rate."""
    words = [url, urlsplit(url).netloc, "keep-alive", "moderate"]
    sample = _run(_wrk(f"http://{proxy}/", words, seconds, connections=4, threads=1), seconds)
    if sample.failed or sample.cut:
        raise LoadFailed(f"{sample.failed + sample.cut} normal requests failed")
    return sample.latencies


def percentile(latencies: Counter[int], share: float) -> int:
    wanted = share * latencies.total()
    seen = 0
    for value in sorted(latencies):
        seen += latencies[value]
        if seen >= wanted:
            return value
    raise LoadFailed("nothing was measured")


def secure_request_rate(url: str, proxy: str | None, seconds: float, connections: int = 32, close: bool = False) -> Sample:
    """wrk over TLS, through a proxy by CONNECT; with `close` each request has a connection and a full handshake of its own."""
    return _run(secure_request_command(url, proxy, seconds, connections, close), seconds)


def secure_request_command(url: str, proxy: str | None, seconds: float, connections: int = 32, close: bool = False) -> list[str]:
    target = urlsplit(url)
    environment = {"LD_PRELOAD": str(preload_library())}
    if proxy:
        environment |= {"TUNNEL_PORT": str(target.port), "TUNNEL_PROXY_PORT": proxy.rpartition(":")[2]}
    if close:
        environment["FULL_HANDSHAKES"] = "1"
    words = [target.path, target.netloc, "close" if close else "keep-alive"]
    return _wrk(f"https://{target.netloc}/", words, seconds, connections, environment)


def multiplexed_rate(port: int, proxy: str | None, seconds: float, connections: int = 32) -> Sample:
    """h2load; `port` speaks HTTP/2 over TLS."""
    return encrypted_rate(port, proxy, connections, "h2", seconds)


def encrypted_rate(port: int, proxy: str | None, connections: int, protocol: str, seconds: float) -> Sample:
    """h2load over TLS, in the version of HTTP that is named as in ALPN."""
    with tempfile.NamedTemporaryFile("r", prefix="h2load-") as log:
        command = [*h2load_command(port, proxy, connections, protocol, seconds), "--log-file", log.name]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
        return parse_h2load(finished.stdout + finished.stderr, log.read(), protocol)


def h2load_command(
    port: int, proxy: str | None, connections: int, protocol: str, seconds: float, rate: float | None = None
) -> list[str]:
    """h2load knows no proxy: the library that teaches wrk CONNECT teaches it too. `rate` is in requests a second, of all
    connections; without it h2load sends as many as it can."""
    environment = [f"LD_PRELOAD={preload_library()}"]
    if proxy:
        environment += [f"TUNNEL_PORT={port}", f"TUNNEL_PROXY_PORT={proxy.rpartition(':')[2]}"]
    command = ["env", *environment, "h2load", "--clients", str(connections), "--threads", "2", "--npn-list", protocol]
    command += ["--max-concurrent-streams", str(STREAMS if protocol == "h2" else 1)]
    command += ["--duration", f"{max(1, round(seconds))}", "--connect-to", f"{HOST}:{port}"]
    command += ["--rps", f"{rate / connections:.1f}"] if rate else []
    return [*command, f"https://localhost:{port}/small.txt"]


def parse_h2load(output: str, log: str, protocol: str = "h2") -> Sample:
    """`log` has a line for each answer: when it began, its status, and its microseconds."""
    found = re.search(r"^finished in ([\d.]+)(m?s),", output, re.MULTILINE)
    counts = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored", output)
    if not found or not counts or f"Application protocol: {protocol}\n" not in output:
        raise LoadFailed(f"h2load gave no result, or did not speak {protocol}: {output.strip()[-1000:]}")
    latencies = Counter(int(line.split("\t")[2]) for line in log.splitlines())
    if not latencies:
        raise LoadFailed("h2load got no answer")
    succeeded, failed, errored = map(int, counts.groups())
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
    middle, worst = percentile(latencies, 0.5), percentile(latencies, 0.99)
    return Sample(succeeded, seconds, middle, worst, failed, errored, latencies)


def _wrk(
    url: str, words: list[str], seconds: float, connections: int, environment: dict[str, str] | None = None, threads: int = 2
) -> list[str]:
    command = ["env", *(f"{name}={value}" for name, value in (environment or {}).items())]
    command += ["wrk", "--threads", str(threads), "--connections", str(connections), "--duration", f"{max(1, round(seconds))}s"]
    return [*command, "--timeout", "20s", "--script", str(Path(__file__).with_name("load.lua")), url, "--", *words]


def _run(command: list[str], seconds: float) -> Sample:
    finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
    return parse_result(finished.stdout, finished.stderr)


def parse_result(output: str, errors: str = "") -> Sample:
    lines = [line for line in output.splitlines() if line.startswith("result ")]
    if not lines:
        raise LoadFailed(f"wrk gave no result: {(errors or output).strip()}")
    result = json.loads(lines[-1].removeprefix("result "))
    if not result["requests"]:
        raise LoadFailed("wrk got no answer")
    seconds = result["microseconds"] / 1e6
    latencies = Counter(dict(result.get("latencies", [])))
    return Sample(result["requests"], seconds, result["p50"], result["p99"], result["failed"], result["cut"], latencies)


def fetch(url: str, proxy: str | None) -> str:
    return _curl(["--output", "-", url], proxy)


def download_rate(url: str, proxy: str | None, size: int, by_connect: bool = False) -> float:
    """MB/s of one large response, read by the proxy or, with `by_connect`, passed through a tunnel."""
    result = _curl(["--output", "/dev/null", "--write-out", "%{size_download} %{time_total}", url], proxy, by_connect)
    received, seconds = result.split()
    if int(received) != size:
        raise LoadFailed(f"{received} bytes came instead of {size}")
    return size / float(seconds) / 1e6


def upload_rate(url: str, proxy: str | None, file: Path, size: int, by_connect: bool = False) -> float:
    """MB/s of one large request body, of which the sink must have seen every byte."""
    options = ["--upload-file", str(file), "--header", "Expect:", "--write-out", "%{time_total}", url]
    received, seconds = _curl(options, proxy, by_connect).split()
    if int(received) != size:
        raise LoadFailed(f"{received} bytes arrived instead of {size}")
    return size / float(seconds) / 1e6


def _curl(options: list[str], proxy: str | None, by_connect: bool = False) -> str:
    command = ["curl", "--silent", "--show-error", "--fail", "--max-time", "300"]
    command += ["--proxy", f"http://{proxy}"] if proxy else []
    command += ["--proxytunnel"] if proxy and by_connect else []
    # Whose certificate comes depends on the tool; that it is verified is not what is measured.
    command.append("--insecure")
    finished = subprocess.run(command + options, capture_output=True, text=True)
    if finished.returncode:
        raise LoadFailed(finished.stderr.strip() or f"curl exited with status {finished.returncode}")
    return finished.stdout


class IdleConnections:
    """Client connections that each carried one exchange and are kept open."""

    def __init__(self, url: str, proxy: str, count: int):
        host, port = proxy.split(":")
        self.sockets: list[socket.socket] = []
        for _ in range(count):
            connection = connect((host, int(port)), timeout=20)
            self.sockets.append(connection)
            connection.sendall(get(url, close=False))
            read_response(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.sockets:
            connection.close()

    def open_count(self) -> int:
        """How many the server has kept: an idle connection is readable only when its end has come."""
        poll = select.poll()
        for connection in self.sockets:
            poll.register(connection, select.POLLIN)
        return len(self.sockets) - len(poll.poll(0))
