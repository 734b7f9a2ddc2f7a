"""The fuzz campaign: workers maltreat the proxy from both sides, then the log is held against what they have seen."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from lab.certificates import Certificates
from lab.process import Server
from lab.torture.scenario import REFUSED_CERTIFICATE, Failed, Run, Scenario, Settings
from lab.torture.tokens import tokens_in
from lab.torture.worker import Job

# Below the ports that the kernel gives away.
FIRST_PORT, PORTS_EACH = 20_001, 2_000
SANITIZER_SLOWDOWN = 6.0
_SHOWN_FAILURES = 3


def run(run: Run) -> str:
    settings = run.settings
    numbers = range(settings.workers) if settings.replay is None else [settings.replay % settings.workers]
    jobs = [_job(run, number) for number in numbers]
    command = [sys.executable, "-B", "-m", "lab.torture.worker"]
    workers = [
        Server(f"worker {job.first}", [*command, json.dumps(asdict(job))], run.directory / f"{job.first}.log") for job in jobs
    ]
    try:
        memory = _watch(run, workers)
    finally:
        statuses = [worker.stop() for worker in workers]
    for worker, status in zip(workers, statuses):
        if settings.replay is not None:
            run.say(worker.log.read_text())
        if status:
            raise worker.failure(f"ended with status {status}")
    results = [json.loads(Path(job.result).read_text()) for job in jobs]
    counts: Counter[str] = sum((Counter(result["counts"]) for result in results), Counter())
    seconds = max(result["seconds"] for result in results)
    rate = counts["exchanges"] / seconds
    run.figures |= {"counts": dict(sorted(counts.items())), "exchanges_per_second": round(rate), "resident_kib": memory}
    answered = {(case, index) for result in results for case, index in result["answered"]}
    run.judge_log = lambda: judge_log(run, answered)
    if failures := [failure for result in results for failure in result["failures"]]:
        raise Failed(_report(run, failures))
    growth = ", ".join(f"{kib / 1024:.0f}" for kib in memory)
    return (
        f"{counts['exchanges']:,} exchanges in {counts['cases']:,} connections, {counts['arrived']:,} arrived, "
        f"{counts['answers']:,} answers, {rate:,.0f}/s, resident {growth} MiB"
    )


def _watch(run: Run, workers: list[Server]) -> list[int]:
    """Waits for the workers. Returns the proxy's resident memory after each quarter of the time."""
    samples = []
    while any(worker.is_running() for worker in workers):
        samples.append(run.proxy.running.resident_kib())
        time.sleep(0.25)
    return quarters(samples)


def quarters(samples: list[int]) -> list[int]:
    """The last sample of each quarter: what leaks goes on growing."""
    return [samples[len(samples) * quarter // 4 - 1] for quarter in range(1, 5)] if len(samples) >= 4 else samples


def _job(run: Run, number: int) -> Job:
    settings = run.settings
    replay = settings.replay
    return Job(
        seed=settings.seed,
        first=number if replay is None else replay,
        step=settings.workers,
        exchanges=settings.exchanges // settings.workers if replay is None else 1,
        proxy=run.proxy.address,
        address=settings.address,
        port=FIRST_PORT + number * PORTS_EACH,
        authority=str(run.directory / "ca" / "ca.pem"),
        certificates=str(run.directory / "certificates"),
        slowdown=SANITIZER_SLOWDOWN if settings.sanitizer else 1.0,
        result=str(run.directory / f"{number}.json"),
        shows=replay is not None,
    )


def _report(run: Run, failures: list[dict]) -> str:
    """Each failure whole in a file, and the first ones in short."""
    file = run.directory / "failures.json"
    file.write_text(json.dumps(failures, indent=2))
    lines = [f"{len(failures)} cases failed; whole in {file}"]
    for failure in failures[:_SHOWN_FAILURES]:
        lines.append(f"    case {failure['case']} ({failure.get('kind')}): {failure['what']}")
        lines.append(f"        sent {str(failure.get('segments'))[:1500]}")
        again = f"--seed {run.seed} --workers {run.settings.workers} --replay {failure['case']}"
        lines.append(f"        again: scripts/lab/run torture {again}")
    return "\n".join(lines)


def prepare(directory: Path, settings: Settings) -> None:
    Certificates(directory / "certificates", names=f"DNS:localhost,IP:{settings.address}").make()


def judge_log(run: Run, answered: set[tuple[int, int]]) -> None:
    """No entry holds anything of another connection, and whatever a client was answered is there or counted as missing."""
    seen: set[tuple[int, int]] = set()
    dropped = 0
    for file in run.proxy.recordings():
        text = file.read_bytes()
        for line in text.splitlines():
            tokens = set(tokens_in(line, run.seed))
            if len({token.case for token in tokens}) > 1:
                raise Failed(f"an entry holds bytes of several connections: {line[:4000]!r}")
            seen |= tokens
        dropped += json.loads(text)["log"].get("_dropped", {}).get("exchanges", 0)
    if (missing := answered - seen) and len(missing) > dropped:
        counted = f"{dropped:,} are counted as dropped"
        raise Failed(f"{len(missing):,} answered exchanges are not in the log, and {counted}: {sorted(missing)[:5]}")


SCENARIOS = [
    Scenario(
        "fuzz", "requests and responses of every kind, harmed, cut into pieces, pipelined and broken off", run, prepare=prepare,
        expected=(REFUSED_CERTIFICATE,),
        options=(
            "--http1", "--intercept", "--strict", "--ca-dir", "{directory}/ca",
            "--upstream-ca", "{directory}/certificates/root.pem",
            "--allow-host", "{address}", "--allow-host", "127.0.0.1", "--rotate-size", "32MiB",
        ),
        # What a hundred thousand exchanges of every size leave in the allocator; it is reached after half of them and stays.
        grows_kib=24 << 10,
    ),
]  # fmt: skip
