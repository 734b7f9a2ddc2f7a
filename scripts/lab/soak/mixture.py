"""The soak's client: a mixture of exchanges at a steady rate, each judged. Run as `python3 -m lab.soak.mixture JSON`, the fields
of `Setting`; prints a line of JSON with what has happened in each second.

The load is open: an exchange begins when its time has come, whether others have ended or not, so that a proxy that stalls is not
spared."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from lab.wire import PIECE, ResponseReader, chunk, connect_request

# Of each hundred exchanges.
WEIGHTS = {
    "small": 34, "medium": 8, "document": 8, "chunked": 8, "delayed": 3, "post": 8, "upload": 4, "closing": 4,
    "secure": 8, "handshake": 2, "tunnel": 4, "missing": 3, "refused": 2, "truncated": 2, "reset": 1, "abandoned": 1,
}  # fmt: skip
MOST_IN_FLIGHT = 1000
# A connection that has idled this long is left for the proxy to close.
FRESH_SECONDS = 5
TIMEOUT_SECONDS = 20


class Unexpected(Exception):
    """What came is not what had to come."""


class Broken(Unexpected):
    """The response is not whole."""


@dataclass(frozen=True)
class Setting:
    proxy: int
    plain: int
    secure: int
    refused: int
    # The authority that the proxy opens HTTPS with.
    authority: str
    rate: float
    seconds: float
    seed: int
    kinds: list[str]


class Connection:
    """To the proxy, perhaps through a tunnel of it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader = reader
        self.writer = writer
        self.idle_since = 0.0

    async def exchange(self, request: bytes) -> ResponseReader:
        self.writer.write(request)
        answer = ResponseReader()
        while not answer.receive(await self.reader.read(PIECE)):
            pass
        if not answer.complete:
            raise Broken("the body was cut off" if answer.status else "no head came")
        return answer

    def close(self) -> None:
        self.writer.close()


