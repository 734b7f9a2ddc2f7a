"""Both ends of a proxy, written to the byte: a client that sends what a case says, and an origin that answers so."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass

from lab.compare.messages import HEAD_END, Message, final, requests, responses
from lab.origin import Origin
from lab.wire import PIECE, reset_on_close

# Silence after which a peer is taken to wait for more than it will get.
ORIGIN_PATIENCE = 0.4
CLIENT_PATIENCE = 4.0
# What a proxy is given to close a connection, or to send more than was asked for, after the last response.
LINGER = 0.25


@dataclass(frozen=True)
class Answer:
    """What the origin sends for one request. `early`: as soon as the head is there."""

    data: bytes
    close: bool = False
    reset: bool = False
    early: bool = False


class Wait:
    """In a client's script: go on when every response so far is complete."""


class HalfClose:
    """In a client's script: nothing more will be sent."""


Step = bytes | Wait | HalfClose


def default_answer(request: Message) -> Answer:
    """Says which request it answers, so that a mix-up shows."""
    body = b"" if request.start_line.startswith(b"HEAD ") else b"answer to " + request.target
    return Answer(b"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


class ScriptedOrigin(Origin):
    """Listens on a port of its own, so that no connection of another case is ever reused for this one."""

    def __init__(self, answers: list[Answer]):
        self.answers = answers
        self._answered = 0
        self._received: list[bytearray] = []
        self._turn = threading.Lock()
        super().__init__(self._answer)

    def received(self) -> list[bytes]:
        """Per connection, in the order in which they were opened; those on which nothing came left out."""
        with self._turn:
            return [bytes(each) for each in self._received if each]

    def _answer(self, connection: socket.socket) -> None:
        data = bytearray()
        with self._turn:
            self._received.append(data)
        served = continued = 0
        # A head of megabytes is looked at once, when it is whole.
        heads = False
        connection.settimeout(ORIGIN_PATIENCE)
        while True:
            try:
                more = connection.recv(PIECE)
                silent = False
            except TimeoutError:
                more, silent = b"", True
            with self._turn:
                data += more
            if not heads and more and not HEAD_END.search(data, max(len(data) - len(more) - 3, 0)):
                continue
            heads = True
            messages = requests(bytes(data))
            while served < len(messages):
                message = messages[served]
                answer = self._next_answer(message, message.complete or silent or not more)
                if not answer:
                    expects = message.has(b"Expect") and message.head.endswith(b"\n\r\n")
                    if expects and continued == served:
                        continued += 1
                        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                    break
                served += 1
                connection.sendall(answer.data)
                if answer.reset:
                    reset_on_close(connection)
                if answer.close or answer.reset:
                    return
            if not more and not silent:
                return

    def _next_answer(self, request: Message, ready: bool) -> Answer | None:
        with self._turn:
            answer = self.answers[self._answered] if self._answered < len(self.answers) else default_answer(request)
            if not (ready or (answer.early and request.head.endswith(b"\n\r\n"))):
                return None
            self._answered += 1
            return answer


@dataclass(frozen=True)
class Received:
    """What a client got, and how it ended."""

    data: bytes
    closed: bool
    # The end was a reset: nothing says that what came before it is whole.
    reset: bool = False
    # Nothing came for so long that the client gave up, with a response missing.
    silent: bool = False


def converse(address: str, script: list[Step], methods: list[bytes]) -> Received:
    """Sends `script` and reads until there is a response for each of `methods`, or the end."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=CLIENT_PATIENCE) as connection:
        client = Client(connection, methods)
        awaited = 0
        for step in script:
            match step:
                case Wait():
                    awaited += 1
                    client.read_responses(awaited)
                case HalfClose():
                    client.half_close()
                case bytes():
                    client.send(step)
        client.read_responses(len(methods))
        if not client.silent:
            client.linger()
    return Received(bytes(client.data), client.closed, client.reset, client.silent)


class Client:
    """One connection to a proxy, and all that came on it."""

    def __init__(self, connection: socket.socket, methods: list[bytes]):
        self.connection = connection
        self.methods = methods
        self.data = bytearray()
        self.closed = self.reset = self.silent = False
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        """In pieces, and reading in between: a proxy that has refused long since does not read to the end."""
        rest = memoryview(data)
        while rest and not self.closed:
            try:
                rest = rest[self.connection.send(rest[: 1 << 16]) :]
            except OSError:
                return
            if rest:
                self._receive(0)

    def half_close(self) -> None:
        try:
            self.connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def read_responses(self, count: int) -> None:
        """Until so many final responses are complete, or the connection ends, or the proxy is silent for too long."""
        deadline = time.monotonic() + CLIENT_PATIENCE
        while not self.closed and self._complete() < count:
            if not self._receive(deadline - time.monotonic()):
                self.silent = not self.closed
                return

    def linger(self) -> None:
        """For what comes behind the last response, and for the end."""
        while not self.closed and self._receive(LINGER):
            pass

    def _complete(self) -> int:
        return len([each for each in final(responses(bytes(self.data), self.methods, False)) if each.complete])

    def _receive(self, patience: float) -> bool:
        """False if nothing came, be it that nothing will."""
        try:
            self.connection.settimeout(max(patience, 0))
            more = self.connection.recv(1 << 20)
        except (TimeoutError, BlockingIOError):
            more = None
        except OSError:
            self.closed = self.reset = True
            return False
        finally:
            self.connection.settimeout(CLIENT_PATIENCE)
        if more is None:
            return False
        self.data += more
        self.closed = not more
        return bool(more)
