"""`scripts/lab/run h2spec`: the rules of RFC 9113 and RFC 7541 one by one, told to both sides of a program as frames.

The cases are those that h2spec and h2specd examine, written anew, and some more. nghttpd, nghttpx and nghttp are the
yardstick."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.certificates import Certificates
from lab.http2 import subjects
from lab.http2.codes import GOAWAY
from lab.http2.peer import Peer
from lab.http2.spec import both, client, origin
from lab.http2.spec.case import BOTH, CLIENT, ORIGIN, PATIENCE, Case
from lab.http2.subjects import Nghttp, Nghttpd, NoHTTP2, Subject, server_context
from lab.origin import Origin
from lab.process import ServerFailed
from lab.tool import Workspace, argument_parser, selection, write_json

ALL: list[Case] = [*client.ALL, *both.ALL, *origin.ALL]
# Where programs on libnghttp2 do otherwise: it forgets streams that have ended, and ignores late frames on them. No more is asked
# of others; it is said all the same.
FORGIVEN = {
    CLIENT: {
        "5.1 closed by RST_STREAM: DATA",
        "5.1 closed by RST_STREAM: HEADERS",
        "5.1 closed: DATA",
        "5.1 closed: HEADERS",
        "5.1.1 stream below an earlier one",
        # Passed on on purpose (docs/conformance/leniency.md).
        "8.2.1 blank at a value's end",
    },
    ORIGIN: {"5.1 closed by RST_STREAM: DATA", "5.1 closed by RST_STREAM: HEADERS", "5.1 closed: DATA"},
}
HUNG = "the client has no end of its exchange"


def main(words: list[str]) -> int:
    parser = argument_parser("h2spec", __doc__)
    parser.add_argument("--subject", choices=list(subjects.ALL), default="tapeline", help="what is examined (default: tapeline)")
    parser.add_argument("--leg", choices=sorted(BOTH), help="only this side of it")
    parser.add_argument("--only", metavar="TEXT", help="cases with this text in their title")
    parser.add_argument("--allow", metavar="N", type=int, default=0, help="so many cases may fail")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--verbose", action="store_true", help="a line for each case, not only for those that fail")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results there as well")
    arguments = parser.parse_args(words)
    kind = subjects.ALL[arguments.subject]
    legs = selection(parser, arguments.leg, sorted(BOTH))
    legs = [leg for leg in legs if (kind.serves if leg == CLIENT else kind.asks)]
    chosen = [(leg, case) for leg in legs for case in ALL if leg in case.legs and (arguments.only or "") in case.title]
    if arguments.list:
        for leg, case in chosen:
            print(f"{leg:6}  {case.title}")
        return 0
    with Workspace("h2spec") as workspace:
        certificates = Certificates(workspace.path / "certificates")
        certificates.make()
        results: list[dict] = []
        for leg in legs:
            examine = {CLIENT: as_clients, ORIGIN: as_origins}[leg]
            cases = [case for of, case in chosen if of == leg]
            results += examine(kind, workspace.path / leg, certificates, cases, arguments.verbose)
    failed = sum(result["complaint"] is not None and not result["forgiven"] for result in results)
    write_json(arguments.json, {"subject": arguments.subject, "cases": results})
    for leg in legs:
        of = [result for result in results if result["leg"] == leg]
        good = sum(result["complaint"] is None for result in of)
        print(f"{arguments.subject} as {'a server' if leg == CLIENT else 'a client'}: {good} of {len(of)} cases passed")
    return 1 if failed > arguments.allow else 0


Report = Callable[[Case, str | None], None]


def reporter(leg: str, results: list[dict], verbose: bool) -> Report:
    def report(case: Case, complaint: str | None) -> None:
        forgiven = case.title in FORGIVEN[leg]
        results.append({"leg": leg, "section": case.section, "name": case.name, "complaint": complaint, "forgiven": forgiven})
        if complaint or verbose:
            print(f"{leg:6}  {case.title}: {complaint or 'passed'}{' (forgiven)' if complaint and forgiven else ''}", flush=True)

    return report


def as_clients(kind: type[Subject], directory: Path, certificates: Certificates, cases: list[Case], verbose: bool) -> list[dict]:
    directory.mkdir(parents=True)
    results: list[dict] = []
    report = reporter(CLIENT, results, verbose)
    behind = Nghttpd(directory / "origin", certificates)
    behind.start()
    subject = behind if kind is Nghttpd else kind(directory / "subject", certificates, behind.tool.address[1])
    try:
        if subject is not behind:
            subject.start()
        for case in cases:
            try:
                peer = Peer(subject.connect(), authority=f"localhost:{subject.port or behind.tool.address[1]}")
            except (NoHTTP2, ServerFailed, OSError) as error:
                report(case, f"no connection: {error}")
                continue
            report(case, perform(case, peer))
            peer.close()
    finally:
        subject.stop()
        behind.stop()
    return results


def perform(case: Case, peer: Peer) -> str | None:
    if case.handshake and not peer.handshake(case.settings):
        return f"no handshake: {peer.ended}"
    case.act(peer)
    return case.expect.complaint(peer)


@dataclass
class Stage:
    """What the scripted origin does on the next connection, and what it found."""

    case: Case | None = None
    complaint: str | None = None
    reached: threading.Event | None = None
    done: threading.Event | None = None

    def set(self, case: Case) -> None:
        self.case, self.complaint = case, None
        self.reached, self.done = threading.Event(), threading.Event()


def as_origins(kind: type[Subject], directory: Path, certificates: Certificates, cases: list[Case], verbose: bool) -> list[dict]:
    directory.mkdir(parents=True)
    results: list[dict] = []
    report = reporter(ORIGIN, results, verbose)
    stage = Stage()
    with Origin(lambda connection: play(stage, connection), server_context(certificates)) as scripted:
        subject = kind(directory / "subject", certificates, scripted.port)
        try:
            subject.start()
            for case in cases:
                stage.set(case)
                try:
                    ended = ask(subject)
                except (NoHTTP2, ServerFailed, OSError) as error:
                    report(case, f"no connection: {error}")
                    continue
                report(case, judge(stage, ended))
        finally:
            subject.stop()
    return results


def play(stage: Stage, connection) -> None:
    case, done, reached = stage.case, stage.done, stage.reached
    if not case or not done or not reached or reached.is_set():
        # Another connection for the same question, such as a retry.
        return
    reached.set()
    peer = Peer(connection, is_client=False)
    try:
        if case.handshake:
            if not peer.handshake(case.settings):
                stage.complaint = f"no handshake: {peer.ended}"
                return
            asked = peer.first_head()
            if not asked:
                stage.complaint = f"no request: {peer.ended}"
                return
            peer.stream = asked.stream
        stage.complaint = perform_asked(case, peer)
    finally:
        done.set()


def perform_asked(case: Case, peer: Peer) -> str | None:
    case.act(peer)
    complaint = case.expect.complaint(peer)
    if not complaint and not peer.ended:
        # Nobody is kept waiting by a case that sent no answer.
        peer.raw(GOAWAY, 0, 0, bytes(8))
    return complaint


def judge(stage: Stage, ended: str) -> str | None:
    if not stage.reached or not stage.reached.is_set():
        return f"the origin was not asked; the client: {ended}"
    if not stage.done or not stage.done.wait(4 * PATIENCE):
        return "the origin did not come to an end"
    return stage.complaint or (HUNG if ended == "hung" else None)


def ask(subject: Subject) -> str:
    """A request whose answer the origin makes; returns how it ended for the client."""
    seconds = 3 * PATIENCE
    if isinstance(subject, Nghttp):
        return subject.run(seconds)
    peer = Peer(subject.connect(), authority=f"localhost:{subject.port}")
    try:
        if not peer.handshake():
            return f"no handshake: {peer.ended}"
        peer.head(fields=peer.fields(method="GET"))
        for came in peer.events(seconds):
            if came.stream == peer.stream and (came.ends_stream or came.name == "RSTSTREAM"):
                return str(came)
            if came.name == "GOAWAY" and came.code:
                return str(came)
        return peer.ended or "hung"
    finally:
        peer.close()
