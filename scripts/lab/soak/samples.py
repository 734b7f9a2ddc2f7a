"""What the proxy costs, looked at every few seconds: from outside by /proc, and by its own metrics."""

from __future__ import annotations

import time
from dataclasses import dataclass

from lab.proxy import Tapeline


@dataclass(frozen=True)
class Sample:
    # Since the load began.
    seconds: float
    resident_kib: int
    proportional_kib: int
    descriptors: int
    cpu_seconds: float
    in_flight: int
    client_connections: int
    queue_exchanges: int
    queue_bytes: int
    exchanges: int
    dropped: int
    lost: int
    loop_lag_us: float
    # Between the last sample and this one.
    requests: int
    p50_us: float
    p99_us: float
    failures: int


@dataclass(frozen=True)
class Traffic:
    """What the load says of one stretch of time; latencies are those of small plain exchanges."""

    requests: int = 0
    p50_us: float = 0
    p99_us: float = 0
    failures: int = 0


def take(proxy: Tapeline, began: float, traffic: Traffic) -> Sample:
    numbers, server = proxy.metrics(), proxy.running

    def total(name: str) -> float:
        return sum(value for key, value in numbers.items() if key.partition("{")[0] == name)

    return Sample(
        seconds=time.monotonic() - began,
        resident_kib=server.resident_kib(),
        proportional_kib=server.proportional_kib(),
        descriptors=proxy.descriptors(),
        cpu_seconds=server.cpu_seconds(),
        # Without the request for the metrics, and its connection.
        in_flight=int(total("tapeline_requests_in_flight")) - 1,
        client_connections=int(total("tapeline_client_connections")) - 1,
        queue_exchanges=int(total("tapeline_recorder_queue_exchanges")),
        queue_bytes=int(total("tapeline_recorder_queue_bytes")),
        exchanges=int(total("tapeline_exchanges_total")),
        dropped=int(total("tapeline_recorder_dropped_total")),
        lost=int(total("tapeline_recorder_lost_total")),
        loop_lag_us=max(value for key, value in numbers.items() if key.startswith("tapeline_loop_lag")) * 1e6,
        requests=traffic.requests,
        p50_us=traffic.p50_us,
        p99_us=traffic.p99_us,
        failures=traffic.failures,
    )


def line(sample: Sample, before: Sample | None) -> str:
    """For a reader who watches a long run."""
    since = sample.seconds - (before.seconds if before else 0)
    cpu = (sample.cpu_seconds - (before.cpu_seconds if before else 0)) / since if since else 0
    return (
        f"{int(sample.seconds) // 60:3}:{int(sample.seconds) % 60:02}  {sample.requests / since if since else 0:5.0f}/s"
        f"  p50 {sample.p50_us:5.0f}  p99 {sample.p99_us:6.0f} µs  RSS {sample.resident_kib / 1024:5.2f} MiB"
        f"  descriptors {sample.descriptors:3}  CPU {cpu * 100:4.1f} %  in flight {sample.in_flight:3}"
        f"  queue {sample.queue_exchanges:3}  lag {sample.loop_lag_us:5.0f} µs  dropped {sample.dropped}"
        f"  failures {sample.failures}"
    )
