"""`scripts/lab/run network`: the link of `run --network`, held against what was asked for. A client in the command's network
measures connecting and round trips, and what a line carries; the log says what was lost; the kernel says what the link's thread
took."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from lab.tool import Verdict, Workspace, argument_parser, binary, plain, print_verdicts, targets, write_json

MOST_ADDED_MS = 0.3
MOST_RATE_ERROR = 0.01
MOST_MICROSECONDS = 8.0
# A segment with a time stamp, of a packet of 1500 bytes.
PAYLOAD = 1448 / 1500
CLIENT = Path(__file__)


class Server:
    """Answers each byte with one, and a line with a number by so many bytes, outside of the command's network."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        try:
            while data := connection.recv(4096):
                connection.sendall(b"x" * int(data) if data[:1].isdigit() else data)
        except OSError:
            pass


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def run(space: Workspace, network: str | None, *arguments: object) -> tuple[dict, dict]:
    """What the client says, and `_network` of the log. Without a network, the same way without a link."""
    har = space.path / "a.har"
    way = ["--network", network] if network else ["--all"]
    words = [binary(), "run", *way, "--no-intercept", "-q", "--force", "-o", str(har), "--"]
    words += [sys.executable, "-B", str(CLIENT), *map(str, arguments)]
    output = subprocess.run(words, check=True, stdout=subprocess.PIPE, env={**os.environ, "TAPELINE_LINK_CLIENT": "1"}).stdout
    return json.loads(output), json.loads(har.read_bytes())["log"].get("_network", {})


def round_trips(space: Workspace, port: int, rtt: int, count: int) -> list[Verdict]:
    plain_said, _ = run(space, None, port, "ping", count)
    said, _ = run(space, f"rtt={rtt}ms", port, "ping", count)
    verdicts = []
    for name in ("connect", "ping"):
        # tapeline's own way comes on top, with a link or without one.
        usual = percentile(plain_said[name], 0.5)
        added = [value - usual - rtt for value in said[name]]
        worst = percentile(added, 0.99)
        text = f"{name} at {rtt} ms: {percentile(added, 0.5):+.3f} ms at p50, {worst:+.3f} at p99; at most {MOST_ADDED_MS:+}"
        verdicts.append((text, min(said[name]) >= rtt and worst <= MOST_ADDED_MS))
    return verdicts


def rate(space: Workspace, port: int, megabits: float, seconds: float) -> list[Verdict]:
    size = int(megabits * 1e6 / 8 * seconds)
    said, counts = run(space, f"rtt=20ms,down={megabits}Mbit,queue=4MB", port, "load", size)
    error = said["rate"] * 8 / (megabits * 1e6 * PAYLOAD) - 1
    cost = said["nanoseconds"] / max(1, counts["packets"]) / 1000
    text = f"{megabits} Mbit/s: {said['rate'] * 8 / 1e6:.3f} of content, {error:+.2%}; at most {MOST_RATE_ERROR:.0%}"
    return [
        (text, abs(error) <= MOST_RATE_ERROR),
        (f"{megabits} Mbit/s: {cost:.1f} µs of CPU per packet; at most {MOST_MICROSECONDS}", cost <= MOST_MICROSECONDS),
    ]


def loss(space: Workspace, port: int, percent: float) -> list[Verdict]:
    said, counts = run(space, f"rtt=2ms,loss={percent}%", port, "load", 20_000_000)
    share, packets = percent / 100, counts["packets"]
    width = 2.576 * math.sqrt(packets * share * (1 - share))
    text = f"{percent} % lost: {counts['lost']:,} of {packets:,} packets; {packets * share:.0f} ± {width:.0f} expected"
    return [(text, abs(counts["lost"] - packets * share) <= width and said["bytes"] == 20_000_000)]


def main(arguments: list[str]) -> int:
    parser = argument_parser("network", __doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter measurements")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    server, verdicts = Server(), []
    with Workspace("network") as space:
        for rtt in [20] if options.quick else [1, 20, 150]:
            verdicts += round_trips(space, server.port, rtt, 20 if options.quick else 200)
        for megabits in [2.0] if options.quick else [0.25, 2.0, 20.0, 200.0]:
            verdicts += rate(space, server.port, megabits, 1 if options.quick else 4)
        verdicts += loss(space, server.port, 2)
    met = print_verdicts(verdicts)
    write_json(options.json, plain({"targets": targets(verdicts)}))
    return 0 if met else 1


# The client, in the command's network.


def milliseconds(body) -> float:
    began = time.perf_counter_ns()
    body()
    return (time.perf_counter_ns() - began) / 1e6


def connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def exchange(connection: socket.socket) -> None:
    connection.sendall(b".")
    connection.recv(1)


def ping(port: int, count: int) -> dict:
    connects = [milliseconds(lambda: connect(port).close()) for _ in range(count)]
    connection = connect(port)
    return {"connect": connects, "ping": [milliseconds(lambda: exchange(connection)) for _ in range(count)]}


def link_nanoseconds() -> int:
    """What the link's thread has taken, which belongs to our parent."""
    tasks = Path(f"/proc/{os.getppid()}/task")
    link = [task for task in tasks.iterdir() if (task / "comm").read_text().strip() == "tapeline-link"]
    return int((link[0] / "schedstat").read_text().split()[0]) if link else 0


def load(port: int, size: int) -> dict:
    connection = connect(port)
    connection.sendall(str(size).encode())
    # Slow start is not the line's: the second half counts.
    received, half, began = 0, 0, 0
    while received < size:
        received += len(connection.recv(1 << 16))
        if not began and received >= size // 2:
            half, began = received, time.perf_counter_ns()
    seconds = (time.perf_counter_ns() - began) / 1e9
    return {"bytes": received, "rate": (received - half) / seconds, "nanoseconds": link_nanoseconds()}


if __name__ == "__main__" and os.environ.get("TAPELINE_LINK_CLIENT"):
    where, what, how = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    print(json.dumps(ping(where, how) if what == "ping" else load(where, how)))
