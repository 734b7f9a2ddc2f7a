"""`scripts/lab/run hostile2`: peers that maltreat HTTP/2 frame by frame, on both sides of a program, and what that costs it.

Each attacker must be told by GOAWAY or RST_STREAM with a code that fits (or the attack must cost little), within time; memory,
processor
time and the latency of a neighbour have bounds; and the log has an entry of the attacker's request."""

from __future__ import annotations

import copy
import json
import multiprocessing
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from lab.certificates import Certificates
from lab.http2 import subjects
from lab.http2.hostile import catalogue
from lab.http2.hostile.attack import COUNT, Attack, Outcome, verdict
from lab.http2.peer import Peer
from lab.http2.subjects import Nghttpd, NoHTTP2, Subject, TapelineSubject, server_context
from lab.origin import Origin
from lab.process import Server, ServerFailed
from lab.proxy import FORGET_PEAK
from lab.tool import Workspace, argument_parser, progress, raise_descriptor_limit, selection, write_json
from lab.wire import PIECE

CLIENT, ORIGIN = "client", "origin"
ATTACKS = {CLIENT: catalogue.CLIENT, ORIGIN: catalogue.ORIGIN}
MOST_KIB = 64 << 10
MOST_SECONDS = 30.0
MOST_TRIES = 5
MOST_CPU_SECONDS = 10.0
# Below it, twice the value without an attack is noise of the machine.
LEAST_P99_MS = 20.0
NEIGHBOUR_SECONDS = 3.0
QUICK = 10


def main(words: list[str]) -> int:
    parser = argument_parser("hostile2", __doc__)
    names = list(dict.fromkeys(attack.name for attacks in ATTACKS.values() for attack in attacks))
    kinds = [name for name, kind in subjects.ALL.items() if kind.serves]
    parser.add_argument("--subject", choices=kinds, default="tapeline", help="what is maltreated (default: tapeline)")
    parser.add_argument("--leg", choices=list(ATTACKS), help="only on this side of it")
    parser.add_argument("--only", metavar="NAMES", help=f"a selection of {','.join(names)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the frames, and without a neighbour")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there as well")
    arguments = parser.parse_args(words)
    chosen = selection(parser, arguments.only, names)
    kind = subjects.ALL[arguments.subject]
    raise_descriptor_limit()
    with Workspace("hostile2") as workspace:
        certificates = Certificates(workspace.path / "certificates")
        certificates.make()
        rows: list[dict] = []
        for leg in selection(parser, arguments.leg, list(ATTACKS)):
            if leg == ORIGIN and not kind.asks:
                continue
            attacks = [attack for attack in ATTACKS[leg] if attack.name in chosen]
            examination = Examination(kind, workspace.path / leg, certificates, leg, arguments.quick)
            try:
                rows += examination.run(attacks)
            except (NoHTTP2, ServerFailed, OSError) as error:
                progress(f"{arguments.subject}: {error}")
                return 1
    write_json(arguments.json, {"subject": arguments.subject, "attacks": rows})
    bad = sum(bool(row["complaints"]) for row in rows)
    print(f"{arguments.subject}: {len(rows) - bad} of {len(rows)} attacks met")
    return 1 if bad else 0


class Cost:
    """Of a program, from here on."""

    def __init__(self, server: Server):
        self.server = server
        self.resident_kib = server.resident_kib()
        for pid in server.pids():
            Path(f"/proc/{pid}/clear_refs").write_text(FORGET_PEAK)
        self.cpu = server.cpu_seconds()

    def grown_kib(self) -> int:
        return self.server.peak_resident_kib() - self.resident_kib

    def cpu_seconds(self) -> float:
        return self.server.cpu_seconds() - self.cpu


