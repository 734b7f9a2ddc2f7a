"""A flame graph of what callgrind counted: whose instructions fixed work takes, and who called for them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from lab.gate import callgrind
from lab.gate.callgrind import Function

WIDTH = 1200
ROW = 17
LEGEND = 46
CHARACTER = 6.3
# Of the whole: what is less is not drawn.
LEAST_SHARE = 0.003

COLOURS = {
    "tapeline": "#f2b880",
    "references": "#e4796a",
    "allocator": "#d0a5d8",
    "copies": "#e8d26e",
    "Swift": "#b9c4cf",
    "OpenSSL": "#8fb8e0",
    "nghttp2": "#8fd0b0",
    "libevent": "#b5d98a",
    "libc": "#cfcfcf",
}
LIBRARIES = {
    "libcrypto": "OpenSSL", "libssl": "OpenSSL", "libnghttp2": "nghttp2", "libevent": "libevent", "libc.": "libc", "ld-": "libc",
}  # fmt: skip
REFERENCES = re.compile(
    r"swift_(retain|release|bridgeObject|unknownObject|isUniquelyReferenced|weak|unowned)|RefCount|\bdoDecrement"
)
ALLOCATOR = re.compile(
    r"^(_int_)?(malloc|free|calloc|realloc|memalign)$|^posix_memalign$|^malloc_consolidate$|swift_(slow)?(de)?alloc",
    re.IGNORECASE,
)
COPIES = re.compile(r"^(__)?(mem(cpy|move|set|cmp|chr)|str(cmp|len|n?casecmp))")
RUNTIME = re.compile(r"^_?_?swift_|\bswift::")
# Functions that only pass a call on: a reader learns nothing by them.
THUNK = re.compile(r"^(@objc |partial apply |protocol witness |dispatch thunk |merged |closure #|clone$|start_thread$)")
# The function in which libc begins a thread.
THREAD = "clone"


@dataclass
class Profile:
    # Instructions of a function itself, and of what it calls.
    own: Counter[Function] = field(default_factory=Counter)
    calls: Counter[tuple[Function, Function]] = field(default_factory=Counter)

    def minus(self, other: Profile, divisor: int) -> Profile:
        """What this one has more; counts that go down are noise."""
        return Profile(
            Counter({key: (value - other.own[key]) / divisor for key, value in self.own.items() if value > other.own[key]}),
            Counter({key: (value - other.calls[key]) / divisor for key, value in self.calls.items() if value > other.calls[key]}),
        )


def read(lines: Iterable[str]) -> Profile:
    profile = Profile()
    for item in callgrind.read(lines):
        match item:
            case callgrind.Run():
                profile.own[item.function] += item.count
            case callgrind.Call():
                profile.calls[item.caller, item.callee] += item.cost
    return profile


def kind(function: Function, name: str) -> str:
    if REFERENCES.search(name):
        return "references"
    if ALLOCATOR.search(name):
        return "allocator"
    if COPIES.search(name):
        return "copies"
    file = Path(function.library).name
    for prefix, library in LIBRARIES.items():
        if file.startswith(prefix):
            return library
    return "Swift" if RUNTIME.search(name) else "tapeline"


def demangled(functions: set[Function]) -> dict[Function, str]:
    """Names as people write them, of Swift and of C++; a library without names goes by its own."""
    ordered = sorted(functions)
    text = "\n".join(function.name for function in ordered)
    for words in ["c++filt"], [str(shutil.which("swift")), "demangle", "--simplified", "--compact"]:
        text = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout
    return {
        function: f"[{Path(function.library).name}]" if name.startswith("0x") else name
        for function, name in zip(ordered, text.split("\n"), strict=False)
    }


@dataclass
class Frame:
    function: Function
    cost: float
    frames: list[Frame] = field(default_factory=list)

    @property
    def height(self) -> int:
        return 1 + max((frame.height for frame in self.frames), default=0)


class Graph:
    """Callgrind knows who called whom, not whole stacks: a function's cost is shared among its callers as they called for it."""

    def __init__(self, profile: Profile, names: dict[Function, str]):
        self.profile = profile
        self.names = names
        self.callees: dict[Function, list[tuple[Function, float]]] = {}
        called = set()
        for (caller, callee), cost in profile.calls.items():
            if caller != callee:
                self.callees.setdefault(caller, []).append((callee, cost))
                called.add(callee)
        # Threads alone: what the start of the program takes differs by chance.
        roots = [function for function in self.callees if names[function] == THREAD and function not in called]
        self.total = sum(self._inclusive(root) for root in roots)
        self.least = self.total * LEAST_SHARE
        self.frames = [frame for root in roots for frame in self._frames(root, self._inclusive(root), frozenset())]
        self.frames.sort(key=lambda frame: -frame.cost)

    def _inclusive(self, function: Function) -> float:
        return self.profile.own[function] + sum(cost for _, cost in self.callees.get(function, []))

    def _frames(self, function: Function, cost: float, callers: frozenset[Function]) -> list[Frame]:
        """One frame, or those of its callees if it only passes the call on."""
        if cost < self.least:
            return []
        share = cost / max(self._inclusive(function), 1)
        inner = callers | {function}
        frames = [
            frame
            for callee, part in sorted(self.callees.get(function, []), key=lambda each: -each[1])
            if callee not in inner
            for frame in self._frames(callee, part * share, inner)
        ]
        if THUNK.search(self.names.get(function, "")) and frames:
            return frames
        return [Frame(function, cost, frames)]


