"""`scripts/lab/run soak`: records everything under a steady mixture of traffic: plain, chunked, posted, opened HTTPS,
tunnels, and origins and clients that refuse, reset and hang up. Memory, descriptors and latencies must stay flat, nothing may be
lost, and every file must be whole."""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from lab import machine
from lab.certificates import Certificates
from lab.process import ServerFailed, wait_until
from lab.proxy import Tapeline
from lab.soak import samples, silence, verdict
from lab.soak.logs import Collector, Contents
from lab.soak.mixture import WEIGHTS, Setting
from lab.soak.samples import Sample, Traffic
from lab.tool import Verdict, Workspace, argument_parser, print_verdicts, progress, selection, targets, write_json

PERIOD_SECONDS = 5
IDLE_TIMEOUT_SECONDS = 15
FAILURES_SHOWN = 20


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    with Workspace("soak", keep=True) as workspace:
        met = keep_silent(workspace.path, arguments.silence) if arguments.silence else keep_going(arguments, workspace.path)
        workspace.keep = not met
    return 0 if met else 1


def keep_silent(directory: Path, minutes: float) -> bool:
    progress(f"{minutes:g} minutes of silence")
    return print_verdicts(silence.run(directory, minutes))


def keep_going(arguments: argparse.Namespace, directory: Path) -> bool:
    soak = Soak(arguments, directory)
    try:
        return soak.run()
    except ServerFailed as error:
        progress(str(error))
        return False
    finally:
        soak.stop()


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argument_parser("soak", __doc__)
    parser.add_argument("--minutes", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--rate", type=float, default=300, help="exchanges per second (default: 300)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32), help="of the order of the exchanges")
    parser.add_argument("--rotate-size", default="32MiB", metavar="SIZE", help="of the files, each read and deleted (32MiB)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every sample and the verdict there")
    parser.add_argument("--only", metavar="KINDS", help=f"a selection of {','.join(WEIGHTS)}, to find out which of them grows")
    parser.add_argument(
        "--silence", type=float, metavar="MINUTES", help="instead: streams that are silent for so long, with the default limits"
    )
    arguments = parser.parse_args(words)
    arguments.only = selection(parser, arguments.only, list(WEIGHTS))
    return arguments


class LoadReader:
    """Gathers what the load prints while it runs."""

    def __init__(self, process: subprocess.Popen[str]):
        self.process = process
        self.lock = threading.Lock()
        self.fresh: list[dict] = []
        self.sent: Counter[str] = Counter()
        self.failures: list[str] = []
        self.late = 0
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for text in self.process.stdout:
            with self.lock:
                self.fresh.append(json.loads(text))

    def take(self) -> Traffic:
        with self.lock:
            fresh, self.fresh = self.fresh, []
        latencies = [value for each in fresh for value in each["latencies"].get("small", [])]
        for each in fresh:
            self.sent.update(each["sent"])
            self.failures += each["failures"]
            self.late += each["late"]
        return Traffic(
            sum(sum(each["sent"].values()) for each in fresh), percentile(latencies, 0.5), percentile(latencies, 0.99),
            sum(len(each["failures"]) for each in fresh))  # fmt: skip


def percentile(values: list[int], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))] if values else 0


