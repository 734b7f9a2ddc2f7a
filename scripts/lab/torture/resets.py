"""Connections that the client or the origin resets, in every state that an exchange, a tunnel or a handshake can be in."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

from lab.certificates import Certificates
from lab.origin import Origin
from lab.torture.scenario import REFUSED_CERTIFICATE, Failed, Run, Scenario, Settings
from lab.torture.stage import BODY, CHUNKED, OK, PATIENCE, WHOLE, Stage, expect, nothing, sending, tunnel
from lab.wire import HOST, ResponseReader, connect, connect_request, get, read_response, reset

TIMES, QUICK_TIMES = 25, 5
# More than all buffers between the peers hold.
LARGE = 8 << 20
INTERCEPTION = (
    "--intercept", "--strict", "--ca-dir", "{directory}/ca", "--upstream-ca", "{directory}/certificates/root.pem",
)  # fmt: skip


def prepare(directory: Path, settings: Settings) -> None:
    Certificates(directory / "certificates").make()


class Clients:
    """How a client comes into each state; each method returns the connection that is to be reset."""

    def __init__(self, run: Run):
        self.run = run
        self.trust = ssl.create_default_context(cafile=str(run.directory / "ca" / "ca.pem"))
        self.identity = Certificates(run.directory / "certificates").server_context()

    def send(self, data: bytes) -> socket.socket:
        client = connect(self.run.proxy.address, timeout=PATIENCE)
        client.sendall(data)
        return client

    def accepted(self, stage: Stage) -> socket.socket:
        return self.send(b"")

    def in_the_head(self, stage: Stage) -> socket.socket:
        return self.send(get(stage.url("/"))[:-10])

    def post(self, stage: Stage, body: bytes) -> socket.socket:
        head = f"POST {stage.url('/')} HTTP/1.1\r\nHost: {HOST}:{stage.port}\r\nContent-Length: {LARGE}\r\n\r\n"
        return self.send(head.encode() + body)

    def before_the_body(self, stage: Stage) -> socket.socket:
        client = self.post(stage, b"")
        stage.wait_until_reached()
        return client

    def in_the_body(self, stage: Stage) -> socket.socket:
        client = self.post(stage, bytes(LARGE // 8))
        stage.wait_until_reached()
        return client

    def waiting(self, stage: Stage) -> socket.socket:
        client = self.send(get(stage.url("/"), close=False))
        stage.wait_until_reached()
        return client

    def after_some_body(self, stage: Stage) -> socket.socket:
        client = self.waiting(stage)
        expect(client.recv(1 << 16).startswith(b"HTTP/1.1 200"), "the response did not begin")
        return client

    def idle(self, stage: Stage) -> socket.socket:
        client = self.waiting(stage)
        expect(read_response(client).complete, "the response was cut off")
        return client

    def pipelining(self, stage: Stage) -> socket.socket:
        client = self.send(get(stage.url("/"), close=False) * 20)
        stage.wait_until_reached()
        return client

    def in_a_tunnel(self, stage: Stage) -> socket.socket:
        client = tunnel(self.run, stage.port)
        client.sendall(b"bytes for the other end")
        stage.wait_until_reached()
        return client

    def before_a_tunnel(self, stage: Stage) -> socket.socket:
        """The origin's kernel answers nothing: its queue is full."""
        return self.send(connect_request(f"{HOST}:{stage.port}"))

    # Through TLS that the proxy opens

    def hello(self) -> bytes:
        outgoing = ssl.MemoryBIO()
        try:
            self.trust.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
        except ssl.SSLWantReadError:
            pass
        return outgoing.read()

    def in_the_hello(self, stage: Stage) -> socket.socket:
        client = tunnel(self.run, stage.port, "localhost")
        client.sendall(self.hello()[:40])
        return client

    def in_the_handshake(self, stage: Stage) -> socket.socket:
        client = tunnel(self.run, stage.port, "localhost")
        client.sendall(self.hello())
        expect(client.recv(1 << 16)[:1] == b"\x16", "TLS was not answered")
        return client

    def secured(self, stage: Stage) -> ssl.SSLSocket:
        """An end without close_notify is no end of a message (RFC 8446, section 6.1): reading it raises."""
        client = tunnel(self.run, stage.port, "localhost")
        return self.trust.wrap_socket(client, server_hostname="localhost", suppress_ragged_eofs=False)

    def secured_waiting(self, stage: Stage) -> socket.socket:
        client = self.secured(stage)
        client.sendall(f"GET / HTTP/1.1\r\nHost: localhost:{stage.port}\r\n\r\n".encode())
        stage.wait_until_reached()
        return client

    def secured_after_some_body(self, stage: Stage) -> socket.socket:
        client = self.secured_waiting(stage)
        expect(client.recv(1 << 16).startswith(b"HTTP/1.1 200"), "the response did not begin")
        return client


