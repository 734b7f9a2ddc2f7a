"""What a case's `hazard` and `service` say, in words of JSON: a name, or an object with one condition.

The conditions look at what reached either end. Patterns are regular expressions over bytes, one character each, without regard to
case, `.` takes line ends, and `^` and `$` stand at lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lab.compare.observation import Observation

Predicate = Callable[[Observation], bool]


def predicate(words: Any) -> Predicate:
    """- Raises KeyError: for an unknown name or condition."""
    if isinstance(words, str):
        return NAMED[words]
    (condition, argument), *more = words.items()
    return CONDITIONS[condition](argument, **dict(more))


def arrives(seen: Observation) -> bool:
    """A whole request has reached the origin."""
    return bool(seen.complete_requests())


def looks_complete(seen: Observation) -> bool:
    """The client has no way to know that something is missing."""
    got = seen.final()
    return bool(got) and got[0].status == 200 and got[0].complete


def smuggled(seen: Observation) -> bool:
    return any(b"/smuggled" in each.start_line for each in seen.requests())


def both_framings(seen: Observation) -> bool:
    """One request with two ends, or two requests where one was sent."""
    return any(each.has(b"Content-Length") and each.has(b"Transfer-Encoding") for each in seen.requests()) or smuggled(seen)


NAMED: dict[str, Predicate] = {
    "arrives": arrives,
    "looks_complete": looks_complete,
    "smuggled": smuggled,
    "both_framings": both_framings,
    "silent": lambda seen: seen.client.silent,
    "stays_open": lambda seen: not seen.client.closed,
}


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(b"(?ims)" + pattern.encode("latin-1"))


def _at_origin(pattern: str) -> Predicate:
    found = _compiled(pattern).search
    return lambda seen: any(found(data) for data in seen.arrived)


def _at_client(pattern: str) -> Predicate:
    found = _compiled(pattern).search
    return lambda seen: found(seen.client.data) is not None


def _repeated_at_origin(pattern: str, times: int) -> Predicate:
    """At least so often on all connections."""
    found = _compiled(pattern).findall
    return lambda seen: sum(len(found(data)) for data in seen.arrived) >= times


def _repeated_at_client(pattern: str, times: int) -> Predicate:
    found = _compiled(pattern).findall
    return lambda seen: len(found(seen.client.data)) >= times


def _kept_at_origin(texts: list[str]) -> Predicate:
    """Each of them, letter for letter."""
    return lambda seen: all(text.encode("latin-1") in b"".join(seen.arrived) for text in texts)


def _kept_at_client(texts: list[str]) -> Predicate:
    return lambda seen: all(text.encode("latin-1") in seen.client.data for text in texts)


def _request_without(name: str, holding: str = "") -> Predicate:
    """A request that has reached the origin lacks the field, or the field lacks the word."""
    return lambda seen: any(
        not any(holding.encode() in value for value in each.values(name.encode())) for each in seen.requests()
    )


def _answered(statuses: list[int]) -> Predicate:
    """The client got exactly these, in this order, and all of each."""
    return lambda seen: [each.status for each in seen.final()] == statuses and all(each.complete for each in seen.final())


CONDITIONS: dict[str, Callable[..., Predicate]] = {
    "at_origin": _at_origin,
    "at_client": _at_client,
    "repeated_at_origin": _repeated_at_origin,
    "repeated_at_client": _repeated_at_client,
    "kept_at_origin": _kept_at_origin,
    "kept_at_client": _kept_at_client,
    "request_without": _request_without,
    "answered": _answered,
    "answered_with": lambda bodies: lambda seen: [each.body.decode() for each in seen.final()] == bodies,
    "first_status": lambda status: lambda seen: [each.status for each in seen.final()[:1]] == [status],
    "both": lambda parts: lambda seen: all(predicate(part)(seen) for part in parts),
    "either": lambda parts: lambda seen: any(predicate(part)(seen) for part in parts),
    "not": lambda part: lambda seen: not predicate(part)(seen),
}