class Pool:
    """Idle connections of one sort, the newest first."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]]):
        self.connect = connect
        self.idle: list[Connection] = []
        # Those that the proxy is to close.
        self.left: list[Connection] = []

    async def take(self) -> Connection:
        while self.idle:
            connection = self.idle.pop()
            if connection.reader.at_eof():
                connection.close()
            elif time.monotonic() - connection.idle_since > FRESH_SECONDS:
                self.left.append(connection)
            else:
                return connection
        return await self.connect()

    def give(self, connection: Connection, answer: ResponseReader) -> None:
        if answer.fields.get("connection", "").lower() == "close":
            connection.close()
            return
        connection.idle_since = time.monotonic()
        self.idle.append(connection)

    def collect(self) -> None:
        """Closes our end of those that the proxy has closed."""
        for connection in self.left:
            if connection.reader.at_eof():
                connection.close()
        self.left = [connection for connection in self.left if not connection.reader.at_eof()]

    def close(self) -> None:
        for connection in self.idle + self.left:
            connection.close()


class Load:
    def __init__(self, setting: Setting):
        self.setting = setting
        self.chance = random.Random(setting.seed)
        self.trust = ssl.create_default_context(cafile=setting.authority)
        self.plain_pool = Pool(self.connect)
        self.secure_pool = Pool(self.connect_secure)
        self.sent: Counter[str] = Counter()
        self.latencies: defaultdict[str, list[int]] = defaultdict(list)
        self.failures: list[str] = []
        self.late = 0

    async def run(self) -> None:
        kinds = [kind for kind, weight in WEIGHTS.items() if kind in self.setting.kinds for _ in range(weight)]
        in_flight: set[asyncio.Task[None]] = set()
        reporting = asyncio.create_task(self.report())
        started = time.monotonic()
        for number in range(int(self.setting.rate * self.setting.seconds)):
            await asyncio.sleep(max(0.0, started + number / self.setting.rate - time.monotonic()))
            if len(in_flight) >= MOST_IN_FLIGHT:
                self.late += 1
                continue
            task = asyncio.create_task(self.one(self.chance.choice(kinds), f"{self.setting.seed}-{number}"))
            in_flight.add(task)
            task.add_done_callback(in_flight.discard)
        await asyncio.gather(*in_flight)
        reporting.cancel()
        for pool in (self.plain_pool, self.secure_pool):
            pool.close()
        self.print_line()

    async def one(self, kind: str, number: str) -> None:
        self.sent[kind] += 1
        begun = time.monotonic()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await getattr(self, kind)(kind, number)
            self.latencies[kind].append(int((time.monotonic() - begun) * 1e6))
        except (Unexpected, OSError, ValueError, KeyError, TimeoutError) as error:
            self.failures.append(f"{kind} {number}: {error!r}")

    async def report(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.print_line()
            self.plain_pool.collect()
            self.secure_pool.collect()

    def print_line(self) -> None:
        line = {"sent": self.sent, "latencies": self.latencies, "failures": self.failures, "late": self.late}
        print(json.dumps(line), flush=True)
        self.sent, self.latencies, self.failures, self.late = Counter(), defaultdict(list), [], 0

    # Connections

    async def connect(self) -> Connection:
        return Connection(*await asyncio.open_connection("127.0.0.1", self.setting.proxy))

    async def connect_through(self, authority: str) -> Connection:
        connection = await self.connect()
        connection.writer.write(connect_request(authority))
        head = await connection.reader.readuntil(b"\r\n\r\n")
        expect(head.startswith(b"HTTP/1.1 200 "), f"CONNECT was answered with {head!r}")
        return connection

    async def connect_secure(self) -> Connection:
        connection = await self.connect_through(f"localhost:{self.setting.secure}")
        await connection.writer.start_tls(self.trust, server_hostname="localhost")
        return connection

    # Requests

    def request(self, kind: str, number: str, method: str = "GET", rest: bytes = b"\r\n", port: int | None = None) -> bytes:
        """`rest` is what follows the first fields: more fields, the empty line, the body."""
        authority = f"127.0.0.1:{port or self.setting.plain}"
        return f"{method} http://{authority}/{kind}?n={number} HTTP/1.1\r\nHost: {authority}\r\n".encode() + rest

    async def plain_exchange(self, request: bytes) -> ResponseReader:
        connection = await self.plain_pool.take()
        try:
            answer = await connection.exchange(request)
        except BaseException:
            connection.close()
            raise
        self.plain_pool.give(connection, answer)
        return answer

    async def secure_exchange(self, connection: Connection, kind: str, number: str) -> ResponseReader:
        request = f"GET /{kind}?n={number} HTTP/1.1\r\nHost: localhost:{self.setting.secure}\r\n\r\n".encode()
        try:
            answer = await connection.exchange(request)
            expect_answer(answer, 200, number)
        except BaseException:
            connection.close()
            raise
        return answer

    # Kinds of exchanges, by their names in `WEIGHTS`

    async def small(self, kind: str, number: str) -> None:
        expect_answer(await self.plain_exchange(self.request(kind, number)), 200, number)

    medium = chunked = delayed = small

    async def document(self, kind: str, number: str) -> None:
        answer = await self.plain_exchange(self.request(kind, number))
        expect(answer.status == 200 and json.loads(answer.body)["number"] == number, "another's JSON")

    async def missing(self, kind: str, number: str) -> None:
        expect_answer(await self.plain_exchange(self.request(kind, number)), 404, number)

    async def post(self, kind: str, number: str) -> None:
        content = b"posted=text&" * 350
        rest = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content)
        expect_count(await self.plain_exchange(self.request(kind, number, "POST", rest)), number, content)

    async def upload(self, kind: str, number: str) -> None:
        content = b"uploaded " * 2000
        chunks = b"".join(chunk(content[start : start + 3000]) for start in range(0, len(content), 3000))
        rest = b"Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + chunk(b"")
        expect_count(await self.plain_exchange(self.request(kind, number, "PUT", rest)), number, content)

    async def closing(self, kind: str, number: str) -> None:
        connection = await self.connect()
        try:
            expect_answer(await connection.exchange(self.request(kind, number, rest=b"Connection: close\r\n\r\n")), 200, number)
            expect(await connection.reader.read() == b"", "bytes behind the last answer")
        finally:
            connection.close()

    async def secure(self, kind: str, number: str) -> None:
        connection = await self.secure_pool.take()
        self.secure_pool.give(connection, await self.secure_exchange(connection, kind, number))

    async def handshake(self, kind: str, number: str) -> None:
        connection = await self.connect_secure()
        await self.secure_exchange(connection, kind, number)
        connection.close()

    async def tunnel(self, kind: str, number: str) -> None:
        authority = f"127.0.0.1:{self.setting.plain}"
        connection = await self.connect_through(authority)
        try:
            request = f"GET /{kind}?n={number} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode()
            expect_answer(await connection.exchange(request), 200, number)
        finally:
            connection.close()

    async def refused(self, kind: str, number: str) -> None:
        answer = await self.plain_exchange(self.request(kind, number, port=self.setting.refused))
        expect(answer.status == 502, f"{answer.status} for an origin that refuses")

    async def reset(self, kind: str, number: str) -> None:
        answer = await self.plain_exchange(self.request(kind, number))
        expect(answer.status == 502, f"{answer.status} for an origin that resets")

    async def truncated(self, kind: str, number: str) -> None:
        try:
            await self.plain_exchange(self.request(kind, number))
        except Broken as error:
            expect("cut off" in str(error), str(error))
        else:
            raise Unexpected("a truncated body was made to look complete")

    async def abandoned(self, kind: str, number: str) -> None:
        connection = await self.connect()
        try:
            connection.writer.write(self.request(kind, number))
            answer = ResponseReader()
            while len(answer.body) < len(number) and not answer.receive(await connection.reader.read(PIECE)):
                pass
            expect(answer.status == 200 and answer.body.startswith(number.encode()), "another's body")
        finally:
            connection.close()


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Unexpected(otherwise)


def expect_answer(answer: ResponseReader, status: int, number: str) -> None:
    expect(answer.status == status, f"status {answer.status}: {answer.body[:120]!r}")
    expect(answer.body.startswith(f"{number} ".encode()), f"the body is not that of {number}: {answer.body[:40]!r}")


def expect_count(answer: ResponseReader, number: str, content: bytes) -> None:
    """The origin tells how much of `content` it got."""
    expected = f"{number} {len(content)}".encode()
    expect(answer.status == 200 and answer.body == expected, f"{answer.status} {answer.body[:80]!r}")


if __name__ == "__main__":
    asyncio.run(Load(Setting(**json.loads(sys.argv[1]))).run())