class Examination:
    def __init__(self, kind: type[Subject], directory: Path, certificates: Certificates, leg: str, quick: bool):
        self.kind, self.directory, self.certificates, self.leg, self.quick = kind, directory, certificates, leg, quick
        self.count = COUNT // QUICK if quick else COUNT
        self.attack: Attack | None = None
        self.found: tuple[str, str | None] | None = None
        self.sent = 0
        self.done = threading.Event()
        self.honest_port = 0
        # How often the attacking origin was asked for one request.
        self.tries = 0

    def run(self, attacks: list[Attack]) -> list[dict]:
        self.directory.mkdir(parents=True)
        behind = Nghttpd(self.directory / "origin", self.certificates)
        behind.start()
        with Origin(self.play, server_context(self.certificates)) as hostile:
            self.honest_port = behind.tool.address[1]
            port = hostile.port if self.leg == ORIGIN else self.honest_port
            subject = behind if self.kind is Nghttpd else self.kind(self.directory / "subject", self.certificates, port)
            rows: list[dict] = []
            try:
                if subject is not behind:
                    subject.start()
                usual = self.neighbour(subject) if self.has_neighbour(subject) else None
                print(f"{'attack':24} {'leg':7} {'told':32} {'bytes sent':>12} {'MiB':>6} {'CPU s':>6} {'p99 ms':>7}")
                if usual is not None:
                    print(f"{'(none)':24} {self.leg:7} {'':32} {'':>12} {'':>6} {'':>6} {usual:7.1f}", flush=True)
                for attack in attacks:
                    rows.append(self.one(subject, attack, usual))
                self.check_end(subject, rows)
            finally:
                subject.stop()
                behind.stop()
        return rows

    def has_neighbour(self, subject: Subject) -> bool:
        # An origin that is hostile to one client is hostile to its neighbour: through tapeline there is another origin.
        return not self.quick and (self.leg == CLIENT or isinstance(subject, TapelineSubject))

    def one(self, subject: Subject, attack: Attack, usual: float | None) -> dict:
        server = subject.tool.server
        assert server, "it has been started"
        cost = Cost(server)
        started = time.monotonic()
        with self.measured(subject, usual) as latency:
            outcome = self.as_client(subject, attack) if self.leg == CLIENT else self.as_origin(subject, attack)
        outcome.seconds = time.monotonic() - started
        grown, cpu = cost.grown_kib(), cost.cpu_seconds()
        complaints = outcome.complaints
        if not server.is_running():
            raise server.failure(f"did not survive {attack.name}")
        if grown > MOST_KIB:
            complaints.append(f"{grown >> 10} MiB of memory")
        if cpu > MOST_CPU_SECONDS:
            complaints.append(f"{cpu:.1f} s of processor time")
        if outcome.seconds > MOST_SECONDS and not latency:
            complaints.append(f"{outcome.seconds:.0f} s until its end")
        p99 = latency[0] if latency else None
        if p99 is not None and usual is not None and p99 > max(2 * usual, LEAST_P99_MS):
            complaints.append(f"a neighbour's p99 is {p99:.1f} ms instead of {usual:.1f}")
        shown = "–" if p99 is None else f"{p99:.1f}"
        print(
            f"{attack.name:24} {self.leg:7} {outcome.told[:32]:32} {outcome.sent:12,} {grown / 1024:6.1f} {cpu:6.2f} {shown:>7}"
            + "".join(f"\n    {complaint}" for complaint in complaints),
            flush=True,
        )
        costs = {"grown_kib": grown, "cpu_seconds": round(cpu, 2), "neighbour_p99_ms": p99, "usual_p99_ms": usual}
        return {**asdict(outcome), **costs}

    def open(self, subject: Subject, settings: bytes = b"") -> Peer:
        behind = subject.port or subject.tool.address[1]
        peer = Peer(subject.connect(), authority=f"localhost:{behind}")
        if not peer.handshake(settings):
            raise NoHTTP2(f"no handshake: {peer.ended}")
        return peer

    def as_client(self, subject: Subject, attack: Attack) -> Outcome:
        peer = self.open(subject, attack.settings)
        peer.head(fields=peer.fields(method="POST", path=f"/hostile/{attack.name}"), end=False)
        attack.act(peer, self.count)
        how, complaint = verdict(attack, peer, peer.stream + 2)
        peer.close()
        return Outcome(attack.name, self.leg, how, peer.sent, 0, [complaint] if complaint else [])

    def play(self, connection) -> None:
        attack, done = self.attack, self.done
        if not attack or done.is_set():
            # A retry of what was answered.
            return
        peer = Peer(connection, is_client=False)
        if not peer.handshake(attack.settings):
            return
        asked = peer.first_head()
        if not asked:
            return
        peer.stream = asked.stream
        self.tries += 1
        attack.act(peer, self.count)
        self.found = verdict(attack, peer, peer.stream)
        self.sent = peer.sent
        done.set()

    def as_origin(self, subject: Subject, attack: Attack) -> Outcome:
        self.attack, self.found, self.sent, self.tries, self.done = attack, None, 0, 0, threading.Event()
        peer = self.open(subject)
        path = f"/hostile/{attack.name}"
        if attack.upload:
            peer.head(fields=peer.fields(method="POST", path=path), end=False)
            for _ in range(3):
                peer.data(bytes(codes_of_upload(attack)))
        else:
            peer.head(fields=peer.fields(path=path))
        ended = None
        deadline = time.monotonic() + MOST_SECONDS
        while time.monotonic() < deadline and not (self.done.is_set() and ended is None and attack.bearable):
            for came in peer.events(0.2):
                if (came.stream == peer.stream and (came.ends_stream or came.name == "RSTSTREAM")) or came.name == "GOAWAY":
                    ended = str(came)
            if peer.ended or (ended and self.done.is_set()):
                break
        # The attacker, on a thread of its own, may hear of the end later than the client.
        self.done.wait(5)
        how, complaint = self.found or ("–", "the attack did not come to its end")
        complaints = [complaint] if complaint else []
        if not ended and not peer.ended and not attack.bearable:
            complaints.append("the client waits for ever")
        if self.tries > MOST_TRIES:
            complaints.append(f"the origin was asked {self.tries} times")
        peer.close()
        return Outcome(attack.name, self.leg, how, self.sent, 0, complaints)

    @contextmanager
    def measured(self, subject: Subject, usual: float | None) -> Iterator[list[float]]:
        """A neighbour in a process of its own, whose p99 is in the list at the end."""
        latency: list[float] = []
        if usual is None:
            yield latency
            return
        with measured_neighbour(self.neighbour_place(subject)) as neighbour:
            yield latency
        latency.append(neighbour[0])

    def neighbour_place(self, subject: Subject) -> Subject:
        """The same program, toward an origin that behaves."""
        if self.leg == CLIENT:
            return subject
        place = copy.copy(subject)
        place.port = self.honest_port
        return place

    def neighbour(self, subject: Subject) -> float:
        with measured_neighbour(self.neighbour_place(subject)) as latency:
            pass
        return latency[0]

    def check_end(self, subject: Subject, rows: list[dict]) -> None:
        """Afterwards it works, and its log has an entry for each attacker's request."""
        if self.leg == CLIENT:
            peer = self.open(subject)
            peer.head()
            if not peer.wait_for(lambda came: came.value(":status") != ""):
                raise ServerFailed("a normal request gets no answer afterwards")
            peer.close()
        if not isinstance(subject, TapelineSubject):
            return
        subject.stop()
        urls = [
            entry["request"]["url"]
            for file in subject.tool.recordings()
            for entry in json.loads(file.read_text())["log"]["entries"]
        ]
        for row in rows:
            if not any(url.endswith(f"/hostile/{row['attack']}") for url in urls):
                row["complaints"].append("the log has no entry of it")
                print(f"{row['attack']:24} {self.leg:7} the log has no entry of it")