class Soak:
    def __init__(self, arguments: argparse.Namespace, directory: Path):
        self.arguments = arguments
        self.directory = directory
        self.origin: subprocess.Popen[str] | None = None
        self.load: subprocess.Popen[str] | None = None
        self.tapeline: Tapeline | None = None
        self.collector: Collector | None = None
        # Bound and not listening: connections to it are refused, and nobody else gets the port.
        self.refusing = socket.socket()
        self.samples: list[Sample] = []

    def run(self) -> bool:
        progress(f"{self.arguments.minutes:g} minutes at {self.arguments.rate:g} exchanges/s, seed {self.arguments.seed}")
        tapeline, setting = self.start()
        before = tapeline.descriptors()
        reader = self.start_load(setting)
        self.watch(tapeline, reader)
        reader.thread.join()
        last = reader.take()
        self.samples.append(samples.take(tapeline, self.began, last))
        progress("the load has ended; waiting until idle connections are closed")
        wait_until(lambda: tapeline.descriptors() <= before, IDLE_TIMEOUT_SECONDS + 10)
        at_rest = samples.take(tapeline, self.began, Traffic())
        # The connection for the metrics is closed when its client is.
        wait_until(lambda: tapeline.descriptors() <= before, 5)
        after = tapeline.descriptors()
        status = tapeline.stop()
        self.collector.collect(all_of_them=True)
        found = self.collector.found
        results = [
            verdict.load_answered(reader.sent, reader.failures, reader.late),
            verdict.memory(self.samples),
            verdict.descriptors(self.samples),
            verdict.latency(self.samples),
            verdict.all_recorded(reader.sent, [*self.samples, at_rest], found),
            verdict.files_whole(found),
            verdict.came_back(before, after, at_rest),
            verdict.ended_well(status, tapeline.complaints()),
        ]
        return self.report(results, reader, found)

    def start(self) -> tuple[Tapeline, Setting]:
        certificates = Certificates(self.directory / "certificates")
        certificates.make()
        command = [sys.executable, "-B", "-m", "lab.soak.origin", str(certificates.directory)]
        self.origin = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ports = self.origin.stdout.readline().split()
        if len(ports) != 2:
            raise ServerFailed("the origin did not start")
        self.refusing.bind(("127.0.0.1", 0))
        authority = self.directory / "authority"
        # Tunnels lead to an address, what is opened to a name.
        options = ["--intercept", "--intercept-host", "localhost", "--ca-dir", str(authority)]
        options += ["--upstream-ca", str(certificates.root), "--rotate-size", self.arguments.rotate_size]
        options += ["--idle-timeout", f"{IDLE_TIMEOUT_SECONDS}s"]
        self.tapeline = Tapeline(self.directory / "recording", options)
        self.tapeline.start()
        self.collector = Collector(self.tapeline.directory)
        return self.tapeline, Setting(
            proxy=self.tapeline.address[1],
            plain=int(ports[0]),
            secure=int(ports[1]),
            refused=self.refusing.getsockname()[1],
            authority=str(authority / "ca.pem"),
            rate=self.arguments.rate,
            seconds=self.arguments.minutes * 60,
            seed=self.arguments.seed,
            kinds=self.arguments.only,
        )

    def start_load(self, setting: Setting) -> LoadReader:
        command = [sys.executable, "-B", "-m", "lab.soak.mixture", json.dumps(dataclasses.asdict(setting))]
        self.began = time.monotonic()
        self.load = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        return LoadReader(self.load)

    def watch(self, tapeline: Tapeline, reader: LoadReader) -> None:
        while reader.thread.is_alive():
            reader.thread.join(PERIOD_SECONDS)
            if not reader.thread.is_alive():
                break
            if not tapeline.running.is_running():
                raise tapeline.running.failure(f"ended with status {tapeline.running.process.returncode}")
            shown = len(reader.failures)
            sample = samples.take(tapeline, self.began, reader.take())
            progress(samples.line(sample, self.samples[-1] if self.samples else None))
            for text in reader.failures[shown:FAILURES_SHOWN]:
                progress(f"failed: {text}")
            self.samples.append(sample)
            self.collector.collect()

    def report(self, results: list[Verdict], reader: LoadReader, found: Contents) -> bool:
        about = machine.describe()
        print(machine.one_line(about))
        print(verdict.table(self.samples))
        cpu = self.samples[-1].cpu_seconds / max(1, self.samples[-1].exchanges) * 1e6
        peak = max(sample.resident_kib for sample in self.samples) / 1024
        middle = statistics.median(sample.p50_us for sample in self.samples)
        print(f"CPU per exchange {cpu:.0f} µs, highest resident memory {peak:.1f} MiB, p50 of a small exchange {middle:.0f} µs")
        met = print_verdicts(results)
        write_json(self.arguments.json, {
            "machine": about, "minutes": self.arguments.minutes, "rate": self.arguments.rate, "seed": self.arguments.seed,
            "sent": reader.sent, "failures": reader.failures, "recorded": {**vars(found), "kinds": dict(found.kinds)},
            "samples": [dataclasses.asdict(sample) for sample in self.samples], "targets": targets(results),
        })  # fmt: skip
        return met

    def stop(self) -> None:
        for process in (self.load, self.origin):
            if process:
                process.kill()
                process.wait()
        if self.tapeline:
            self.tapeline.kill()
        if self.collector:
            self.collector.close()
        self.refusing.close()
