"""A generated program or page: what it does, in steps, and how the origin answers each of its requests."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

# A step is a list that begins with its kind:
#   ["seq", step…]             one after the other
#   ["all", step…]             at the same time; done when all are
#   ["map", limit, step…]      at the same time, at most `limit` of them
#   ["get", name]              an exchange, awaited; redirects are followed
#   ["post", name]
#   ["retry", name, pause]     until the origin does not answer 503
#   ["work", milliseconds]     the client's own time, in which the rest of the program goes on
#   ["spawn", key, step]       begins, and is not awaited
#   ["join", key]              awaits what was begun
Step = list


@dataclass
class Reply:
    """How the origin answers; times in milliseconds."""

    wait: float
    receive: float = 0
    status: int = 200
    type: str = "application/json"
    body: str = "{}"
    location: str = ""
    # So many requests are answered with 503 first.
    refusals: int = 0


@dataclass
class Scenario:
    name: str
    steps: Step
    # By path.
    replies: dict[str, Reply] = field(default_factory=dict)
    # `http/1.1` in the clear, or `h2` over TLS.
    protocol: str = "http/1.1"
    connections: int = 100
    # The path of the document, if a browser runs it.
    document: str = ""

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)))

    @staticmethod
    def read(file: Path) -> Scenario:
        value = json.loads(file.read_text())
        value["replies"] = {path: Reply(**reply) for path, reply in value["replies"].items()}
        return Scenario(**value)
