"""HAR 1.2 by its schema (draft 6, from Debian's node-har-schema), and by the rules that a schema cannot express.

    scripts/lab/run schema FILE...

prints what is wrong, and exits with 1 if anything is.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path

from jsonschema import Draft6Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT6

SCHEMAS = Path("/usr/share/nodejs/har-schema/lib")
# Milliseconds.
TOLERANCE = 0.002
PARTS = ("blocked", "dns", "connect", "send", "wait", "receive")


@functools.cache
def validator() -> Draft6Validator:
    schemas = {file.name: json.loads(file.read_text()) for file in SCHEMAS.glob("*.json")}
    registry = Registry()
    for name, schema in schemas.items():
        for key in (name, f"{name}#"):
            registry = registry.with_resource(key, Resource(contents=schema, specification=DRAFT6))
    # Without formats `serverIPAddress` fits both of its alternatives, and so none.
    return Draft6Validator(schemas["har.json"], registry=registry, format_checker=Draft6Validator.FORMAT_CHECKER)


def mistakes(har: dict) -> list[str]:
    found = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:140]}" for error in validator().iter_errors(har)]
    return found or list(_broken_rules(har["log"]))


def _broken_rules(log: dict) -> Iterator[str]:
    pages = {page["id"] for page in log.get("pages", [])}
    for number, entry in enumerate(log["entries"]):
        for mistake in _broken_entry_rules(entry, pages):
            yield f"entries/{number}: {mistake}"


def _broken_entry_rules(entry: dict, pages: set[str]) -> Iterator[str]:
    timings, request, response = entry["timings"], entry["request"], entry["response"]
    for name in ("send", "wait", "receive"):
        if timings[name] < 0:
            yield f"timings.{name} is {timings[name]}"
    for name in ("blocked", "dns", "connect", "ssl"):
        if timings.get(name, -1) < 0 and timings.get(name, -1) != -1:
            yield f"timings.{name} is {timings[name]}"
    if timings.get("ssl", -1) >= 0 and timings["ssl"] > timings.get("connect", -1) + TOLERANCE:
        yield "ssl is not within connect"
    total = sum(max(timings.get(name, -1), 0) for name in PARTS)
    if abs(total - entry["time"]) > TOLERANCE:
        yield f"time is {entry['time']}, and the sum of the phases {total:.3f}"
    if "pageref" in entry and entry["pageref"] not in pages:
        yield "pageref leads nowhere"
    content, size = response["content"], response["bodySize"]
    if "compression" in content and size >= 0 and content["size"] - size != content["compression"]:
        yield "compression is not size less bodySize"
    if "#" in request["url"] or " " in request["url"]:
        yield "url has a fragment or a space"
    if "postData" in request and "text" not in request["postData"]:
        yield "postData has no text"


def main(words: list[str]) -> int:
    status = 0
    for name in words:
        for mistake in mistakes(json.loads(Path(name).read_text(encoding="utf-8-sig"))):
            print(f"{name}: {mistake}")
            status = 1
    return status
