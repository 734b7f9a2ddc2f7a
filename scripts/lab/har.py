"""HARs that a recording has left behind: whether they are whole, and what they say of themselves."""

from __future__ import annotations

import fcntl
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lab.nginx import SMALL_BODY

ENTRY_MEMBERS = {"pageref", "startedDateTime", "time", "request", "response", "cache", "timings"}
REQUEST_MEMBERS = {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"}
RESPONSE_MEMBERS = {
    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
}  # fmt: skip
PHASES = ("blocked", "dns", "connect", "send", "wait", "receive")


class Damaged(Exception):
    """What is wrong with a HAR."""


@dataclass
class Contents:
    """The entries of a HAR, all of them whole, and how many exchanges it says that it left out because it could not keep up."""

    entries: list[dict]
    dropped: int


def check(text: str, directory: Path = Path()) -> Contents:
    """`directory` is where the HAR lies."""
    try:
        log = json.loads(text)["log"]
        pages = {page["id"] for page in log["pages"]}
    except (ValueError, KeyError) as error:
        raise Damaged(f"does not parse: {error!r}") from error
    for number, entry in enumerate(log["entries"]):
        try:
            check_entry(entry, pages, directory)
        except (KeyError, TypeError) as error:
            raise Damaged(f"entry {number} is not whole: {error!r}") from error
        except Damaged as error:
            raise Damaged(f"entry {number}: {error}") from error
    return Contents(log["entries"], log.get("_dropped", {}).get("exchanges", 0))


def check_entry(entry: dict, pages: set[str], directory: Path) -> None:
    request, response, timings = entry["request"], entry["response"], entry["timings"]
    for name, found, wanted in (
        ("entry", entry, ENTRY_MEMBERS), ("request", request, REQUEST_MEMBERS), ("response", response, RESPONSE_MEMBERS),
    ):  # fmt: skip
        if absent := wanted - found.keys():
            raise Damaged(f"{name} lacks {', '.join(sorted(absent))}")
    if entry["pageref"] not in pages:
        raise Damaged("names a page that is not there")
    total = sum(max(timings.get(phase, -1), 0) for phase in PHASES)
    if abs(total - entry["time"]) > 0.001:
        raise Damaged(f"time {entry['time']} is not the sum of its phases, {total:.3f}")
    if urlsplit(request["url"]).path == "/small.txt" and response["status"] == 200 and request["method"] == "GET":
        says_so = "_error" in entry or "_truncated" in response["content"]
        if body_text(response["content"], directory) != SMALL_BODY and not says_so:
            raise Damaged("its body is not what the origin sent, and it does not say so")
    elif "_file" in response["content"]:
        body_text(response["content"], directory)


def body_text(content: dict, directory: Path) -> str | None:
    """The body, wherever it is; a file has to hold what its name says."""
    if "_file" not in content:
        return content.get("text")
    file = directory / content["_file"]
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Damaged(f"its body is not there: {error}") from error
    if hashlib.sha256(data).hexdigest() != file.name:
        raise Damaged(f"{content['_file']} does not hold what its name says")
    return data.decode(errors="replace")


def settled_text(file: Path) -> str:
    """What a file holds once nobody writes it: a recorder has it locked, and so has whatever finishes its last write."""
    with file.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        return stream.read()
