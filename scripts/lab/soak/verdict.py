"""What an hour must have shown."""

from __future__ import annotations

import statistics
from collections import Counter

from lab.soak.logs import Contents
from lab.soak.samples import Sample
from lab.tool import Verdict

SLOPE_MIB_PER_HOUR = 1.0
# Connections that happen to be open when a sample is taken.
DESCRIPTOR_NOISE = 16
LATENCY_RATIO = 1.25
# The first part of a run fills pools and caches: as much of it, and at least as long.
WARM_UP_SHARE, WARM_UP_SECONDS = 0.1, 20
# What a run too short to tell a slope from scatter may grow by.
SHORT_HOURS, SHORT_GROWTH_MIB = 0.1, 4


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """By least squares: how fast the second value grows with the first, and how far the points scatter about the line."""
    if len(points) < 3:
        return 0, 0
    xs, ys = zip(*points)
    fit = statistics.linear_regression(xs, ys)
    return fit.slope, statistics.pstdev(y - (fit.slope * x + fit.intercept) for x, y in points)


def halves(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Without the warming up."""
    cold = max(WARM_UP_SECONDS, samples[-1].seconds * WARM_UP_SHARE)
    warm = [sample for sample in samples if sample.seconds > cold]
    if len(warm) < 4:
        warm = samples
    middle = len(warm) // 2
    return warm[:middle], warm[middle:]


def memory(samples: list[Sample]) -> Verdict:
    """Growth within the scatter does not count: a short run cannot tell a slope from it."""
    _, second = halves(samples)
    per_hour, scatter = slope([(sample.seconds / 3600, sample.resident_kib / 1024) for sample in second])
    hours = (second[-1].seconds - second[0].seconds) / 3600
    text = f"resident memory over the second half: {per_hour:+.2f} MiB an hour (at most {SLOPE_MIB_PER_HOUR:g})"
    text += f", scatter {scatter:.2f} MiB"
    allowed = max(SLOPE_MIB_PER_HOUR * hours, 2 * scatter)
    if hours < SHORT_HOURS:
        text += f"; {hours * 60:.1f} minutes are too short for a slope, {SHORT_GROWTH_MIB} MiB in all are let pass"
        allowed = max(allowed, SHORT_GROWTH_MIB)
    return text, per_hour * hours <= allowed


def descriptors(samples: list[Sample]) -> Verdict:
    first, second = ([sample.descriptors for sample in half] for half in halves(samples))
    text = f"descriptors: at most {max(first)} in the first half, {max(second)} in the second"
    return text, max(second) <= max(first) + DESCRIPTOR_NOISE


def latency(samples: list[Sample]) -> Verdict:
    first, second = (statistics.median(sample.p50_us for sample in half) for half in halves(samples))
    tails = [statistics.median(sample.p99_us for sample in half) for half in halves(samples)]
    text = (
        f"latency of a small exchange: p50 {first:.0f} µs in the first half, {second:.0f} in the second"
        f" (at most {LATENCY_RATIO:g} times); p99 {tails[0]:.0f} and {tails[1]:.0f}"
    )
    return text, second <= LATENCY_RATIO * first


def load_answered(sent: Counter[str], failures: list[str], late: int) -> Verdict:
    text = f"{sum(sent.values()):,} exchanges, {len(failures)} not as they had to be, {late} not begun in time"
    return text, not failures and not late


def all_recorded(sent: Counter[str], samples: list[Sample], found: Contents) -> Verdict:
    """Each kind has its path; those that came through a plain tunnel are seen as tunnels only."""
    expected = {("CONNECT" if kind == "tunnel" else kind): count for kind, count in sent.items()}
    missing = {kind: count - found.kinds[kind] for kind, count in expected.items() if found.kinds[kind] < count}
    lost = samples[-1].dropped + samples[-1].lost
    text = f"{found.entries:,} entries in {found.files} files of {found.size / (1 << 20):,.0f} MiB, {lost} dropped or lost"
    if missing:
        text += f", missing: {missing}"
    return text, not missing and not lost and not found.dropped


def files_whole(found: Contents) -> Verdict:
    return f"files that are not whole: {'; '.join(found.damage) or 'none'}", not found.damage


def came_back(before: int, after: int, at_rest: Sample) -> Verdict:
    text = (
        f"after the load: {after} descriptors ({before} before), {at_rest.in_flight} requests in flight,"
        f" {at_rest.client_connections} connections, {at_rest.queue_exchanges} exchanges queued"
    )
    return text, after <= before and at_rest.in_flight == at_rest.client_connections == at_rest.queue_exchanges == 0


def ended_well(status: int, complaints: list[str]) -> Verdict:
    return (
        f"ended with status {status}; on stderr: {'; '.join(complaints) or 'nothing unexpected'}",
        status == 0 and not complaints,
    )


def table(samples: list[Sample], rows: int = 12) -> str:
    """Rows spread over the run, each the mean or, of what must not rise, the maximum of its stretch."""
    lines = [["minutes", "req/s", "p50 µs", "p99 µs", "RSS MiB", "PSS MiB", "descriptors", "CPU µs/req", "queue", "lag µs"]]
    size = max(1, -(-len(samples) // rows))
    for start in range(0, len(samples), size):
        part = samples[start : start + size]
        before = samples[start - 1] if start else None
        seconds = part[-1].seconds - (before.seconds if before else 0)
        requests = sum(sample.requests for sample in part)
        cpu = part[-1].cpu_seconds - (before.cpu_seconds if before else 0)
        lines.append([
            f"{part[-1].seconds / 60:.1f}", f"{requests / seconds:.0f}",
            f"{statistics.median(sample.p50_us for sample in part):.0f}",
            f"{statistics.median(sample.p99_us for sample in part):.0f}",
            f"{statistics.mean(sample.resident_kib for sample in part) / 1024:.2f}",
            f"{statistics.mean(sample.proportional_kib for sample in part) / 1024:.2f}",
            f"{max(sample.descriptors for sample in part)}", f"{cpu / max(1, requests) * 1e6:.0f}",
            f"{max(sample.queue_exchanges for sample in part)}",
            f"{statistics.median(sample.loop_lag_us for sample in part):.0f}",
        ])  # fmt: skip
    widths = [max(len(row[column]) for row in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in lines)
