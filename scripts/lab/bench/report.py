"""The table that people read, and the verdict on tapeline's targets."""

from __future__ import annotations

from lab.bench.comparison import Figures
from lab.tool import Verdict

TARGET_CPU_US = 30
TARGET_IDLE_KIB = 3
# Over haproxy's in the same run: of more is better, and of less.
RATES = [
    ("requests/s", "requests_per_second", 1),
    ("requests/s with 64 KiB", "medium_requests_per_second", 0.9),
    ("new connections/s", "new_connections_per_second", 0.9),
]
COSTS = [("p99", "p99_us", 1), ("CPU per exchange", "cpu_us_per_request", 1.1)]
TARGET_RESIDENT_MIB = 64
# Where nothing but large bodies has passed.
TARGET_BULK_MIB = 40
# Requests per second over TLS on both legs, over those of a reference in the same run.
SECURE_TARGETS = {"direct": 0.45, "martian": 1.3, "mitmdump": 10}
# And with HTTP/2 on both.
MULTIPLEXED_TARGETS = {"direct": 0.35, "mitmdump": 20}

Row = dict[str, "float | None"]

PEAK_COLUMN = ("peak MiB", "peak_resident_mib", "{:.1f}")
COLUMNS: list[tuple[str, str, str]] = [
    ("req/s", "requests_per_second", "{:,.0f}"),
    ("/direct", "ratio_to_direct", "{:.2f}"),
    ("/haproxy", "ratio_to_haproxy", "{:.2f}"),
    ("p50 µs", "p50_us", "{:,.0f}"),
    ("p99 µs", "p99_us", "{:,.0f}"),
    ("CPU µs", "cpu_us_per_request", "{:.1f}"),
    ("conn/s", "new_connections_per_second", "{:,.0f}"),
    ("64 KiB/s", "medium_requests_per_second", "{:,.0f}"),
    PEAK_COLUMN,
    ("KiB/idle", "idle_connection_kib", "{:.1f}"),
]


SECURE_COLUMNS = [
    *COLUMNS[:2],
    ("/martian", "ratio_to_martian", "{:.2f}"),
    ("/mitmdump", "ratio_to_mitmdump", "{:.1f}"),
    *COLUMNS[3:6],
    ("handshakes/s", "new_connections_per_second", "{:,.0f}"),
    PEAK_COLUMN,
]

# One large body, as a message and in a tunnel.
BULK_WAYS = [("down", "down"), ("up", "up"), ("tunnel down", "tunnel_down"), ("tunnel up", "tunnel_up")]
BULK_COLUMNS = [
    column
    for title, way in BULK_WAYS
    for column in [(f"{title} MB/s", f"{way}_mb_per_second", "{:,.0f}"), ("CPU s/GiB", f"{way}_cpu_per_gib", "{:.2f}")]
]


def rows(figures: dict[str, Figures]) -> dict[str, Row]:
    """Every tool's medians, with the ratios of its request rate to those of the run's own references."""
    result = {name: each.summary() for name, each in figures.items()}
    for reference in ("direct", "haproxy", "martian", "mitmdump"):
        base = result.get(reference, {}).get("requests_per_second")
        for row in result.values():
            rate = row["requests_per_second"]
            row[f"ratio_to_{reference}"] = rate / base if rate and base else None
    return result


def table(figures: dict[str, Figures], columns: list[tuple[str, str, str]] = COLUMNS) -> str:
    lines = [["tool", *(title for title, _, _ in columns)]]
    for name, row in rows(figures).items():
        lines.append([name, *(_cell(row[key], form) for _, key, form in columns)])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _cell(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _aligned(cells: list[str], widths: list[int]) -> str:
    first, *others = (
        cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(cells, widths))
    )
    return "  ".join([first, *others]).rstrip()


def remarks(figures: dict[str, Figures]) -> list[str]:
    """Whatever a reader must know before believing the table."""
    result = []
    for name, each in figures.items():
        samples = each.keep_alive + each.close + each.medium
        failed, cut = sum(sample.failed for sample in samples), sum(sample.cut for sample in samples)
        if each.failure:
            result.append(f"{name}: {each.failure}")
        if failed:
            result.append(f"{name}: {failed} requests failed")
        if cut:
            result.append(f"{name}: closed {cut} connections on which the client had already sent the next request")
        if each.recording:
            result.append(_recording_remark(name, each.recording, each.exchanges_sent))
    return result


