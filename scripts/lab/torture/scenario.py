"""What a scenario is, and what it is given."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.proxy import Tapeline
from lab.wire import loopback_address


class Failed(Exception):
    """What a scenario found wrong; the text says what, with figures."""


@dataclass(frozen=True)
class Settings:
    """What the caller asked for."""

    seed: int
    exchanges: int = 100_000
    workers: int = 2
    replay: int | None = None
    quick: bool = False
    sanitizer: bool = False
    # Ports can be fixed there.
    address: str = field(default_factory=loopback_address)


@dataclass
class Run:
    """One run of one scenario, against a proxy of its own that has answered one request."""

    name: str
    settings: Settings
    proxy: Tapeline
    directory: Path
    # For --json.
    figures: dict[str, Any] = field(default_factory=dict)
    # Judges the log when the proxy has ended.
    judge_log: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.seed} {self.name}")

    @property
    def seed(self) -> int:
        return self.settings.seed

    @property
    def exchanges(self) -> int:
        return self.settings.exchanges

    @property
    def quick(self) -> bool:
        return self.settings.quick

    @property
    def sanitizer(self) -> bool:
        return self.settings.sanitizer

    def say(self, text: str) -> None:
        print(f"  {self.name}: {text}", file=sys.stderr, flush=True)


# Of clients that hang up in handshakes before one has come to its end.
REFUSED_CERTIFICATE = r"tapeline: a client at 127\.0\.0\.1 refused our certificate.*"


@dataclass(frozen=True)
class Scenario:
    """`run` does it and returns the figures to print, or raises `Failed`. `options` are for `tapeline record`, where {directory}
    is the scenario's and {address} is `Settings.address`."""

    name: str
    says: str
    run: Callable[[Run], str]
    options: tuple[str, ...] = ()
    # Soft and hard, of the proxy.
    descriptor_limit: int | None = None
    # Left out by --quick.
    heavy: bool = False
    # How far resident memory may be above the level before, once it is over.
    grows_kib: int = 8 << 10
    # Regular expressions of further lines on stderr that are all right, matched in full.
    expected: tuple[str, ...] = ()
    # Makes what `options` names, in the scenario's directory.
    prepare: Callable[[Path, Settings], None] | None = None
