"""More peers than descriptors: the proxy keeps serving those that it has, does not spin on those it cannot take, and takes them
later."""

from __future__ import annotations

import select
import socket
import threading
import time

from lab.origin import Origin, answering
from lab.torture.scenario import Failed, Run, Scenario
from lab.wire import ResponseReader, connect, get, read_response

BODY = b"An answer under pressure.\n"
CLIENTS = 120
# Of the process, where descriptors are to run out.
LIMIT = 64
# With --max-connections.
ADMITTED = 20
# Nobody is served any more when nothing has come for so long.
QUIET_SECONDS = 0.3
WATCHED_SECONDS, MOST_CPU = 2.0, 0.15
PATIENCE = 10.0
OVERLOADED = (502, 503)


def answered(clients: list[socket.socket]) -> dict[socket.socket, ResponseReader]:
    """Those that get an answer until none has come for a while."""
    found: dict[socket.socket, ResponseReader] = {}
    poll = select.poll()
    for client in clients:
        poll.register(client, select.POLLIN)
    by_descriptor = {client.fileno(): client for client in clients}
    while ready := poll.poll(QUIET_SECONDS * 1000):
        for descriptor, _ in ready:
            poll.unregister(descriptor)
            found[by_descriptor[descriptor]] = read_response(by_descriptor[descriptor])
    return found


def cpu_share(run: Run) -> float:
    """Of one core, while the proxy has more to accept than it can."""
    before = run.proxy.running.cpu_seconds()
    time.sleep(WATCHED_SECONDS)
    return (run.proxy.running.cpu_seconds() - before) / WATCHED_SECONDS


def require_answers(responses: list[ResponseReader], allowed: tuple[int, ...]) -> None:
    for response in responses:
        if response.status not in allowed or not response.complete or (response.status == 200 and response.body != BODY):
            raise Failed(f"answered with {response.status} {response.body[:200]!r}")


def crowd(run: Run, allowed: tuple[int, ...]) -> str:
    """All ask. Those that are served go on being served; when they leave, the next are served, until everybody was."""
    origin = Origin(answering(BODY))
    clients = [connect(run.proxy.address, timeout=PATIENCE) for _ in range(CLIENTS)]
    try:
        for client in clients:
            client.sendall(get(origin.url("/answer"), close=False))
        first = answered(clients)
        share = cpu_share(run)
        for client in first:
            client.sendall(get(origin.url("/again"), close=False))
        again = answered(list(first))
        require_answers([*first.values(), *again.values()], allowed)
        if not first or len(again) < len(first):
            raise Failed(f"of {len(first)} clients that were served {len(again)} are served still")
        waves = [first]
        while waves[-1]:
            for client in waves[-1]:
                client.close()
            waves.append(answered([client for client in clients if client.fileno() >= 0]))
            require_answers(list(waves[-1].values()), allowed)
    finally:
        for client in clients:
            client.close()
        origin.close()
    served = sum(map(len, waves))
    overloaded = sum(response.status in OVERLOADED for wave in waves for response in wave.values())
    if served != CLIENTS:
        raise Failed(f"{served} of {CLIENTS} clients were served")
    if share > MOST_CPU and not run.sanitizer:
        raise Failed(f"{share * 100:.0f} % of a core were spent on waiting")
    run.figures.update(clients=CLIENTS, served_at_once=len(first), waves=len(waves) - 1, overloaded=overloaded, cpu_share=share)
    return (
        f"{len(first)} of {CLIENTS} clients served at once, all in {len(waves) - 1} waves"
        f"{f', {overloaded} told that it is too much' if overloaded else ''}; {share * 100:.1f} % CPU meanwhile"
    )


def without_descriptors_for_origins(run: Run) -> str:
    """Clients are in before descriptors run out: those for whom no connection upstream can be had are told at once."""
    released = threading.Event()
    answer = answering(BODY)

    def answer_later(connection: socket.socket) -> None:
        released.wait(PATIENCE)
        answer(connection)

    origin = Origin(answer_later)
    free = LIMIT - run.proxy.descriptors()
    # Two thirds of what is free: half of the clients find a descriptor left for their origin.
    clients = [connect(run.proxy.address, timeout=PATIENCE) for _ in range(free * 2 // 3)]
    try:
        for client in clients:
            client.sendall(f"GET /healthz HTTP/1.1\r\nHost: {run.proxy.authority}\r\n\r\n".encode())
            if read_response(client).body != b"ok\n":
                raise Failed("a client was not let in")
        for client in clients:
            client.sendall(get(origin.url("/later"), close=False))
        told = answered(clients)
        share = cpu_share(run)
        released.set()
        served = answered([client for client in clients if client not in told])
    finally:
        released.set()
        for client in clients:
            client.close()
        origin.close()
    require_answers(list(told.values()), OVERLOADED)
    require_answers(list(served.values()), (200,))
    if not told or not served or len(told) + len(served) != len(clients):
        raise Failed(f"of {len(clients)} clients {len(told)} were told that it is too much, and {len(served)} served")
    if share > MOST_CPU and not run.sanitizer:
        raise Failed(f"{share * 100:.0f} % of a core were spent on waiting")
    run.figures.update(clients=len(clients), told=len(told), served=len(served), cpu_share=share)
    return (
        f"{len(told)} of {len(clients)} clients told at once that it is too much, {len(served)} served; {share * 100:.1f} % CPU"
    )


SCENARIOS = [
    Scenario(
        "client-limit", f"{CLIENTS} clients, of which --max-connections lets {ADMITTED} in", lambda run: crowd(run, (200,)),
        options=("--max-connections", str(ADMITTED))),
    Scenario(
        "few-descriptors", f"{CLIENTS} clients, with {LIMIT} descriptors and the limits that follow from them",
        lambda run: crowd(run, (200,)), descriptor_limit=LIMIT),
    Scenario(
        "no-descriptors", f"{CLIENTS} clients, with {LIMIT} descriptors and leave to use up all of them",
        lambda run: crowd(run, (200, *OVERLOADED)), descriptor_limit=LIMIT, options=("--max-connections", "1000")),
    Scenario(
        "no-origin-left", f"{LIMIT} descriptors, none of which is left for connections upstream", without_descriptors_for_origins,
        descriptor_limit=LIMIT, options=("--max-connections", "1000")),
]  # fmt: skip
