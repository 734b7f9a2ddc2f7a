"""Measures the export to an OpenTelemetry collector. `cost`: how many spans a core makes of a file, and how much slower
`record` is with `--otlp` than without. `store`: ten recorders export through rotel into DuckDB, and SQL asks whether
everything is there. `outage`: collectors that are away, slow, busy, failing, or talk nonsense under load.

The collector is this process: it keeps what comes and decodes it afterwards. Even that costs a recording at full load on two
cores 4 % of its rate, so `record` is measured with nginx for a collector: it throws away what it takes. Connections are always
busy (wrk), and each round is with the export and without it, in turn first.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
from pathlib import Path

from lab.bench.inspection import make
from lab.change import Change
from lab.load import Sample, request_rate
from lab.nginx import Nginx
from lab.otlp.collector import Collector
from lab.otlp.outage import account, misery
from lab.otlp.store import store
from lab.proxy import Tapeline
from lab.tool import Verdict, Workspace, argument_parser, binary, print_verdicts, selection

LEAST_RATE = 20_000
MOST_SLOWDOWN = 0.05
PARTS = ["cost", "store", "outage"]


def spans_per_core(directory: Path, size: int) -> float:
    """By CPU time, which says the same on a busy machine."""
    capture = directory / "capture.har"
    entries = make(str(capture), size)
    with Collector() as collector:
        process = subprocess.Popen([binary(), "export", "otlp", str(capture), "--otlp", collector.url])
        _, status, usage = os.wait4(process.pid, 0)
        collector.count()
        if status or collector.exchanges != entries:
            raise SystemExit(f"{collector.exchanges} of {entries} exchanges arrived, and the status was {status}")
        rate = collector.spans / (usage.ru_utime + usage.ru_stime)
        peak = usage.ru_maxrss / 1024
        print(f"file: {collector.spans:,} spans of {entries:,} exchanges, {rate:,.0f} spans/s per core, {peak:.0f} MiB at most")
        return rate


def load(directory: Path, url: str, seconds: float, collector: str | None) -> tuple[Sample, float]:
    """What wrk saw, and the microseconds of processor time that the proxy took for an exchange."""
    proxy = Tapeline(directory, ["--otlp", collector] if collector else [])
    proxy.start()
    try:
        sample = request_rate(url, proxy.authority, seconds)
        cost = proxy.running.cpu_seconds() / sample.requests * 1e6
    finally:
        proxy.stop()
    if sample.failed or sample.cut:
        raise SystemExit(f"{sample.failed + sample.cut} requests failed")
    if collector:
        lines = proxy.log.read_text().splitlines()
        print(f"  {lines[-1]}")
        if not account(lines).adds_up:
            raise SystemExit("the spans do not add up")
    return sample, cost


def slowdown(directory: Path, seconds: float, rounds: int) -> Change:
    samples: dict[bool, list[Sample]] = {False: [], True: []}
    costs: dict[bool, list[float]] = {False: [], True: []}
    origin = Nginx(directory / "nginx", large_size=1)
    origin.start()
    try:
        for number in range(rounds):
            for is_exported in (False, True) if number % 2 else (True, False):
                place = directory / f"{number}-{is_exported}"
                sample, cost = load(place, origin.small_url, seconds, origin.collector_url if is_exported else None)
                samples[is_exported].append(sample)
                costs[is_exported].append(cost)
                shutil.rmtree(place)
    finally:
        origin.stop()
    print("record          requests/s   p99, µs   CPU, µs for an exchange")
    for is_exported, name in ((False, "without export"), (True, "with export")):
        taken = samples[is_exported]
        rate, tail = statistics.median(sample.rate for sample in taken), statistics.median(sample.p99_us for sample in taken)
        print(f"{name:14} {rate:11,.0f} {tail:9,.0f} {statistics.median(costs[is_exported]):10.1f}")
    return Change.between([sample.rate for sample in samples[False]], [sample.rate for sample in samples[True]])


def cost(directory: Path, size: int, seconds: float, rounds: int) -> list[Verdict]:
    rate = spans_per_core(directory, size)
    change = slowdown(directory, seconds, rounds)
    return [
        (f"{LEAST_RATE:,} spans/s per core", rate >= LEAST_RATE),
        (f"recording at most {MOST_SLOWDOWN:.0%} slower: its rate {change}", change.median >= -MOST_SLOWDOWN),
    ]


def main(words: list[str]) -> int:
    parser = argument_parser("otlp", __doc__)
    parser.add_argument("--only", help=f"of {', '.join(PARTS)}, separated by commas")
    parser.add_argument("--size", type=int, default=256, help="of the capture, in MiB")
    parser.add_argument("--seconds", type=float, default=10, help="of load in a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--recorders", type=int, default=10)
    parser.add_argument("--exchanges", type=int, default=10_000, help="of each recorder")
    parser.add_argument("--away", type=float, default=60, help="how many seconds the collector is away at full load")
    arguments = parser.parse_args(words)
    verdicts: list[Verdict] = []
    for part in selection(parser, arguments.only, PARTS):
        with Workspace("otlp") as workspace:
            match part:
                case "cost":
                    verdicts += cost(workspace.path, arguments.size << 20, arguments.seconds, arguments.rounds)
                case "store":
                    verdicts += store(workspace.path, arguments.recorders, arguments.exchanges)
                case "outage":
                    verdicts += misery(workspace.path, arguments.seconds, arguments.rounds, arguments.away)
    return 0 if print_verdicts(verdicts) else 1
