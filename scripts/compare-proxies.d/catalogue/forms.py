"""The usual forms of cases: one request, one answer."""

from __future__ import annotations

from case import Case, Predicate, arrives, request
from peers import Answer

CHUNKED = b"Transfer-Encoding: chunked\r\n"


NO_VIA = "an origin that is told of a proxy may answer otherwise (nginx compresses nothing): docs/faithful.md; --via tells it"
OWN_CONNECTION = "the connection is the client's alone, and lasts as long as the origin says (docs/faithful.md)"


def bad_request(
    name: str, rule: str, octets: bytes, hazard: Predicate = arrives, *, difference: str | None = None
) -> Case:
    return Case(name, rule, [octets], hazard=hazard, difference=difference)


def good_request(name: str, rule: str, octets: bytes, service: Predicate) -> Case:
    return Case(name, rule, [octets], service=service)


def bad_response(
    name: str,
    rule: str,
    octets: bytes,
    hazard: Predicate,
    *,
    close: bool = False,
    reset: bool = False,
    method: bytes = b"GET",
    version: bytes = b"HTTP/1.1",
    difference: str | None = None,
) -> Case:
    return Case(
        name,
        rule,
        [request(method=method, version=version)],
        answers=[Answer(octets, close=close, reset=reset)],
        methods=[method],
        hazard=hazard,
        difference=difference,
        about_response=True,
    )


def good_response(name: str, rule: str, octets: bytes, service: Predicate, *, close: bool = False) -> Case:
    return Case(name, rule, [request()], answers=[Answer(octets, close=close)], service=service, about_response=True)


def shown(value: bytes) -> str:
    """A field's value in a case's name."""
    return value.decode("latin-1").encode("unicode_escape").decode() or "(empty)"


def escaped(value: bytes) -> bytes:
    """A pattern for these octets."""
    return b"".join(b"\\x%02x" % octet for octet in value)