def _recording_remark(name: str, recording: dict[str, int], sent: int) -> str:
    text = "{name}: recorded {exchanges:,} exchanges and {bodies:,} small bodies of {sent:,} answered requests, {mib:,.0f} MiB"
    return text.format(name=name, sent=sent, mib=recording["bytes"] / (1 << 20), **recording)


def verdict(figures: dict[str, Figures]) -> list[Verdict]:
    """The targets that one run can decide, each with whether it was met."""
    row = rows(figures).get("tapeline")
    if not row or row["requests_per_second"] is None:
        return []
    result = beside_haproxy(row, rows(figures).get("haproxy", {}))
    cpu, peak, idle = row["cpu_us_per_request"], row["peak_resident_mib"], row["idle_connection_kib"]
    if cpu is not None:
        result.append((f"CPU per exchange: {cpu:.1f} µs (at most {TARGET_CPU_US})", cpu <= TARGET_CPU_US))
    if peak is not None:
        result.append((f"peak resident memory: {peak:.1f} MiB (under {TARGET_RESIDENT_MIB})", peak < TARGET_RESIDENT_MIB))
    if idle is not None:
        result.append((f"an idle connection: {idle:.1f} KiB (at most {TARGET_IDLE_KIB})", idle <= TARGET_IDLE_KIB))
    recording, sent = figures["tapeline"].recording, figures["tapeline"].exchanges_sent
    if recording:
        complete = recording["exchanges"] >= sent
        result.append((f"recorded: {recording['exchanges']:,} of {sent:,} answered exchanges", complete))
    return result


def beside_haproxy(row: Row, reference: Row) -> list[Verdict]:
    """What one run can say of rates and costs, as far as it had both."""

    def ratio(key: str) -> float | None:
        own, base = row[key], reference.get(key)
        return own / base if own and base else None

    rates = [
        (f"{what}: {share:.2f} of haproxy (at least {target})", share >= target)
        for what, key, target in RATES
        if (share := ratio(key)) is not None
    ]
    costs = [
        (f"{what}: {share:.2f} of haproxy (at most {target})", share <= target)
        for what, key, target in COSTS
        if (share := ratio(key)) is not None
    ]
    return rates + costs


def bulk_verdict(figures: dict[str, Figures], is_all: bool) -> list[Verdict]:
    """Large bodies beside haproxy, which passes them through pipes. `is_all`: nothing else has passed in this run."""
    all_rows = rows(figures)
    row, reference = all_rows.get("tapeline"), all_rows.get("haproxy")
    if not row:
        return []
    result = []
    for title, way in BULK_WAYS:
        rate, base = row[f"{way}_mb_per_second"], (reference or {}).get(f"{way}_mb_per_second")
        if rate and base:
            result.append((f"1 GiB {title}: {rate / base:.2f} of haproxy (at least 1)", rate >= base))
    peak = row["peak_resident_mib"]
    if is_all and peak is not None:
        result.append((f"peak resident memory: {peak:.1f} MiB (at most {TARGET_BULK_MIB})", peak <= TARGET_BULK_MIB))
    return result


def ratio_verdicts(what: str, row: Row, targets: dict[str, float]) -> list[Verdict]:
    """The rate beside that of each reference that the run had."""
    return [
        (f"{what} requests/s: {ratio:.2f} of {reference} (at least {target})", ratio >= target)
        for reference, target in targets.items()
        if (ratio := row.get(f"ratio_to_{reference}")) is not None
    ]


def secure_verdict(figures: dict[str, Figures]) -> list[Verdict]:
    """The same for HTTPS that is opened."""
    row = rows(figures).get("tapeline")
    if not row or row["requests_per_second"] is None:
        return []
    result = ratio_verdicts("HTTPS", row, SECURE_TARGETS)
    recording, sent = figures["tapeline"].recording, figures["tapeline"].exchanges_sent
    if recording:
        result.append((f"recorded: {recording['exchanges']:,} of {sent:,} answered exchanges", recording["exchanges"] >= sent))
    return result
