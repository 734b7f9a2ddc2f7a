"""A case: everything that one client connection does, and what origins answer to it, from nothing but the seed and a number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from lab.torture import grammar, reference
from lab.torture.grammar import Outgoing, Reply
from lab.torture.mutation import garbage, mutate
from lab.torture.reference import Reading
from lab.torture.tokens import Token


class Kind(Enum):
    """What is unusual about it."""

    VALID = "valid"
    REQUEST = "mutated request"
    REPLY = "mutated response"
    TUNNEL = "tunnel"
    UPGRADE = "upgrade"
    GARBAGE = "garbage"


class Through(Enum):
    """What the requests go through."""

    NOTHING = "nothing"
    # A tunnel whose HTTPS is opened, and one that turns out to carry plain HTTP.
    TLS = "TLS"
    CLEAR = "a tunnel in clear"


class Ending(Enum):
    """How a side ends its connection."""

    ORDERLY = "orderly"
    FIN = "FIN"
    RST = "RST"


@dataclass(frozen=True)
class Ports:
    """Where the origins of a worker listen, as an authority each."""

    plain: bytes
    # Answers with HTTP/1.0.
    old: bytes
    tls: bytes
    # Sends back whatever it gets.
    echo: bytes
    proxy: bytes
    address: str
    # From here on, cases have a port of their own.
    first_own: int


@dataclass(slots=True)
class Exchange:
    token: Token
    mark: bytes
    request: Outgoing
    # Nothing when the proxy answers.
    reply: Reply | None = None
    # What the origin sends, perhaps harmed, in these pieces; then it ends the connection, if at all, like this.
    segments: list[bytes] = field(default_factory=list)
    ending: Ending = Ending.ORDERLY
    # Whether the reply comes unharmed and whole.
    is_sound: bool = True
    # Whether it is unharmed, and its end is missing.
    is_cut: bool = False


@dataclass(slots=True)
class Case:
    number: int
    kind: Kind
    through: Through
    exchanges: list[Exchange]
    # What the client sends, after the CONNECT if it goes through something.
    data: bytes
    # The same in pieces; a number waits for that many answers.
    segments: list[bytes | int]
    # How and when the client goes: after so many bytes sent or received, or when it has its answers.
    ending: Ending
    sent_limit: int | None
    received_limit: int | None
    reading: Reading
    # Where an origin listens for nobody else; 0 if none does.
    own_port: int = 0

    @property
    def is_cut(self) -> bool:
        return self.sent_limit is not None or self.received_limit is not None


_KINDS = [Kind.VALID] * 40 + [Kind.REQUEST] * 32 + [Kind.REPLY] * 20 + [Kind.TUNNEL] * 4 + [Kind.UPGRADE] * 2 + [Kind.GARBAGE] * 2
OWN_PORTS = 1024
# What the proxy reads at once, at least.
_ONE_READ = 8 << 10
_STRETCH = 80
_COUNTS = [1, 1, 2, 2, 2, 3, 3, 4, 5, 8]


def make(number: int, turn: int, seed: int, ports: Ports) -> Case:
    """`turn` counts the cases of one worker."""
    draw = random.Random(f"{seed}:{number}")
    kind = draw.choice(_KINDS)
    through = Through.NOTHING
    own_port = 0
    if kind in (Kind.VALID, Kind.REQUEST, Kind.REPLY):
        chance = draw.random()
        if chance < 0.04:
            through = Through.TLS
        elif chance < 0.06 and kind is not Kind.REQUEST:
            through = Through.CLEAR
    if kind in (Kind.TUNNEL, Kind.UPGRADE, Kind.GARBAGE):
        exchanges = _single(draw, number, seed, kind, ports)
        data = exchanges[0].request.data
    else:
        exchanges = list(_exchanges(draw, number, seed, kind, through, ports))
        if isolated := [exchange for exchange in exchanges if _needs_isolation(exchange)]:
            own_port = _isolate(draw, isolated, through, ports, turn)
        data = b"".join(exchange.request.data for exchange in exchanges)
    if kind is Kind.REQUEST or (kind is Kind.TUNNEL and draw.random() < 0.3):
        mark = Token(number, 99).encoded(seed)
        data = mutate(draw, data, grammar.request(draw, mark, ports.plain).data)
        kind = Kind.REQUEST
    # A case that waits for each answer before it asks again, as most clients do.
    in_turn = kind in (Kind.VALID, Kind.REPLY) and draw.random() < 0.4
    segments: list[bytes | int] = []
    if in_turn:
        for index, exchange in enumerate(exchanges):
            segments += [*segment(draw, exchange.request.data), index + 1]
    else:
        segments += segment(draw, data)
    ending, sent_limit, received_limit = Ending.ORDERLY, None, None
    if draw.random() < 0.08 and data:
        ending = draw.choice((Ending.FIN, Ending.RST))
        if draw.random() < 0.5:
            sent_limit = draw.randrange(len(data) + 1)
        else:
            received_limit = draw.randrange(3000)
    return Case(number, kind, through, exchanges, data, segments, ending, sent_limit, received_limit, reference.read(data),
                own_port)  # fmt: skip


def segment(draw: random.Random, data: bytes) -> Iterator[bytes]:
    """In one piece, in a few, or byte by byte."""
    chance = draw.random()
    if chance < 0.4 or len(data) < 2:
        yield data
    elif chance < 0.96:
        # Near the end of a head as well as anywhere.
        ends = sorted({draw.randrange(1, len(data)) for _ in range(draw.randint(1, 6))})
        if (head := data.find(b"\r\n\r\n")) > 0 and draw.random() < 0.4:
            ends = sorted({*ends, head + draw.randint(1, 4)} - {len(data)})
        for start, end in zip([0, *ends], [*ends, len(data)], strict=True):
            if start < end:
                yield data[start:end]
    else:
        # Byte by byte, for a stretch: it takes a turn of everything for each.
        start = draw.randrange(max(1, len(data) - _STRETCH))
        end = min(len(data), start + _STRETCH)
        if start:
            yield data[:start]
        for position in range(start, end):
            yield data[position : position + 1]
        if end < len(data):
            yield data[end:]


def _exchanges(draw: random.Random, number: int, seed: int, kind: Kind, through: Through, ports: Ports) -> Iterator[Exchange]:
    count = draw.choice(_COUNTS)
    is_inside = through is not Through.NOTHING
    for index in range(count):
        token = Token(number, index)
        mark = token.encoded(seed)
        if not is_inside and draw.random() < 0.04:
            yield Exchange(token, mark, grammar.local_request(draw, mark, ports.proxy))
            continue
        is_old = not is_inside and draw.random() < 0.05
        authority = ports.tls if through is Through.TLS else ports.plain
        opens = through is Through.CLEAR and index == 0
        request = grammar.request(draw, mark, authority, is_inside, may_close=index == count - 1, opens=opens)
        if is_old and not request.is_chunked:
            request.data = request.data.replace(authority, ports.old)
            reply = grammar.reply(draw, mark, request, minor=0)
        else:
            reply = grammar.reply(draw, mark, request)
        yield _plan(draw, Exchange(token, mark, request, reply), kind)


def _plan(draw: random.Random, exchange: Exchange, kind: Kind) -> Exchange:
    """What the origin makes of its reply."""
    reply = exchange.reply
    assert reply
    data = reply.data
    if kind is Kind.REPLY and draw.random() < 0.7:
        exchange.is_sound = False
        form = draw.random()
        if form < 0.75:
            data = mutate(draw, data, grammar.reply(draw, exchange.mark, exchange.request).data, is_response=True)
        elif form < 0.9:
            data = data[: draw.randrange(len(data))]
            exchange.is_cut = True
        exchange.ending = draw.choice((Ending.FIN, Ending.FIN, Ending.RST))
    elif reply.closes:
        exchange.ending = Ending.FIN
    exchange.segments = list(segment(draw, data))
    return exchange


def _needs_isolation(exchange: Exchange) -> bool:
    """A response that nobody can tell from two, since the second part may come when the connection is another client's."""
    return not exchange.is_sound and (len(exchange.segments) > 1 or sum(map(len, exchange.segments)) > _ONE_READ)


