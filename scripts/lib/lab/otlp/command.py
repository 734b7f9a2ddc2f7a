"""Measures the export to an OpenTelemetry collector. `cost`: how many spans a core makes of a file, and how much slower
`record` is with `--otlp` than without. `store`: ten recorders export through rotel into DuckDB, and SQL asks whether
everything is there. `outage`: collectors that are away, slow, busy, failing, or talk nonsense under load.

The collector is this process: it keeps what comes and decodes it afterwards, so that it takes little of the machine. Rounds with
and without the export alternate, on connections that are always busy (wrk), and the medians are compared. The spans that arrive
must be those that tapeline says it sent.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from pathlib import Path

from lab.bench.inspection import make
from lab.load import Sample, request_rate
from lab.nginx import Nginx
from lab.otlp.collector import Collector
from lab.otlp.outage import misery
from lab.otlp.store import store
from lab.proxy import Tapeline
from lab.run import Verdict, Workspace, argument_parser, binary, print_verdicts, selection

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


def load(directory: Path, url: str, seconds: float, collector: Collector | None) -> Sample:
    proxy = Tapeline(directory, ["--otlp", collector.url] if collector else [])
    proxy.start()
    try:
        sample = request_rate(url, proxy.authority, seconds)
    finally:
        proxy.stop()
    if sample.failed or sample.cut:
        raise SystemExit(f"{sample.failed + sample.cut} requests failed")
    if collector:
        line = proxy.log.read_text().splitlines()[-1]
        collector.count()
        print(f"  {line}; {collector.spans:,} arrived")
        sent = re.match(r"tapeline: (\d+) ", line)
        if not sent or int(sent.group(1)) != collector.spans:
            raise SystemExit("the spans that arrived are not those that were sent")
    return sample


def slowdown(directory: Path, seconds: float, rounds: int) -> float:
    rates: dict[bool, list[float]] = {False: [], True: []}
    tails: dict[bool, list[int]] = {False: [], True: []}
    origin = Nginx(directory / "nginx", large_size=1)
    origin.start()
    try:
        for number in range(rounds):
            with Collector() as collector:
                for is_exported in (False, True):
                    place = directory / f"{number}-{is_exported}"
                    sample = load(place, origin.small_url, seconds, collector if is_exported else None)
                    rates[is_exported].append(sample.rate)
                    tails[is_exported].append(sample.p99_us)
    finally:
        origin.stop()
    without, with_export = statistics.median(rates[False]), statistics.median(rates[True])
    slower = 1 - with_export / without
    print(f"record: {without:,.0f} requests/s without, {with_export:,.0f} with export: {slower:.1%} slower")
    print(f"p99: {statistics.median(tails[False]):,.0f} µs without, {statistics.median(tails[True]):,.0f} µs with export")
    return slower


def cost(directory: Path, size: int, seconds: float, rounds: int) -> list[Verdict]:
    rate = spans_per_core(directory, size)
    slower = slowdown(directory, seconds, rounds)
    return [
        (f"{LEAST_RATE:,} spans/s per core", rate >= LEAST_RATE),
        (f"recording at most {MOST_SLOWDOWN:.0%} slower ({slower:.1%})", slower <= MOST_SLOWDOWN),
    ]


def main(words: list[str]) -> int:
    parser = argument_parser("otlp", __doc__)
    parser.add_argument("--only", help=f"of {', '.join(PARTS)}, separated by commas")
    parser.add_argument("--size", type=int, default=256, help="of the capture, in MiB")
    parser.add_argument("--seconds", type=float, default=10, help="of load in a round")
    parser.add_argument("--rounds", type=int, default=5)
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
