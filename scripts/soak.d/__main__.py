"""`scripts/soak`: tapeline, recording everything, under a steady mixture of traffic: plain, chunked, posted, opened HTTPS, tunnels,
and origins and clients that refuse, reset and hang up. Memory, descriptors and latencies must stay flat, nothing may be lost, and
every file must be whole."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import paths  # noqa: F401  (makes the next ones importable)

import machine
import samples
import silence
import verdict
from certificates import Certificates
from logs import Collector, Contents
from mixture import WEIGHTS, Setting
from process import ServerFailed, wait_until
from samples import Sample, Traffic
from tools import Tapeline

HERE = Path(__file__).parent
PERIOD_SECONDS = 5
IDLE_TIMEOUT_SECONDS = 15
FAILURES_SHOWN = 20
EXPECTED_LINE = re.compile(r"tapeline: (listening on |\d+ exchanges, )")


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = Path(tempfile.mkdtemp(prefix="tapeline-soak-"))
    if arguments.silence:
        return keep_silent(directory, arguments.silence)
    soak = Soak(arguments, directory)
    met = False
    try:
        met = soak.run()
    except ServerFailed as error:
        progress(str(error))
    finally:
        soak.stop()
        if met:
            shutil.rmtree(directory, ignore_errors=True)
        else:
            progress(f"kept in {directory}")
    return 0 if met else 1


def keep_silent(directory: Path, minutes: float) -> int:
    progress(f"{minutes:g} minutes of silence")
    results = silence.run(directory, minutes)
    for text, met in results:
        print(f"{'met   ' if met else 'missed'}  {text}")
    if not all(met for _, met in results):
        progress(f"kept in {directory}")
        return 1
    shutil.rmtree(directory, ignore_errors=True)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__.replace("`", ""))
    parser.add_argument("--minutes", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--rate", type=float, default=300, help="exchanges per second (default: 300)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32), help="of the order of the exchanges")
    parser.add_argument("--rotate-size", default="32MiB", metavar="SIZE", help="of the files, each read and deleted (32MiB)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every sample and the verdict there")
    parser.add_argument("--only", metavar="KINDS", help=f"a selection of {','.join(WEIGHTS)}, to find out which of them grows")
    parser.add_argument("--silence", type=float, metavar="MINUTES", help="instead: streams that are silent for so long, with the default limits")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",") if arguments.only else list(WEIGHTS)
    if unknown := set(arguments.only) - set(WEIGHTS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
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
        # Bound and not listening: whoever connects there is refused, and nobody else gets the port.
        self.refusing = socket.socket()
        self.samples: list[Sample] = []

    def run(self) -> bool:
        progress(f"{self.arguments.minutes:g} minutes at {self.arguments.rate:g} exchanges/s, seed {self.arguments.seed}")
        tapeline, setting = self.start()
        before = samples.descriptors(tapeline.server)
        reader = self.start_load(setting)
        self.watch(tapeline, reader)
        reader.thread.join()
        last = reader.take()
        self.samples.append(samples.take(tapeline.server, tapeline.address, self.began, last))
        progress("the load has ended; waiting until idle connections are closed")
        wait_until(lambda: samples.descriptors(tapeline.server) <= before, IDLE_TIMEOUT_SECONDS + 10)
        at_rest = samples.take(tapeline.server, tapeline.address, self.began, Traffic())
        # The connection for the metrics is closed when its client is.
        wait_until(lambda: samples.descriptors(tapeline.server) <= before, 5)
        after = samples.descriptors(tapeline.server)
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
            verdict.ended_well(status, complaints(tapeline)),
        ]
        self.report(results, reader, found)
        return all(met for _, met in results)

    def start(self) -> tuple[Tapeline, Setting]:
        certificates = Certificates(self.directory / "certificates")
        certificates.make()
        command = [sys.executable, "-B", str(HERE / "scripted.py"), str(certificates.certificate), str(certificates.key)]
        self.origin = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ports = self.origin.stdout.readline().split()
        if len(ports) != 2:
            raise ServerFailed("the origin did not start")
        self.refusing.bind(("127.0.0.1", 0))
        authority = self.directory / "authority"
        # Tunnels lead to an address, what is opened to a name.
        options = ["--intercept", "--intercept-host", "localhost", "--ca-dir", str(authority)]
        options += ["--upstream-ca", str(certificates.root), "--rotate-size", self.arguments.rotate_size, "--idle-timeout", f"{IDLE_TIMEOUT_SECONDS}s"]
        self.tapeline = Tapeline(self.directory / "recording", options)
        self.tapeline.start()
        self.collector = Collector(self.tapeline.directory)
        return self.tapeline, Setting(
            proxy=int(self.tapeline.address.rpartition(":")[2]),
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
        command = [sys.executable, "-B", str(HERE / "mixture.py"), json.dumps(dataclasses.asdict(setting))]
        self.began = time.monotonic()
        self.load = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        return LoadReader(self.load)

    def watch(self, tapeline: Tapeline, reader: LoadReader) -> None:
        while reader.thread.is_alive():
            reader.thread.join(PERIOD_SECONDS)
            if not reader.thread.is_alive():
                break
            if not tapeline.server.is_running():
                raise tapeline.server.failure(f"ended with status {tapeline.server.process.returncode}")
            shown = len(reader.failures)
            sample = samples.take(tapeline.server, tapeline.address, self.began, reader.take())
            progress(samples.line(sample, self.samples[-1] if self.samples else None))
            for text in reader.failures[shown:FAILURES_SHOWN]:
                progress(f"failed: {text}")
            self.samples.append(sample)
            self.collector.collect()

    def report(self, results: list[tuple[str, bool]], reader: LoadReader, found: Contents) -> None:
        about = machine.describe()
        print(machine.one_line(about))
        print(verdict.table(self.samples))
        cpu = self.samples[-1].cpu_seconds / max(1, self.samples[-1].exchanges) * 1e6
        peak = max(sample.resident_kib for sample in self.samples) / 1024
        middle = statistics.median(sample.p50_us for sample in self.samples)
        print(f"CPU per exchange {cpu:.0f} µs, highest resident memory {peak:.1f} MiB, p50 of a small exchange {middle:.0f} µs")
        for text, met in results:
            print(f"{'met   ' if met else 'missed'}  {text}")
        if self.arguments.json:
            result = {
                "machine": about, "minutes": self.arguments.minutes, "rate": self.arguments.rate, "seed": self.arguments.seed,
                "sent": reader.sent, "failures": reader.failures, "recorded": {**vars(found), "kinds": dict(found.kinds)},
                "samples": [dataclasses.asdict(sample) for sample in self.samples],
                "targets": [{"target": text, "met": met} for text, met in results],
            }  # fmt: skip
            self.arguments.json.write_text(json.dumps(result, indent=2) + "\n")

    def stop(self) -> None:
        for process in (self.load, self.origin):
            if process:
                process.kill()
                process.wait()
        if self.tapeline and self.tapeline.server and self.tapeline.server.is_running():
            self.tapeline.server.stop(signal.SIGKILL)
        if self.collector:
            self.collector.close()
        self.refusing.close()


def complaints(tapeline: Tapeline) -> list[str]:
    """Lines of its stderr but those of every run: where it listens, and the summary."""
    lines = tapeline.server.log.read_text(errors="replace").splitlines()
    return [line for line in lines if line and not EXPECTED_LINE.match(line)]


def progress(text: str) -> None:
    print(f"soak: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
