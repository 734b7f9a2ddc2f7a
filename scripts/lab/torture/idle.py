"""Five thousand client connections that have had their answer and stay: what each of them costs, here and in other proxies."""

from __future__ import annotations

from dataclasses import dataclass

from lab.load import IdleConnections
from lab.nginx import Nginx
from lab.process import Server, ServerFailed, wait_until
from lab.proxies import HAProxy, Squid, Tool
from lab.tool import settle
from lab.torture.scenario import Failed, Run, Scenario

CONNECTIONS = 5000
MOST_KIB = 6.0
# What a second crowd may cost where the first one has been: the allocator keeps the memory, and uses it again.
AGAIN_MOST_KIB = 0.5
PATIENCE = 10.0


@dataclass(frozen=True)
class Cost:
    """Of a connection, in KiB of resident memory, and of it with shared pages divided among those who share them."""

    resident_kib: float
    proportional_kib: float


def measure(server: Server, address: str, url: str) -> Cost:
    resident, proportional = server.resident_kib(), server.proportional_kib()
    with IdleConnections(url, address, CONNECTIONS) as idle:
        settle()
        if (left := idle.open_count()) != CONNECTIONS:
            raise Failed(f"{CONNECTIONS - left} of {CONNECTIONS} connections were not kept")
        grown = server.resident_kib() - resident, server.proportional_kib() - proportional
    return Cost(grown[0] / CONNECTIONS, grown[1] / CONNECTIONS)


def run(run: Run) -> str:
    origin = Nginx(run.directory / "origin", large_size=1 << 20)
    try:
        origin.start()
        costs = {"tapeline": measure(run.proxy.running, run.proxy.authority, origin.small_url)}
        wait_until(lambda: run.proxy.metrics()["tapeline_client_connections"] == 1, PATIENCE)
        again = measure(run.proxy.running, run.proxy.authority, origin.small_url)
        for tool in (HAProxy(run.directory / "haproxy"), Squid(run.directory / "squid")):
            if tool.is_installed():
                costs |= measure_other(run, tool, origin)
    finally:
        origin.stop()
    run.figures.update({name: vars(cost) for name, cost in costs.items()}, again=vars(again))
    text = f"{CONNECTIONS:,} idle connections, KiB each (PSS): " + ", ".join(
        f"{name} {cost.resident_kib:.2f} ({cost.proportional_kib:.2f})" for name, cost in costs.items()
    )
    text += f"; as many again {again.resident_kib:+.2f}"
    if (costs["tapeline"].resident_kib > MOST_KIB or again.resident_kib > AGAIN_MOST_KIB) and not run.sanitizer:
        raise Failed(text)
    return text


def measure_other(run: Run, tool: Tool, origin: Nginx) -> dict[str, Cost]:
    """For comparison only: one that cannot be measured is said, and left out."""
    try:
        tool.start()
        if not tool.server or not tool.authority:
            return {}
        # What the first request brings along is no connection's.
        with IdleConnections(origin.small_url, tool.authority, 1):
            pass
        return {tool.name: measure(tool.server, tool.authority, origin.small_url)}
    except (Failed, ServerFailed, OSError) as error:
        run.say(f"{tool.name} is left out: {error}")
        return {}
    finally:
        tool.stop()


SCENARIOS = [
    Scenario(
        "idle", f"{CONNECTIONS:,} idle keep-alive connections, beside haproxy and squid", run, heavy=True, grows_kib=32 << 10
    ),
]
