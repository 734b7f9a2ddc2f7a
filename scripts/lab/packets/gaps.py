"""`scripts/lab/run gaps`: the gaps between the events of a stream by the log, beside those of the packets that completed them.

Each protocol has one stream, whose origin pauses for 0.5 to 6 ms before each event, while loopback is captured. It exits with 1
if one gap of a hundred is off by more than the bound."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from lab.certificates import Certificates
from lab.http2.endpoint import Endpoint, Stream
from lab.origin import Exchange, serving
from lab.packets.capture import Capture
from lab.packets.flows import Bytes, Torn, assemble
from lab.packets.judgement import nanoseconds, percentile, scripted_entries
from lab.packets.script import PATIENCE, PROTOCOLS, Clients, Protocol, ScriptedOrigin
from lab.packets.tls import BEGINNING, decrypt, read_keys
from lab.proxy import Tapeline
from lab.tool import Verdict, Workspace, argument_parser, print_verdicts, progress, selection, targets, write_json
from lab.wire import chunk, read_response

BOUND_US = 50.0
PAUSES = 0.0005, 0.006
PATH = "/exchange/0/stream"
# Of `_chunks` (docs/har.md): five bits a digit, the last digit of a number from 32 on.
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def event(number: int) -> bytes:
    return f"data: {number:08}\n\n".encode()


def main(words: list[str]) -> int:
    parser = argument_parser("gaps", __doc__)
    parser.add_argument("--events", type=int, default=1_500, help="of each stream (default: %(default)d)")
    parser.add_argument("--only", metavar="PROTOCOLS", help=f"a selection of {','.join(PROTOCOLS)}")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every figure there")
    arguments = parser.parse_args(words)
    verdicts: list[Verdict] = []
    with Workspace("gaps") as workspace:
        certificates = Certificates(workspace.path / "certificates")
        certificates.make()
        for name in selection(parser, arguments.only, list(PROTOCOLS)):
            progress(PROTOCOLS[name].name)
            verdicts.append(measure(PROTOCOLS[name], workspace.path / name, certificates, arguments.events))
    met = print_verdicts(verdicts)
    write_json(arguments.json, {"targets": targets(verdicts)})
    return 0 if met else 1


def measure(protocol: Protocol, directory: Path, certificates: Certificates, count: int) -> Verdict:
    directory.mkdir()
    keys, authority = directory / "keys.log", directory / "ca"
    keys.touch(mode=0o600)
    proxy = Tapeline(directory / "proxy", ["--intercept", "--ca-dir", str(authority), "--upstream-ca", str(certificates.root)])
    proxy.start()
    try:
        with ScriptedOrigin(protocol, certificates, keys, origin(protocol, count)) as server:
            clients = Clients(protocol, proxy.address, server.port, authority / "ca.pem", keys)
            with Capture(clients.host, server.port) as capture:
                receive(clients, count)
    finally:
        proxy.stop()
    (entry,) = scripted_entries(proxy.recordings())
    (flow,) = (flow for flow in assemble(capture.packets) if flow.server != proxy.address)
    received = flow.received.bytes
    if received.data[:1] == BEGINNING:
        received = decrypt(flow.sent.bytes, received, read_keys(keys))[1].bytes
    packets, told = arrivals(received, count), recorded(entry, count)
    errors = [abs(a - b) / 1e3 for a, b in zip(between(packets), between(told))]
    merged = between(told).count(0)
    median, late, most = (percentile(errors, share) for share in (0.5, 0.99, 1))
    text = (
        f"{protocol.name}: {len(errors):,} gaps off by {median:.1f} µs in the median, {late:.1f} at p99 "
        f"(at most {BOUND_US:.0f}), {most:.1f} at most; {merged:,} events came with the one behind them"
    )
    return text, late <= BOUND_US


def between(stamps: list[int]) -> list[int]:
    return [after - before for before, after in pairwise(stamps)]


def arrivals(received: Bytes, count: int) -> list[int]:
    """When the packet came that completed each event, in nanoseconds."""
    stamps, place = [], 0
    for number in range(count):
        place = received.data.find(event(number), place) + len(event(number))
        stamps.append(received.came(place - 1))
    return stamps


def recorded(entry: dict, count: int) -> list[int]:
    """When the log says that the piece came that completed each event."""
    numbers, value, scale = [], 0, 1
    for digit in entry["_chunks"].split("+")[0].split(".")[0]:
        figure = DIGITS.index(digit)
        value, scale = value + (figure & 31) * scale, scale * 32
        if figure >= 32:
            numbers.append(value)
            value, scale = 0, 1
    stamps, stamp, size = [], nanoseconds(entry["startedDateTime"]), 0
    for gap, length in zip(numbers[::2], numbers[1::2]):
        stamp, size = stamp + gap * 1_000, size + length
        stamps += [stamp] * (size // len(event(0)) - len(stamps))
    if len(stamps) != count:
        raise Torn(f"the log has {len(stamps)} of {count} events")
    return stamps


def origin(protocol: Protocol, count: int) -> Callable[[socket.socket], None]:
    draw = random.Random(60)

    def events():
        for number in range(count):
            time.sleep(draw.uniform(*PAUSES))
            yield event(number)

    def answer(exchange: Exchange) -> bool:
        exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in events():
            exchange.send(chunk(piece))
        exchange.send("0\r\n\r\n")
        return True

    def serve(connection: socket.socket) -> None:
        endpoint = Endpoint(connection, is_client=False)

        def stream(request: Stream) -> None:
            if not request.is_complete:
                return
            endpoint.peer.head(request.number, [(":status", "200"), ("content-type", "text/event-stream")], end=False)
            for piece in events():
                endpoint.peer.data(piece, request.number)
            endpoint.peer.data(b"", request.number, end=True)

        if endpoint.begin():
            endpoint.run(stream, lambda: False, PATIENCE)

    return serve if protocol.is_multiplexed else serving(answer)


def receive(clients: Clients, count: int) -> None:
    with clients.connect() as connection:
        if clients.protocol.is_multiplexed:
            endpoint = Endpoint(connection, authority=clients.authority)
            endpoint.peer.scheme = "https" if clients.protocol.is_secure else "http"
            endpoint.begin()
            stream = endpoint.open(endpoint.peer.fields(method="GET", path=PATH), None)
            endpoint.run(lambda _: None, lambda: stream.is_over, PATIENCE + count * PAUSES[1])
        else:
            target = PATH if clients.protocol.is_secure else f"http://{clients.authority}{PATH}"
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {clients.authority}\r\n\r\n".encode())
            read_response(connection)