def codes_of_upload(attack: Attack) -> int:
    """A piece that a window of the default size takes three times."""
    return min(attack.upload, 16_000)


@contextmanager
def measured_neighbour(subject: Subject) -> Iterator[list[float]]:
    result: list[float] = []
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    process = multiprocessing.get_context("fork").Process(target=be_neighbour, args=(subject, theirs), daemon=True)
    process.start()
    try:
        yield result
        result.append(ours.recv() if ours.poll(NEIGHBOUR_SECONDS + 30) else float("inf"))
    finally:
        process.join(5)
        process.kill()


def be_neighbour(subject: Subject, answers) -> None:
    """A request every few milliseconds; sends the 99th percentile in milliseconds."""
    behind = subject.port or subject.tool.address[1]
    peer = Peer(subject.connect(), authority=f"localhost:{behind}")
    taken: list[float] = []
    if peer.handshake():
        ends = time.monotonic() + NEIGHBOUR_SECONDS
        stream = -1
        while time.monotonic() < ends and not peer.ended:
            stream += 2
            begun = time.monotonic()
            peer.head(stream)
            peer.wait_for(lambda came, wanted=stream: came.stream == wanted and came.ends_stream)
            taken.append((time.monotonic() - begun) * 1e3)
            peer.update(PIECE)
            time.sleep(0.005)
    taken.sort()
    answers.send(taken[len(taken) * 99 // 100] if taken else float("inf"))
