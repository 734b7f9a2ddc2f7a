"""HTTP/2 on both legs: many streams on many connections, each with its token, of every size and end. The reader is
`hyperframe`'s."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.certificates import Certificates
from lab.http2.codes import Code
from lab.http2.endpoint import Endpoint, Stream
from lab.http2.subjects import NoHTTP2, secure_tunnel, server_context
from lab.origin import Origin
from lab.process import ServerFailed
from lab.torture.fuzz import judge_log, quarters
from lab.torture.scenario import Failed, Run, Scenario, Settings
from lab.torture.tokens import Token, tokens_in

QUICK_EXCHANGES = 600
# Streams of a connection at most, and at once.
STREAMS, AT_ONCE = 60, 30
CLIENTS_AT_ONCE = 8
SIZES = (0, 1, 100, 5_000, 40_000, 200_000)
PATIENCE = 60.0


@dataclass(frozen=True)
class Plan:
    """One exchange. The path says all of it, so that the origin needs no other word."""

    token: bytes
    upload: int | None
    download: int
    # Of the origin: `whole`, `early` before the upload has come, `cut` by a reset, `refused`, with `trailers`, with `interims`.
    manner: str
    # The client gives up when so many bytes of its content have left.
    leaves_after: int | None = None

    @property
    def path(self) -> str:
        return f"/{self.token.decode()}/{self.manner}/{self.download}/{self.upload or 0}"


def content(token: bytes, size: int) -> bytes:
    return (token * (size // len(token) + 1))[:size] if size else b""


def plan(draw: random.Random, token: bytes) -> Plan:
    upload = draw.choice((None, None, *SIZES))
    manner = draw.choices(("whole", "early", "cut", "refused", "trailers", "interims"), (50, 10, 10, 3, 15, 12))[0]
    leaves = draw.randrange(upload) if upload and draw.random() < 0.1 else None
    return Plan(token, upload, draw.choice(SIZES), manner, leaves)


class Answering:
    """The origin's side of one connection."""

    def __init__(self, endpoint: Endpoint, seed: int, problems: list[str], is_paired: bool):
        self.endpoint = endpoint
        self.is_paired = is_paired
        self.seed = seed
        self.problems = problems
        self.answered: set[int] = set()
        self.cases: set[int] = set()

    def happened(self, stream: Stream) -> None:
        if stream.reset is not None or stream.number in self.answered:
            return
        _, token, manner, download, upload = stream.value(":path").split("/")
        if manner == "early" or stream.is_complete:
            self.answered.add(stream.number)
            self.check(stream, token.encode(), int(upload))
            self.answer(stream, token, manner, int(download))

    def check(self, stream: Stream, token: bytes, upload: int) -> None:
        self.cases |= {each.case for each in tokens_in(token, self.seed)}
        if self.is_paired and len(self.cases) > 1:
            self.problems.append(f"an origin's connection carries requests of clients {sorted(self.cases)}")
        if stream.is_complete and bytes(stream.content) != content(token, upload):
            self.problems.append(f"{token.decode()}: {len(stream.content)} of {upload} bytes arrived, or others")
        if stream.value("x-mark").encode() != token:
            self.problems.append(f"{token.decode()}: arrived with the field of {stream.value('x-token')}")

    def answer(self, stream: Stream, token: str, manner: str, download: int) -> None:
        fields = [(":status", "200"), ("x-mark", token), ("content-type", "text/plain")]
        body = content(token.encode(), download)
        match manner:
            case "refused":
                self.endpoint.reset(stream, Code.ENHANCE_YOUR_CALM)
            case "cut":
                self.endpoint.answer(stream, fields, body, reset_after=download // 2)
            case "trailers":
                self.endpoint.answer(stream, fields, body, [("x-end", token)])
            case "interims":
                for _ in range(3):
                    self.endpoint.peer.head(stream.number, [(":status", "103"), ("x-mark", token)], end=False)
                self.endpoint.answer(stream, fields, body)
            case _:
                self.endpoint.answer(stream, fields, body)


def judge(stream: Stream, wanted: Plan, seed: int) -> str | None:
    """What a client finds wrong with an exchange that is over."""
    token = wanted.token.decode()
    texts = [bytes(stream.content), *(value.encode() for _, value in [*stream.fields, *stream.trailers])]
    strangers = {each for text in texts for each in tokens_in(text, seed)} - set(tokens_in(wanted.token, seed))
    if strangers:
        return f"{token}: holds {sorted(strangers)[:5]}"
    if wanted.leaves_after is not None:
        return None
    whole = content(wanted.token, wanted.download)
    if wanted.manner in ("cut", "refused"):
        if stream.is_complete and stream.reset is None:
            return f"{token}: was {wanted.manner}, and looks complete with status {stream.value(':status')}"
        return None if whole.startswith(bytes(stream.content)) else f"{token}: the part that came is not of it"
    if wanted.manner == "early" and stream.reset not in (None, Code.NO_ERROR) and bytes(stream.content) != whole:
        return f"{token}: an early answer was cut by code {stream.reset}"
    if bytes(stream.content) != whole or stream.value(":status") != "200":
        came = f"status {stream.value(':status')}, {len(stream.content)} of {len(whole)} bytes, code {stream.reset}"
        return f"{token} {wanted.manner}: {came}"
    if wanted.manner == "trailers" and ("x-end", token) not in stream.trailers:
        return f"{token}: without its trailers"
    return None


class Campaign:
    """Clients in threads, connection by connection, until so many `exchanges` were begun; `tunnel` gives a connection on which a
    preface comes next. `is_paired`: a connection to the origin carries requests of one client alone."""

    def __init__(self, tunnel, seed: int, exchanges: int, is_paired: bool = True):
        self.tunnel = tunnel
        self.seed = seed
        self.left = exchanges
        self.is_paired = is_paired
        self.problems: list[str] = []
        self.answered: set[tuple[int, int]] = set()
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._next = 0

    def serve(self, connection) -> None:
        endpoint = Endpoint(connection, is_client=False)
        if endpoint.begin():
            answering = Answering(endpoint, self.seed, self.problems, self.is_paired)
            endpoint.run(answering.happened, lambda: bool(self.problems), 10 * PATIENCE)

    def run(self, watch: Callable[[], object]) -> None:
        """Calls `watch` a few times a second."""
        threads = [threading.Thread(target=self._work) for _ in range(CLIENTS_AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                watch()
                thread.join(0.25)

    def _work(self) -> None:
        while not self.problems:
            with self._lock:
                if self.left <= 0:
                    return
                number = self._next
                self._next += 1
                draw = random.Random(f"{self.seed} http2 {number}")
                count = draw.randint(1, min(STREAMS, self.left))
                self.left -= count
            try:
                self._connection(number, draw, count)
            except (OSError, NoHTTP2, ServerFailed) as error:
                self.problems.append(f"client {number}: {error!r}")

    def _connection(self, number: int, draw: random.Random, count: int) -> None:
        endpoint = Endpoint(self.tunnel())
        if not endpoint.begin():
            raise NoHTTP2("no preface")
        plans = [plan(draw, Token(number, index).encoded(self.seed)) for index in range(count)]
        running: dict[int, Plan] = {}
        done: list[tuple[Stream, Plan]] = []

        def fill() -> None:
            while plans and len(running) < AT_ONCE:
                wanted = plans.pop()
                upload = None if wanted.upload is None else content(wanted.token, wanted.upload)
                method = "GET" if upload is None else "POST"
                fields = endpoint.peer.fields(("x-mark", wanted.token.decode()), method=method, path=wanted.path)
                stream = endpoint.open(fields, upload, reset_after=wanted.leaves_after)
                running[stream.number] = wanted

        def is_over() -> bool:
            for key in [key for key in running if endpoint.streams[key].is_over]:
                done.append((endpoint.streams.pop(key), running.pop(key)))
            fill()
            return not running

        fill()
        if not endpoint.run(lambda _: None, is_over, PATIENCE):
            missing = ", ".join(f"{wanted.path}" for wanted in list(running.values())[:3])
            ended = endpoint.peer.ended or endpoint.goaway or "silence"
            self.problems.append(f"client {number}: {len(running)} exchanges have no end ({ended}): {missing}")
        endpoint.close()
        self._settle(number, done)

    def _settle(self, number: int, done: list[tuple[Stream, Plan]]) -> None:
        with self._lock:
            self.counts["connections"] += 1
            for stream, wanted in done:
                self.counts["exchanges"] += 1
                self.counts[wanted.manner if wanted.leaves_after is None else "left"] += 1
                if complaint := judge(stream, wanted, self.seed):
                    self.problems.append(f"client {number}: {complaint}")
                elif stream.value(":status") == "200":
                    self.answered |= {tuple(token) for token in tokens_in(wanted.token, self.seed)}


def streams(run: Run) -> str:
    certificates = Certificates(run.directory / "certificates")
    roots = run.directory / "ca" / "ca.pem"

    def tunnel():
        return secure_tunnel(run.proxy.address, origin.port, roots, PATIENCE)

    campaign = Campaign(tunnel, run.seed, QUICK_EXCHANGES if run.quick else run.exchanges)
    samples: list[int] = []
    with Origin(campaign.serve, server_context(certificates)) as origin:
        campaign.run(lambda: samples.append(run.proxy.running.resident_kib()))
    memory = quarters(samples)
    run.figures |= {"counts": dict(sorted(campaign.counts.items())), "resident_kib": memory}
    run.judge_log = lambda: judge_log(run, campaign.answered)
    if campaign.problems:
        raise Failed(f"{len(campaign.problems)} problems:\n    " + "\n    ".join(campaign.problems[:5]))
    counts = campaign.counts
    cut = counts["cut"] + counts["refused"]
    growth = ", ".join(f"{kib / 1024:.0f}" for kib in memory)
    about = f"{counts['exchanges']:,} exchanges in {counts['connections']:,} connections of HTTP/2, {cut:,} cut"
    return f"{about}, resident {growth} MiB"


def prepare(directory: Path, _: Settings) -> None:
    Certificates(directory / "certificates").make()


SCENARIOS = [
    Scenario(
        "http2", "many streams with tokens on both legs, of every size, reset and answered early", streams, prepare=prepare,
        options=("--intercept", "--ca-dir", "{directory}/ca", "--upstream-ca", "{directory}/certificates/root.pem",
            "--rotate-size", "32MiB"),
        # 240 streams at once have up to 400 kB each, and the allocator keeps the most of that. How much depends on how busy the
        # machine is: it was 21, 38 and 33 MiB after 3,000, 6,000 and 100,000 exchanges, reached in the first quarter.
        grows_kib=64 << 10,
    ),
]  # fmt: skip