def svg(title: str, profile: Profile) -> str:
    functions = set(profile.own) | {function for edge in profile.calls for function in edge}
    names = demangled(functions)
    graph = Graph(profile, names)
    shares: Counter[str] = Counter()
    for function, cost in profile.own.items():
        shares[kind(function, names[function])] += cost
    height = LEGEND + ROW * max((frame.height for frame in graph.frames), default=1) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="10.5">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="4" y="15" font-size="13">{escape(title)}: {graph.total:,.0f} instructions</text>',
    ]
    left = 4.0
    for name, cost in shares.most_common():
        share = cost / sum(shares.values())
        if share < LEAST_SHARE:
            continue
        text = f"{name} {share:.0%}"
        parts.append(f'<rect x="{left:.0f}" y="24" width="11" height="11" fill="{COLOURS[name]}"/>')
        parts.append(f'<text x="{left + 15:.0f}" y="33.5">{escape(text)}</text>')
        left += 30 + CHARACTER * len(text)
    left = 0.0
    for frame in graph.frames:
        parts += drawn(frame, left, 0, graph)
        left += frame.cost / graph.total * WIDTH
    return "\n".join([*parts, "</svg>", ""])


def drawn(frame: Frame, left: float, depth: int, graph: Graph) -> list[str]:
    name = graph.names[frame.function]
    width = frame.cost / graph.total * WIDTH
    top = LEGEND + ROW * depth
    room = int((width - 4) / CHARACTER)
    text = name if len(name) <= room else name[: room - 1] + "…" if room > 3 else ""
    fill = COLOURS[kind(frame.function, name)]
    parts = [
        f"<g><title>{escape(name)}: {frame.cost:,.0f} ({frame.cost / graph.total:.1%})</title>",
        f'<rect x="{left:.1f}" y="{top}" width="{max(width - 0.5, 0.5):.1f}" height="{ROW - 1}" rx="1.5" fill="{fill}"/>',
    ]
    if text:
        parts.append(f'<text x="{left + 2:.1f}" y="{top + 11.5}">{escape(text)}</text>')
    parts.append("</g>")
    for inner in frame.frames:
        parts += drawn(inner, left, depth + 1, graph)
        left += inner.cost / graph.total * WIDTH
    return parts
