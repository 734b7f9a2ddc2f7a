"""A normal client's traffic while something else goes on: a few keep-alive connections at a moderate rate, measured by wrk."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from lab.torture.scenario import Failed

SCRIPT = Path(__file__).with_name("steady.lua")
CONNECTIONS = 4

# How often each latency occurred, in microseconds.
Latencies = Counter[int]


def measure(url: str, proxy: str, seconds: int) -> Latencies:
    target = urlsplit(url)
    command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--timeout", "20s"]
    command += ["--script", str(SCRIPT), f"http://{proxy}/", "--", url, target.netloc]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
    found = [line for line in finished.stdout.splitlines() if line.startswith("result ")]
    if not found:
        raise Failed(f"wrk gave no result: {(finished.stderr or finished.stdout).strip()}")
    result = json.loads(found[0].removeprefix("result "))
    if result["failed"] or not result["latencies"]:
        raise Failed(f"{result['failed']} normal requests failed")
    return Counter(dict(result["latencies"]))


def percentile(latencies: Latencies, share: float) -> int:
    wanted = share * latencies.total()
    seen = 0
    for value in sorted(latencies):
        seen += latencies[value]
        if seen >= wanted:
            return value
    raise Failed("nothing was measured")