def _isolate(draw: random.Random, exchanges: list[Exchange], through: Through, ports: Ports, turn: int) -> int:
    """The last of them gets an origin of its own; the others, and those that go through a tunnel, become sound."""
    own_port = 0
    if through is Through.NOTHING:
        own_port = ports.first_own + turn % OWN_PORTS
        request = exchanges.pop().request
        own = b"%b:%d" % (ports.address.encode(), own_port)
        request.data = request.data.replace(ports.plain, own).replace(ports.old, own)
    for exchange in exchanges:
        assert exchange.reply
        exchange.is_sound, exchange.is_cut = True, False
        exchange.ending = Ending.FIN if exchange.reply.closes else Ending.ORDERLY
        exchange.segments = list(segment(draw, exchange.reply.data))
    return own_port


def _single(draw: random.Random, number: int, seed: int, kind: Kind, ports: Ports) -> list[Exchange]:
    token = Token(number, 0)
    mark = token.encoded(seed)
    if kind is Kind.GARBAGE:
        return [Exchange(token, mark, Outgoing(b"", garbage(draw), 1, True, False))]
    # What no protocol that the proxy looks at begins with.
    content = b"\xfe" + mark + grammar.body(draw, mark)
    if kind is Kind.TUNNEL:
        head = b"CONNECT %b HTTP/1.1\r\nHost: %b\r\nX-Mark: %b\r\n\r\n" % (ports.echo, ports.echo, mark)
        return [Exchange(token, mark, Outgoing(b"CONNECT", head + content, 1, True, False))]
    start = b"GET http://%b/%b HTTP/1.1\r\nHost: %b\r\n" % (ports.plain, mark, ports.plain)
    head = start + b"Connection: upgrade\r\nUpgrade: torture\r\n\r\n"
    answer = b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: torture\r\nX-Mark: %b\r\n\r\n" % mark
    exchange = Exchange(token, mark, Outgoing(b"GET", head + content, 1, True, False), Reply(101, answer, b"", b"", "none"))
    exchange.segments = list(segment(draw, answer))
    return [exchange]
