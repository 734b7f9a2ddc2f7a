"""One process of the fuzz campaign: clients and their origins in one loop, so that what is sent and what must come are known in
one place. Run as `python3 -m lab.torture.worker JOB`, with the job as JSON."""

from __future__ import annotations

import json
import re
import select
import socket
import ssl
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.certificates import Certificates
from lab.torture import case as cases
from lab.torture.case import Case, Exchange, Kind, Ports
from lab.torture.client import Client
from lab.torture.examination import complaints
from lab.torture.grammar import IDEMPOTENT
from lab.torture.origins import EchoConnection, OriginConnection, plain_answer
from lab.torture.reference import Request, origin_form
from lab.torture.streams import Peer, Stream
from lab.torture.tokens import tokens_in

HANG_SECONDS = 20.0
CONCURRENT = 48
# Requests may still arrive when their client has gone.
REMEMBERED = 20_000
MOST_FAILURES = 300
_OUR_NAME = re.compile(rb"tapeline-[0-9a-f]{6}")
_SHOWN = 4_000


@dataclass(frozen=True)
class Job:
    """What one worker does: every case from `first` on in steps of `step`, until it has made so many exchanges."""

    seed: int
    first: int
    step: int
    exchanges: int
    proxy: tuple[str, int]
    # Where its origins listen: this address, and ports from this one on.
    address: str
    port: int
    authority: str
    certificates: str
    # The file for its result.
    result: str
    slowdown: float = 1.0
    # Shows everything, for one case.
    shows: bool = False


