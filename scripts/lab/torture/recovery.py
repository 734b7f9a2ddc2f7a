"""What must hold after each scenario: the proxy works, has given back what it had taken, and has recorded everything."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lab.har import Damaged, check
from lab.origin import Origin, answering
from lab.process import wait_until
from lab.proxy import Tapeline
from lab.torture.scenario import Failed
from lab.wire import connect, get, read_response

PATIENCE = 10.0
BODY = b"The answer that a normal request gets.\n"
CALM_READINGS = 20
# A sanitizer keeps what was freed for a while, and its shadow grows with every page that was touched.
SANITIZER_FACTOR, SANITIZER_KIB = 8, 128 << 10
# What it talks through to the program that finds names for addresses.
SANITIZER_DESCRIPTORS = 4
_DROPS = [f'tapeline_recorder_dropped_total{{what="{what}"}}' for what in ("body", "exchange")]
_QUEUE = "tapeline_recorder_queue_exchanges"
_EXCHANGES, _DROPPED = "tapeline_exchanges_total", 'tapeline_recorder_dropped_total{what="exchange"}'


@dataclass(frozen=True)
class Level:
    """What a proxy at rest has in use."""

    descriptors: int
    resident_kib: int


def level(proxy: Tapeline) -> Level:
    check_normal_request(proxy)
    wait_until(lambda: _is_quiet(proxy), PATIENCE)
    return Level(proxy.descriptors(), proxy.running.resident_kib())


def check_normal_request(proxy: Tapeline) -> None:
    origin = Origin(answering(BODY))
    try:
        with connect(proxy.address, timeout=PATIENCE) as connection:
            connection.sendall(get(origin.url("/normal")))
            response = read_response(connection)
    except OSError as error:
        raise Failed(f"a normal request got no answer: {error}") from error
    finally:
        origin.close()
    if response.status != 200 or response.body != BODY or not response.complete:
        raise Failed(f"a normal request was answered with {response.status} {response.body[:200]!r}")


def check_recovered(proxy: Tapeline, before: Level, grows_kib: int, sanitizer: bool) -> str:
    """Returns what is back, for the report."""
    if not proxy.running.is_running():
        raise Failed(f"the proxy died, status {proxy.running.process.returncode}:\n" + "\n".join(proxy.complaints()))
    if not wait_until(lambda: _is_quiet(proxy), PATIENCE):
        raise Failed(f"not at rest {PATIENCE:.0f} s later: {_activity(proxy)}")
    check_normal_request(proxy)
    descriptors = before.descriptors + (SANITIZER_DESCRIPTORS if sanitizer else 0)
    if not wait_until(lambda: proxy.descriptors() <= descriptors, PATIENCE):
        raise Failed(f"{proxy.descriptors()} descriptors are open, {before.descriptors} were before: {proxy.open_files()}")
    metrics = proxy.metrics()
    bound = grows_kib * SANITIZER_FACTOR + SANITIZER_KIB if sanitizer else grows_kib
    if any(metrics[name] for name in _DROPS):
        # The queue to the recorder was full, as happens where the machine has other things to do, and what it took may stay.
        bound += int(metrics["tapeline_recorder_queue_limit_bytes"]) >> 10
    # The queue is empty while the recorder still writes the last exchange, for which it may need more: what stays is judged.
    grown = [proxy.running.resident_kib() - before.resident_kib]

    def has_shrunk() -> bool:
        grown.append(proxy.running.resident_kib() - before.resident_kib)
        return grown[-1] <= bound and grown[-1] == grown[-2]

    wait_until(has_shrunk, PATIENCE)
    if (stays := min(grown)) > bound:
        raise Failed(f"resident memory is {stays:,} KiB above the {before.resident_kib:,} KiB before, {bound:,} are allowed")
    return f"memory {grown[-1]:+,} KiB"


def check_end(proxy: Tapeline, expected: tuple[str, ...] = ()) -> None:
    """Stops it, and judges its log and what it said."""
    exchanges = _count_exchanges(proxy)
    if status := proxy.stop():
        raise Failed(f"exit status {status}\n" + "\n".join(proxy.complaints(expected)))
    if complaints := proxy.complaints(expected):
        raise Failed("it wrote\n" + "\n".join(complaints))
    entries = missing = 0
    for file in proxy.recordings():
        found, left_out = check_file(file)
        entries += found
        missing += left_out
    if entries + missing != exchanges:
        raise Failed(f"{exchanges:,} exchanges ended, {entries:,} are recorded and {missing:,} counted as missing")


def _count_exchanges(proxy: Tapeline) -> int:
    """All that the log must account for. Exchanges are counted when they are written: the queue must be empty, and for a while
    nothing may be counted: our own readings are no exchanges. What the recorder had no room for is counted apart."""
    readings = [proxy.metrics()]
    calm = 0

    def is_settled() -> bool:
        nonlocal calm
        readings.append(proxy.metrics())
        is_calm = readings[-1][_EXCHANGES] == readings[-2][_EXCHANGES] and readings[-1][_QUEUE] == 0
        calm = calm + 1 if is_calm else 0
        return calm >= CALM_READINGS

    if not wait_until(is_settled, 3 * PATIENCE):
        raise Failed(f"the recorder is not done {3 * PATIENCE:.0f} s later: {readings[-1][_EXCHANGES]:,.0f} exchanges")
    return int(readings[-1][_EXCHANGES] + readings[-1][_DROPPED])


def check_file(file: Path) -> tuple[int, int]:
    """How many entries a HAR has, all of them whole, and how many exchanges it says that it lacks."""
    text = file.read_text()
    try:
        contents = check(text, file.parent)
    except Damaged as error:
        raise Failed(f"{file}: {error}") from error
    return len(contents.entries), contents.dropped + json.loads(text)["log"].get("_dropped", {}).get("unwritten", 0)


def _is_quiet(proxy: Tapeline) -> bool:
    # The connection that asks is there, and its request is in flight.
    return _activity(proxy) == (1, 0, 1)


def _activity(proxy: Tapeline) -> tuple[int, ...]:
    """Requests in flight, tunnels, client connections."""
    metrics = proxy.metrics()
    names = ("tapeline_requests_in_flight", "tapeline_tunnels_open", "tapeline_client_connections")
    return tuple(int(metrics[name]) for name in names)
