"""A case: what the client sends, what the origin answers, and what would be wrong at the other end.

The cases are data, in `Tests/Fixtures/wire`, which the end-to-end tests read too; its README says what the files hold.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lab.compare.peers import Answer, HalfClose, Step, Wait
from lab.compare.predicates import Predicate, predicate
from lab.tool import ROOT

FOLDER = ROOT / "Tests/Fixtures/wire"
# In the order of the table.
FILES = (
    "request-framing", "request-targets", "request-fields", "request-methods", "connections", "request-limits",
    "response-framing", "response-heads", "responses", "response-limits",
)  # fmt: skip
GET = [b"GET"]
PLAIN_REQUEST = b"GET http://{origin}/case HTTP/1.1\r\nHost: {origin}\r\n\r\n"
PLACES = {b"{origin}": b"127.0.0.1:80", b"{port}": b"80", b"{wrapped}": b"65616"}
# In a file's text: a string, or strings and what is repeated or filled up.
Text = str | list[str | dict[str, Any]]
STEPS = {"wait": Wait(), "half-close": HalfClose()}


@dataclass(frozen=True)
class Case:
    """`hazard` holds if what must not pass has passed; `service` if what has to work does. A case has one of the two.
    `difference` explains why tapeline does otherwise than the strictest, or than the most lenient, of the others."""

    name: str
    rule: str
    script: list[Step] = field(default_factory=lambda: [PLAIN_REQUEST])
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

    @property
    def key(self) -> str:
        return f"{'response' if self.about_response else 'request'}: {self.name}"

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


def _filled(data: bytes, places: dict[bytes, bytes]) -> bytes:
    for place, value in places.items():
        data = data.replace(place, value)
    return data


def read_cases() -> list[Case]:
    return [_case(fields, file["about"] == "responses") for file in map(read_file, FILES) for fields in file["cases"]]


def read_file(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text())


def refused_requests() -> Iterator[bytes]:
    """What tapeline refuses without being told to, for an origin at 127.0.0.1:80."""
    for file in (file for file in map(read_file, FILES) if file["about"] == "requests"):
        texts = [fields["send"][0] for fields in file["cases"] if "refused" in fields]
        yield from (wire_bytes(text, PLACES) for text in texts)
        for family in itertools.chain.from_iterable(file.get("refused", {}).values()):
            if "options" not in family:
                yield from (_spelled(family["send"], value) for value in family.get("values", [""]))


@dataclass(frozen=True)
class Passed:
    """A message that tapeline passes on without being told to, for an origin at 127.0.0.1:80."""

    data: bytes
    # What goes out at the other side, and what is in it, if the file says so.
    becomes: bytes | None
    content: bytes | None
    # Of the request that a response answers.
    method: bytes
    minor: int


def passed(about: str) -> Iterator[Passed]:
    """Of `requests` or `responses`."""
    for file in (file for file in map(read_file, FILES) if file["about"] == about):
        for family in itertools.chain.from_iterable(file.get("passed", {}).values()):
            if "options" in family:
                continue
            method, minor = family.get("method", "GET").encode(), int(family.get("version", "1.1")[2:])
            for value in family.get("values", [""]):
                sent, becomes = (value, value) if isinstance(value, str) else value
                other = (_spelled(family[key], becomes) if key in family else None for key in ("becomes", "content"))
                yield Passed(_spelled(family["send"], sent), *other, method, minor)


def _spelled(text: Text, value: str) -> bytes:
    return wire_bytes(text, {b"{value}": value.encode("latin-1"), **PLACES})


def wire_bytes(text: Text, places: dict[bytes, bytes] | None = None) -> bytes:
    """The bytes that a text of the files stands for: one for each character, and runs of what is repeated."""
    return b"".join(_part_bytes(part, places or {}) for part in ([text] if isinstance(text, str) else text))


def _part_bytes(part: str | dict[str, Any], places: dict[bytes, bytes]) -> bytes:
    if isinstance(part, str):
        return _filled(part.encode("latin-1"), places)
    if "repeat" in part:
        return part["repeat"].encode("latin-1") * part["times"]
    start, end = (_filled(part[key].encode("latin-1"), places) for key in ("from", "until"))
    return start + part["fill"].encode("latin-1") * (part["to"] - len(start) - len(end)) + end


def _case(fields: dict[str, Any], about_response: bool) -> Case:
    given: dict[str, Any] = {key: fields[key] for key in ("difference", "alone") if key in fields}
    if "send" in fields:
        given["script"] = [STEPS[step["then"]] if isinstance(step, dict) else wire_bytes(step) for step in fields["send"]]
    if "methods" in fields:
        given["methods"] = [method.encode() for method in fields["methods"]]
    answers = [Answer(**{**answer, "data": wire_bytes(answer["data"])}) for answer in fields.get("answers", [])]
    for kind in ("hazard", "service"):
        if kind in fields:
            given[kind] = predicate(fields[kind])
    return Case(fields["name"], fields["rule"], answers=answers, about_response=about_response, **given)