def flooding(connection: socket.socket) -> None:
    """More than a client takes that does not read: the sender is stuck in the middle, and its other half is told of the end."""
    threading.Thread(target=_send_quietly, args=(connection, OK + b"Content-Length: %d\r\n\r\n" % LARGE + bytes(LARGE))).start()


def _send_quietly(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        pass


BEGUN = OK + b"Content-Length: %d\r\n\r\n" % LARGE + BODY


def clients(run: Run) -> str:
    """What the client leaves behind is left by the proxy as well: the origin's connection ends."""
    by = Clients(run)
    plain: list[tuple[Callable[[Stage], socket.socket], Callable[[socket.socket], None], bool]] = [
        (by.accepted, nothing, False),
        (by.in_the_head, nothing, False),
        (by.before_the_body, nothing, True),
        (by.in_the_body, nothing, True),
        (by.waiting, nothing, True),
        (by.waiting, sending(b"HTTP/1.1 200 OK\r\nContent-"), True),
        (by.waiting, sending(b"HTTP/1.1 103 Early Hints\r\n\r\n"), True),
        (by.after_some_body, sending(BEGUN), True),
        (by.waiting, flooding, True),
        (by.idle, sending(WHOLE), False),
        (by.pipelining, sending(WHOLE), False),
        (by.in_a_tunnel, nothing, True),
    ]
    secure = [
        (by.in_the_hello, nothing, False),
        (by.in_the_handshake, nothing, False),
        (by.secured, nothing, False),
        (by.secured_waiting, nothing, True),
        (by.secured_after_some_body, sending(BEGUN), True),
    ]
    times = QUICK_TIMES if run.quick else TIMES
    for states, context in ((plain, None), (secure, by.identity)):
        for arrive, act, ends_upstream in states:
            # A connection upstream that stays good is asked again.
            stage = Stage(act, context, always=not ends_upstream)
            try:
                for _ in range(times):
                    reset(arrive(stage))
                    if ends_upstream:
                        expect(stage.ended.acquire(timeout=PATIENCE), f"{arrive.__name__}: the origin's connection stays open")
            except (Failed, OSError) as error:
                raise Failed(f"client, {arrive.__name__}: {error!r}") from error
            finally:
                stage.close()
    unanswering(by, times)
    return f"{len(plain) + len(secure) + 1} states in which clients reset, {times} times each"


def unanswering(by: Clients, times: int) -> None:
    """Clients that leave while their connection upstream is still being opened, which takes as long as the proxy is patient."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind((HOST, 0))
        listener.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        stage = Stage(nothing)
        stage.close()
        stage.port = listener.getsockname()[1]
        for _ in range(times):
            client = by.before_a_tunnel(stage)
            while by.run.proxy.metrics()["tapeline_tunnels_open"] + by.run.proxy.metrics()["tapeline_requests_in_flight"] < 2:
                pass
            reset(client)


def origins(run: Run) -> str:
    """A client whose origin resets is told so, or, when it is too late for that, cut off; never left waiting."""
    by = Clients(run)

    def refused(response: ResponseReader) -> bool:
        return response.status == 502 and response.complete

    def cut(response: ResponseReader) -> bool:
        """What the proxy had not read yet is lost with the connection."""
        return (response.status == 200 and not response.complete) or refused(response)

    def refused_or_lost(response: ResponseReader) -> bool:
        return response.status in (0, 502)

    def begin(data: bytes) -> Callable[[socket.socket], None]:
        def act(connection: socket.socket) -> None:
            connection.sendall(data)
            reset(connection)

        return act

    length = OK + b"Content-Length: 1000\r\n\r\n"
    request = b"GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n"
    upload = b"POST {url} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n"
    cases: list[tuple[str, bytes, bytes, Callable[[ResponseReader], bool]]] = [
        ("when asked", request, b"", refused),
        ("in the request's body", upload + b"some", b"", refused_or_lost),
        ("in the status line", request, b"HTTP/1.1 20", refused),
        ("in the head", request, OK + b"X: ", refused),
        ("after an interim response", request, b"HTTP/1.1 103 Early Hints\r\n\r\n", refused),
        ("in a body with a length", request, length + BODY, cut),
        ("in a chunk", request, CHUNKED + b"64\r\n" + BODY, cut),
        ("before the last chunk", request, CHUNKED + b"%x\r\n%s\r\n" % (len(BODY), BODY), cut),
        ("in a body without a length", request, OK + b"Connection: close\r\n\r\n" + BODY, cut),
    ]
    times = QUICK_TIMES if run.quick else TIMES
    for secure in (False, True):
        for name, text, sent, judge in cases:
            stage = Stage(begin(sent), by.identity if secure else None)
            url = "/" if secure else stage.url("/")
            data = text.replace(b"{url}", url.encode()).replace(b"{host}", b"localhost:%d" % stage.port)
            try:
                for _ in range(times):
                    with by.secured(stage) if secure else connect(run.proxy.address, timeout=PATIENCE) as client:
                        client.sendall(data)
                        response = read_response_of_broken(client)
                    expect(judge(response), f"it got {response.status}, {'whole' if response.complete else 'cut off'}")
            except (Failed, OSError) as error:
                raise Failed(f"origin resets {name}{' over TLS' if secure else ''}: {error}") from error
            finally:
                stage.close()
    others(by, times)
    return f"{2 * len(cases) + 3} states in which origins reset, {times} times each"


def read_response_of_broken(client: socket.socket) -> ResponseReader:
    """A reset from the proxy is an end as well."""
    reader = ResponseReader()
    try:
        while not reader.receive(client.recv(1 << 16)):
            pass
    except (ConnectionResetError, ssl.SSLError):
        reader.status = 200
    return reader


def others(by: Clients, times: int) -> None:
    """Resets outside of exchanges."""

    def reset_when_spoken_to(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        reset(connection)

    def answer_and_reset(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(WHOLE)
        taken.acquire(timeout=PATIENCE)
        reset(connection)

    taken = threading.Semaphore(0)
    with Origin(reset_when_spoken_to) as resetting, Origin(answer_and_reset) as idle:
        for _ in range(times):
            client = tunnel(by.run, resetting.port)
            client.sendall(b"bytes for the other end")
            expect(ended(client), "a tunnel outlives the connection that it leads to")
        for _ in range(times):
            # The proxy opens the way to the origin before it answers TLS, or it says 502 inside.
            try:
                with by.trust.wrap_socket(tunnel(by.run, resetting.port, "localhost"), server_hostname="localhost") as client:
                    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    status = read_response(client).status
                expect(status == 502, f"a TLS handshake that the origin reset became {status}")
            except (ssl.SSLError, ConnectionError):
                pass
        client = connect(by.run.proxy.address, timeout=PATIENCE)
        for _ in range(times):
            body = asked_again(client, idle.url("/"))
            if body is None:
                # The client's connection lasts as long as the origin's: it may end with it, and a client then asks again.
                client.close()
                client = connect(by.run.proxy.address, timeout=PATIENCE)
                body = asked_again(client, idle.url("/"))
            expect(body == BODY, "after an idle connection was reset the next request failed")
            taken.release()
        client.close()


def asked_again(client: socket.socket, url: str) -> bytes | None:
    """The body of the response, or nothing if the connection has ended instead."""
    try:
        client.sendall(get(url, close=False))
        response = read_response(client)
    except ConnectionError:
        return None
    return response.body if response.status else None


def ended(client: socket.socket) -> bool:
    try:
        with client:
            return client.recv(1) == b""
    except ConnectionResetError:
        return True


SCENARIOS = [
    Scenario("client-resets", "clients that reset in every state of an exchange, a tunnel or a handshake", clients,
             options=INTERCEPTION, prepare=prepare, expected=(REFUSED_CERTIFICATE,)),
    Scenario("origin-resets", "origins that reset in every state of an exchange, a tunnel or a handshake", origins,
             options=INTERCEPTION, prepare=prepare),
]  # fmt: skip
