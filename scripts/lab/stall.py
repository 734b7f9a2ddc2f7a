"""`scripts/lab/run stall`: the disk stops while the proxy is under full load, and goes on. What the log has is counted against
what the client was answered: wrk numbers its requests on each connection, and h2load's have the numbers of their streams. With
`drop`, what is missing has to be counted; with `wait`, and in stalls of 5 s of small exchanges, nothing may be. `--kill` kills
the program amid each stall instead, and `--pace` compares what clients notice with a disk that runs."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import statistics
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from lab.bench.interceptors import InterceptingTapeline
from lab.bench.million import count_entries
from lab.har import Damaged, check, settled_text
from lab.load import STREAMS, LoadFailed, h2load_command, parse_h2load, request_rate
from lab.nginx import Nginx
from lab.process import ServerFailed, wait_until
from lab.programs import preload_library
from lab.proxy import Tapeline
from lab.tool import Workspace, argument_parser, print_verdicts, progress, selection, write_json

SECONDS = ["0.5", "5", "60"]
PROTOCOLS = ["http1", "https", "http2"]
OVERLOADS = ["drop", "wait"]
SIZES = ["small", "medium"]
CONNECTIONS = 16
LEAD, REST = 1.0, 3.0
# Resident besides the queue.
USUAL_MIB = 96
LONGEST_PACE_CHANGE = 1.05
TOKEN = re.compile(rb"[?]thread=(\d+)&turn=(\d+)\"")
STREAM = re.compile(rb'"_clientConnectionId":"(\d+)".*"clientStreamId":(\d+)')


@dataclass
class Case:
    seconds: float
    protocol: str
    overload: str
    size: str
    answered: int = 0
    entries: int = 0
    absent: int = 0
    doubled: int = 0
    bodies: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    waited: int = 0
    p99_ms: float = 0
    peak_mib: float = 0
    after_mib: float = 0
    limit_mib: float = 0

    @property
    def name(self) -> str:
        return f"{self.seconds:g} s, {self.protocol}, {self.overload}, {self.size}"

    def verdict(self) -> tuple[str, bool]:
        exchanges, bodies = self.dropped.get("exchanges", 0), self.dropped.get("bodies", 0)
        text = f"{self.name}: {self.answered:,} answered, {self.entries:,} entries, {exchanges:,} dropped, {bodies:,} without "
        text += f"bodies, {self.waited:,} waited; p99 {self.p99_ms:.1f} ms, {self.peak_mib:.0f} MiB at the peak (of "
        text += f"{self.limit_mib:.0f}), {self.after_mib:.0f} after"
        # What was on its way at the client's end may be in the log or not, and may be without a body.
        cut = CONNECTIONS * (STREAMS if self.protocol == "http2" else 1)
        whole = self.doubled == 0 and self.absent <= exchanges and 0 <= self.entries - self.bodies - bodies <= cut
        if self.overload == "wait" or (self.size == "small" and self.seconds <= 5):
            whole = whole and exchanges == 0 and bodies == 0
        return text, whole and self.peak_mib <= self.limit_mib + USUAL_MIB


class Disk:
    """It stands still as long as a file is there (docs/testing.md)."""

    def __init__(self, file: Path):
        self.file = file
        os.environ["TAPELINE_STALL"] = str(file)

    def stop(self) -> None:
        self.file.touch()

    def go_on(self) -> None:
        self.file.unlink(missing_ok=True)


def command(case: Case, origin: Nginx, proxy: str) -> list[str]:
    duration = LEAD + case.seconds + REST
    path = f"/{case.size}.txt"
    if case.protocol == "http2":
        words = h2load_command(origin.h2_port, proxy, CONNECTIONS, "h2", duration)
        return [*words[:-1], words[-1].replace("/small.txt", path)]
    authority = f"127.0.0.1:{origin.port}" if case.protocol == "http1" else f"localhost:{origin.tls_port}"
    environment, url = [], f"http://{proxy}/"
    if case.protocol == "https":
        environment = [f"LD_PRELOAD={preload_library()}", f"TUNNEL_PORT={origin.tls_port}"]
        environment += [f"TUNNEL_PROXY_PORT={proxy.rpartition(':')[2]}"]
        url = f"https://{authority}/"
    words = ["env", *environment, "wrk", "--threads", str(CONNECTIONS), "--connections", str(CONNECTIONS)]
    words += ["--duration", f"{round(duration)}s", "--timeout", "120s", "--script", str(Path(__file__).with_name("stall.lua"))]
    target = f"http://{authority}{path}" if case.protocol == "http1" else path
    return [*words, url, "--", target, authority]


def start(case: Case, directory: Path, origin: Nginx) -> Tapeline:
    options = ["--overload", case.overload]
    if case.protocol == "http1":
        tool = Tapeline(directory, options)
    else:
        tool = InterceptingTapeline(directory, origin.certificates.root)
        tool.options += options
    tool.start()
    return tool


def run(case: Case, directory: Path, origin: Nginx, disk: Disk) -> Case:
    tool = start(case, directory, origin)
    load = subprocess.Popen(command(case, origin, tool.authority), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        time.sleep(LEAD)
        disk.stop()
        time.sleep(case.seconds)
        disk.go_on()
        output, _ = load.communicate(timeout=case.seconds + 120)
        wait_until(lambda: tool.metrics()["tapeline_recorder_queue_bytes"] == 0, 60)
        case.limit_mib = tool.metrics()["tapeline_recorder_queue_limit_bytes"] / (1 << 20)
        case.waited = int(tool.metrics()["tapeline_recorder_waited_total"])
        case.peak_mib = tool.running.peak_resident_kib() / 1024
        # Memory goes back a second after.
        time.sleep(1.5)
        case.after_mib = tool.running.resident_kib() / 1024
    finally:
        disk.go_on()
        load.kill()
        tool.stop()
    count(case, output, tool)
    return case


def count(case: Case, output: str, tool: Tapeline) -> None:
    turns: dict[int, list[int]] = defaultdict(list)
    token = STREAM if case.protocol == "http2" else TOKEN
    dropped: dict[str, int] = defaultdict(int)
    for file in tool.recordings():
        whole = 0
        with file.open("rb") as lines:
            for line in lines:
                # A connection on which wrk asks nothing has an entry, too.
                whole += b'"pageref":' in line
                if found := token.search(line):
                    turns[int(found[1])].append(int(found[2]))
                    case.entries += 1
                    case.bodies += b'"text":"' in line
                elif found := re.search(rb'"_dropped":(\{[^}]*\})', line):
                    for name, number in json.loads(found[1]).items():
                        dropped[name] += number
        if (listed := count_entries(tool.program, file)) != whole:
            raise Damaged(f"{file.name} has {whole} entries, of which {listed} are read")
    case.dropped = dict(dropped)
    case.doubled = sum(len(numbers) - len(set(numbers)) for numbers in turns.values())
    if case.protocol == "http2":
        sample = parse_h2load(output, "0\t200\t1")
        case.answered = sample.requests
        holes = sum((max(numbers) + 1) // 2 - len(set(numbers)) for numbers in turns.values())
        case.absent = max(holes, case.answered - case.entries)
        if case.entries + case.dropped.get("exchanges", 0) > case.answered + CONNECTIONS * STREAMS:
            raise Damaged("the log has more than was asked for")
        return
    lines = [line for line in output.splitlines() if line.startswith("result ")]
    if not lines:
        raise LoadFailed(output.strip())
    result = json.loads(lines[-1].removeprefix("result "))
    if result["failed"]:
        raise LoadFailed(f"{result['failed']} requests failed")
    case.p99_ms = result["p99"] / 1000
    for thread, last in enumerate(result["turns"]):
        # wrk has its first thread make one request that it only looks at.
        wanted = set(range(2 if thread == 0 else 1, last))
        case.answered += len(wanted)
        case.absent += len(wanted - set(turns[thread]))


def kill(case: Case, directory: Path, origin: Nginx, disk: Disk) -> str:
    tool = start(case, directory, origin)
    load = subprocess.Popen(command(case, origin, tool.authority), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(LEAD)
        disk.stop()
        time.sleep(random.uniform(0, case.seconds))
        tool.kill()
    finally:
        disk.go_on()
        load.kill()
        tool.kill()
    return f"{len(check(settled_text(tool.har), directory).entries):,} entries, all whole"


def pace(rounds: int, directory: Path, origin: Nginx, disk: Disk) -> tuple[str, bool]:
    """The p99 of 5 s beside that of 5 s in which the disk stands still, by turns."""
    tool = start(Case(5, "http1", "drop", "small"), directory, origin)
    ratios: list[float] = []
    try:
        request_rate(origin.small_url, tool.authority, 2)
        for number in range(rounds):
            found = {}
            for stands in sorted((False, True), key=lambda stands: stands == bool(number % 2)):
                if stands:
                    disk.stop()
                found[stands] = request_rate(origin.small_url, tool.authority, 5).p99_us
                disk.go_on()
                wait_until(lambda: tool.metrics()["tapeline_recorder_queue_bytes"] == 0, 60)
                time.sleep(2)
            ratios.append(found[True] / found[False])
            progress(f"p99 {found[False]} µs, and {found[True]} while the disk stands: {ratios[-1]:.3f}")
    finally:
        disk.go_on()
        tool.stop()
    means = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    middle = statistics.median(ratios)
    text = f"p99 while the disk stands still for 5 s: {middle:.3f} of the usual ({means[50]:.3f} to {means[1950]:.3f})"
    return text, middle < LONGEST_PACE_CHANGE


def main(words: list[str]) -> int:
    parser = argument_parser("stall", __doc__)
    for name, values in (("seconds", SECONDS), ("protocols", PROTOCOLS), ("overloads", OVERLOADS), ("sizes", SIZES)):
        parser.add_argument(f"--{name}", help=f"some of {','.join(values)} (default: all)")
    parser.add_argument("--kill", action="store_true", help="kill the program amid each stall")
    parser.add_argument("--pace", type=int, metavar="ROUNDS", help="only compare what clients notice, so often")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args(words)
    chosen = [
        selection(parser, text, values)
        for text, values in ((arguments.seconds, SECONDS), (arguments.protocols, PROTOCOLS),
                             (arguments.overloads, OVERLOADS), (arguments.sizes, SIZES))
    ]  # fmt: skip
    cases = [Case(float(seconds), *rest) for seconds, *rest in itertools.product(*chosen)]
    verdicts = []
    with Workspace("stall") as workspace:
        origin, disk = Nginx(workspace.path / "origin", large_size=1 << 20), Disk(workspace.path / "stall")
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            origin.start()
            if arguments.pace:
                verdicts.append(pace(arguments.pace, workspace.path / "pace", origin, disk))
            for number, case in enumerate([] if arguments.pace else cases):
                try:
                    directory = workspace.path / str(number)
                    if arguments.kill:
                        verdicts.append((f"killed within {case.name}: {kill(case, directory, origin, disk)}", True))
                    else:
                        verdicts.append(run(case, directory, origin, disk).verdict())
                    subprocess.run(["rm", "-rf", str(directory)], check=True)
                except (Damaged, LoadFailed, ServerFailed) as error:
                    verdicts.append((f"{case.name}: {error}", False))
                    workspace.keep = True
                progress(verdicts[-1][0])
        finally:
            disk.go_on()
            origin.stop()
    write_json(arguments.json, [vars(case) for case in cases])
    return 0 if print_verdicts(verdicts) else 1
