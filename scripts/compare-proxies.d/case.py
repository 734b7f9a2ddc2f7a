"""A case: what the client sends, what the origin answers, and what would be wrong at the other end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Callable

from messages import Message, final, requests, responses
from peers import Answer, Received, Step

GET = [b"GET"]


@dataclass(frozen=True)
class Observation:
    """One case on one proxy, seen from both ends."""

    # What reached the origin, per connection.
    arrived: list[bytes]
    client: Received
    methods: list[bytes]

    def requests(self) -> list[Message]:
        return [each for octets in self.arrived for each in requests(octets)]

    def complete_requests(self) -> list[Message]:
        return [each for each in self.requests() if each.complete]

    def responses(self) -> list[Message]:
        return responses(self.client.octets, self.methods, ended=self.client.closed and not self.client.reset)

    def final(self) -> list[Message]:
        return final(self.responses())


Predicate = Callable[[Observation], bool]


@dataclass(frozen=True)
class Case:
    """`hazard` holds if what must not pass has passed; `service` if what has to work does. A case has one of the two.
    `difference` explains why tapeline does otherwise than the strictest, or than the most lenient, of the others."""

    name: str
    rule: str
    script: list[Step]
    answers: list[Answer] = field(default_factory=list)
    methods: list[bytes] = field(default_factory=lambda: GET)
    hazard: Predicate | None = None
    service: Predicate | None = None
    difference: str | None = None
    # The case is about what the origin sends.
    about_response: bool = False
    # It may harm the proxy: it gets one of its own.
    alone: bool = False

    def __post_init__(self) -> None:
        assert (self.hazard is None) != (self.service is None), self.name

    def script_for(self, origin_port: int, proxy: str, via: bytes) -> list[Step]:
        """With the places filled in: {origin}, {port}, {wrapped} (the port and 65,536), {proxy}, {via} (the lines it adds)."""
        places = {
            b"{origin}": b"127.0.0.1:%d" % origin_port,
            b"{port}": b"%d" % origin_port,
            b"{wrapped}": b"%d" % (origin_port + 65536),
            b"{proxy}": proxy.encode(),
            b"{via}": via,
        }
        return [_filled(step, places) if isinstance(step, bytes) else step for step in self.script]


def _filled(octets: bytes, places: dict[bytes, bytes]) -> bytes:
    for place, value in places.items():
        octets = octets.replace(place, value)
    return octets


def request(
    fields: bytes = b"",
    body: bytes = b"",
    *,
    method: bytes = b"GET",
    target: bytes = b"http://{origin}/case",
    version: bytes = b"HTTP/1.1",
    host: bytes = b"Host: {origin}\r\n",
) -> bytes:
    """`fields` are whole lines."""
    return b"%s %s %s\r\n%s%s\r\n%s" % (method, target, version, host, fields, body)


def post(fields: bytes, body: bytes = b"", **more: bytes) -> bytes:
    return request(fields, body, method=b"POST", **more)


def response(fields: bytes = b"", body: bytes = b"", *, status: bytes = b"HTTP/1.1 200 OK", date: bool = True) -> bytes:
    """`fields` are whole lines."""
    return b"%s\r\n%s%s\r\n%s" % (status, b"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" if date else b"", fields, body)


# What would be wrong, or right.


def arrives(seen: Observation) -> bool:
    """A whole request has reached the origin."""
    return bool(seen.complete_requests())


def at_origin(pattern: bytes) -> Predicate:
    """In any octets that reached the origin; without regard to case, `^` and `$` at lines."""
    return lambda seen: any(re.search(b"(?ims)" + pattern, octets) for octets in seen.arrived)


def at_client(pattern: bytes) -> Predicate:
    return lambda seen: re.search(b"(?ims)" + pattern, seen.client.octets) is not None


def request_without(name: bytes) -> Predicate:
    """A request that has reached the origin lacks the field."""
    return lambda seen: any(not each.has(name) for each in seen.requests())


def both(first: Predicate, second: Predicate) -> Predicate:
    return lambda seen: first(seen) and second(seen)


def either(first: Predicate, second: Predicate) -> Predicate:
    return lambda seen: first(seen) or second(seen)


def unlike(predicate: Predicate) -> Predicate:
    return lambda seen: not predicate(seen)


def answered(*statuses: int) -> Predicate:
    """The client got exactly these, in this order, and all of each."""
    return lambda seen: [each.status for each in seen.final()] == list(statuses) and all(
        each.complete for each in seen.final()
    )


def looks_complete(seen: Observation) -> bool:
    """The client has no way to know that something is missing."""
    got = seen.final()
    return bool(got) and got[0].status == 200 and got[0].complete


def both_framings(seen: Observation) -> bool:
    """One request with two ends, or two requests where one was sent."""
    return any(each.has(b"Content-Length") and each.has(b"Transfer-Encoding") for each in seen.requests()) or smuggled(seen)


def smuggled(seen: Observation) -> bool:
    return any(b"/smuggled" in each.start_line for each in seen.requests())
