"""What every tool does around its own work: its arguments, its directory, what it says meanwhile and at the end."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What was asked for, in words with figures, and whether it was met.
Verdict = tuple[str, bool]


def binary() -> str:
    """The program that is examined: this checkout's release build, or what the environment names."""
    return os.environ.get("TAPELINE_BINARY", str(ROOT / ".build/release/tapeline"))


def argument_parser(tool: str, description: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"scripts/lab/run {tool}", description=(description or "").replace("`", ""))


def selection(parser: argparse.ArgumentParser, text: str | None, names: list[str]) -> list[str]:
    """The names in `text`, separated by commas; all of them without it."""
    chosen = text.split(",") if text else names
    if unknown := set(chosen) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return chosen


class Workspace:
    """A directory of the run's own. It is removed at the end, unless `keep` is set by then."""

    def __init__(self, tool: str, keep: bool = False):
        self.keep = keep
        self.path = Path(tempfile.mkdtemp(prefix=f"tapeline-{tool}-"))
        # Servers that give up root read and write below it.
        self.path.chmod(0o755)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        if self.keep:
            progress(f"recordings and logs are in {self.path}")
        else:
            shutil.rmtree(self.path, ignore_errors=True)


def raise_descriptor_limit() -> None:
    """For thousands of connections on every side."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def settle() -> None:
    """Lets a recorder's last batch be written, so that its cost is counted with the exchanges that made it."""
    time.sleep(0.2)


def progress(text: str) -> None:
    print(f"lab: {text}", file=sys.stderr, flush=True)


def print_verdicts(verdicts: list[Verdict]) -> bool:
    """Returns whether all are met."""
    for text, met in verdicts:
        print(f"{'met   ' if met else 'missed'}  {text}")
    return all(met for _, met in verdicts)


def targets(verdicts: list[Verdict]) -> list[dict[str, object]]:
    """For the JSON."""
    return [{"target": text, "met": met} for text, met in verdicts]


def plain(value):
    """For JSON. Unlike `asdict`, it knows that a `Counter` is a mapping."""
    if dataclasses.is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def write_json(file: Path | None, result: object) -> None:
    if file:
        file.write_text(json.dumps(result, indent=2) + "\n")
        progress(f"written to {file}")