class Worker:
    def __init__(self, job: Job):
        self.job = job
        self.counts: Counter[str] = Counter()
        self.failures: list[dict[str, object]] = []
        # Exchanges of which the client has got a whole answer: they must be in the log.
        self.answered: set[tuple[int, int]] = set()
        self._poll = select.epoll()
        self._members: dict[int, Peer] = {}
        self._masks: dict[int, int] = {}
        self._listeners: dict[int, tuple[socket.socket, Callable[[socket.socket], Peer]]] = {}
        self._cases: OrderedDict[int, Case] = OrderedDict()
        # Listeners that are there for one case only.
        self._own: dict[int, socket.socket] = {}
        # What has arrived of each of them, to tell where it was when something goes wrong.
        self._seen: dict[int, list[str]] = {}
        self._arrivals: Counter[tuple[int, tuple[bytes, bytes, bytes]]] = Counter()
        self._clients = 0
        self._next = job.first
        self._identity = Certificates(Path(job.certificates)).server_context()
        self._trust = ssl.create_default_context(cafile=job.authority)
        self._ports = self._listen()

    # MARK: The loop

    def run(self) -> None:
        while self._clients or not self._is_enough():
            now = time.monotonic()
            while self._clients < CONCURRENT and not self._is_enough():
                self._start(now)
            for descriptor, events in self._poll.poll(0.05):
                self._handle(descriptor, events, now)
            self._look_after_clients(now)
        self._close()

    def _is_enough(self) -> bool:
        return self.counts["exchanges"] >= self.job.exchanges or len(self.failures) >= MOST_FAILURES

    def _start(self, now: float) -> None:
        case = cases.make(self._next, self._next // self.job.step, self.job.seed, self._ports)
        self._next += self.job.step
        if case.own_port in self._own:
            # Another one still has its port.
            self.counts["left out"] += 1
            return
        self.counts["exchanges"] += len(case.exchanges)
        self.counts["cases"] += 1
        self.counts[case.kind.value] += 1
        self.counts["through " + case.through.value] += 1
        self._cases[case.number] = case
        if len(self._cases) > REMEMBERED:
            forgotten, _ = self._cases.popitem(last=False)
            self._seen.pop(forgotten, None)
        if self.job.shows:
            _show(case)
        if case.own_port:
            self._own[case.own_port] = self._open(case.own_port, lambda connection: OriginConnection(connection, self))
        target = self._ports.tls if case.through is cases.Through.TLS else self._ports.plain
        client = Client(case, self.job.proxy, target, self._trust, now)
        client.deadline = now + HANG_SECONDS * self.job.slowdown
        self._clients += 1
        self._add(client)

    def _handle(self, descriptor: int, events: int, now: float) -> None:
        if descriptor in self._listeners:
            listener, make = self._listeners[descriptor]
            try:
                connection, _ = listener.accept()
            except BlockingIOError:
                return
            self._add(make(connection))
            return
        member = self._members.get(descriptor)
        if not member:
            return
        if events & select.EPOLLOUT and member.stream.wants_to_send:
            member.on_writable(now)
        if not member.is_done and events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
            member.on_readable(now)
        self._settle(descriptor, member)

    def _look_after_clients(self, now: float) -> None:
        for descriptor, member in list(self._members.items()):
            if not isinstance(member, Client):
                continue
            if member.linger_until and now > member.linger_until:
                member.on_linger_end()
                self._settle(descriptor, member)
            elif now > member.deadline:
                self._fail(member.case, f"hangs: {member.waits_for}; {self._at_origins(member.case)}", member.received)
                member.stream.reset()
                member.is_done = True
                self._settle(descriptor, member, judge=False)

    def _add(self, member: Peer) -> None:
        stream = member.stream
        self._members[stream.descriptor] = member
        self._masks[stream.descriptor] = mask = self._mask(stream)
        self._poll.register(stream.descriptor, mask)

    def _settle(self, descriptor: int, member: Peer, judge: bool = True) -> None:
        """After something has happened to it: it is over, or waits for something else."""
        if member.is_done:
            # Closing has taken it out of the poll.
            del self._members[descriptor], self._masks[descriptor]
            if isinstance(member, Client):
                self._clients -= 1
                if listener := self._own.pop(member.case.own_port, None):
                    del self._listeners[listener.fileno()]
                    listener.close()
                if judge:
                    self._judge(member)
            return
        mask = self._mask(member.stream)
        if mask != self._masks[descriptor]:
            self._masks[descriptor] = mask
            self._poll.modify(descriptor, mask)

    def _mask(self, stream: Stream) -> int:
        return select.EPOLLIN | (select.EPOLLOUT if stream.wants_to_send else 0)

    # MARK: Origins

    def _listen(self) -> Ports:
        makers: list[Callable[[socket.socket], Peer]] = [
            lambda connection: OriginConnection(connection, self),
            lambda connection: OriginConnection(connection, self),
            lambda connection: OriginConnection(connection, self, self._identity),
            EchoConnection,
        ]
        authorities = []
        for number, make in enumerate(makers):
            self._open(self.job.port + number, make)
            authorities.append(f"{self.job.address}:{self.job.port + number}".encode())
        proxy = "{}:{}".format(*self.job.proxy).encode()
        return Ports(*authorities, proxy=proxy, address=self.job.address, first_own=self.job.port + len(makers))

    def _open(self, port: int, make: Callable[[socket.socket], Peer]) -> socket.socket:
        listener = socket.create_server((self.job.address, port), backlog=1024)
        listener.setblocking(False)
        self._listeners[listener.fileno()] = (listener, make)
        self._poll.register(listener, select.EPOLLIN)
        return listener

    def head_arrived(self, request: Request, head: bytes) -> Exchange | None:
        """Finds what the origin is to answer."""
        self.counts["arrived"] += 1
        found = list(tokens_in(head, self.job.seed))
        if self.job.shows:
            print(f"arrived {head!r}")
        if not found:
            return None
        if len({token.case for token in found}) > 1:
            self._fail(None, f"one request with tokens of several connections: {head[:_SHOWN]!r}", b"")
        case = self._cases.get(found[0].case)
        if not case:
            return None
        self._seen.setdefault(case.number, []).append(f"head {request.method!r} {request.target!r}")
        if any(_OUR_NAME.search(via) for via in request.values(b"via")):
            self._fail(case, f"a Via of ours, which changes answers: {head[:_SHOWN]!r}", b"")
        reading = case.reading
        known = reading.requests + ([reading.partial] if reading.partial else [])
        if not any((each.method, origin_form(each.method, each.target)) == (request.method, request.target) for each in known):
            self._fail(case, f"a request arrived that nobody has made: {head[:_SHOWN]!r}", b"")
        token = found[0]
        exchange = case.exchanges[token.index] if token.index < len(case.exchanges) else None
        if exchange and exchange.reply and exchange.request.method == request.method:
            return exchange
        mark = token.encoded(self.job.seed)
        return Exchange(token, mark, case.exchanges[0].request, None, [plain_answer(mark, request)])

    def request_arrived(self, request: Request, data: bytes) -> None:
        found = list(tokens_in(data, self.job.seed))
        if not found or not (case := self._cases.get(found[0].case)):
            return
        if len({token.case for token in found}) > 1:
            self._fail(case, f"one request with tokens of several connections: {data[:_SHOWN]!r}", b"")
        self._seen.setdefault(case.number, []).append("whole")
        signature = (request.method, request.target, request.body)
        made = sum(each.signature == signature for each in case.reading.requests)
        if not made:
            self._fail(case, f"a request arrived that was not made so: {data[:_SHOWN]!r}", b"")
        self._arrivals[case.number, signature] += 1
        # One that found its connection closed may be sent again.
        allowed = 2 * made if request.method in IDEMPOTENT else made
        if self._arrivals[case.number, signature] > allowed:
            self._fail(case, f"a request made {made} times arrived once more: {data[:_SHOWN]!r}", b"")

    def nonsense_arrived(self, data: bytes) -> None:
        found = next(iter(tokens_in(data, self.job.seed)), None)
        case = self._cases.get(found.case) if found else None
        if case and case.kind is not Kind.TUNNEL:
            self._fail(case, f"what the proxy sent is no request: {data[:_SHOWN]!r}", b"")
        elif not found:
            self.counts["nonsense"] += 1

    # MARK: Verdicts

    def _judge(self, client: Client) -> None:
        case = client.case
        if self.job.shows:
            print(f"received {client.received!r}")
        for complaint in complaints(client, self.job.seed):
            self._fail(case, complaint, client.received)
        self.counts["answers"] += len(client.answers.finished)
        for answer in client.answers.finished:
            self.counts[f"{answer.status // 100}xx"] += 1
            self.answered.update(tokens_in(b"".join(answer.values(b"x-mark")), self.job.seed))

    def _fail(self, case: Case | None, what: str, received: bytes) -> None:
        failure: dict[str, object] = {"case": case.number if case else None, "what": what, "received": repr(received[:_SHOWN])}
        if case:
            failure |= _described(case) | {"arrived": self._seen.get(case.number, [])}
        self.failures.append(failure)

    def _at_origins(self, case: Case) -> str:
        """What waits there for the rest of a request."""
        marks = [exchange.mark for exchange in case.exchanges]
        waiting = [member.buffered for member in self._members.values() if isinstance(member, OriginConnection)]
        found = [data for data in waiting if any(mark in data for mark in marks)]
        return f"{len(found)} of {len(waiting)} connections of origins wait for more of it: {found!r:.1000}"

    def _close(self) -> None:
        for member in self._members.values():
            member.stream.close()
        for listener, _ in self._listeners.values():
            listener.close()


def _described(case: Case) -> dict[str, object]:
    return {
        "kind": case.kind.value,
        "through": case.through.value,
        "ending": f"{case.ending.value}, sent {case.sent_limit}, received {case.received_limit}",
        "segments": [repr(segment) for segment in case.segments],
        "reading": f"{[request.signature for request in case.reading.requests]!r:.{_SHOWN}}, then {case.reading.rest.value}",
        "replies": [
            {"segments": list(map(repr, exchange.segments)), "ending": exchange.ending.value, "sound": exchange.is_sound}
            for exchange in case.exchanges
        ],
    }


def _show(case: Case) -> None:
    print(f"case {case.number}: {case.kind.value} through {case.through.value}, ending {case.ending.value}")
    print(f"sends {case.segments!r}")
    found = [request.signature for request in case.reading.requests]
    print(f"read as {found!r}, then {case.reading.rest.value}")
    for number, exchange in enumerate(case.exchanges):
        print(f"answer {number}: {exchange.segments!r}, then {exchange.ending.value}")


def main() -> None:
    values = json.loads(sys.argv[1])
    job = Job(**{**values, "proxy": tuple(values["proxy"])})
    worker = Worker(job)
    started = time.monotonic()
    worker.run()
    result = {
        "counts": worker.counts, "failures": worker.failures, "answered": sorted(worker.answered),
        "seconds": time.monotonic() - started,
    }  # fmt: skip
    Path(job.result).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
