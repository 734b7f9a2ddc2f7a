"""Running programs, and saying what happens."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class PackagingError(Exception):
    """Why there is no package, in a sentence for the person who wanted it."""


def say(text: str) -> None:
    """Tells the person something; stdout belongs to nobody here, as in the other scripts."""
    print(f"package: {text}", file=sys.stderr, flush=True)


def output(*command: str | Path, cwd: Path | None = None) -> str:
    """What a program prints, without the last line's end."""
    return captured(command, cwd).decode().rstrip("\n")


def captured(command: Sequence[str | Path], cwd: Path | None = None) -> bytes:
    """What a program prints; it must end well."""
    finished = subprocess.run([str(word) for word in command], cwd=cwd, stdout=subprocess.PIPE, check=False)
    verify(command, finished.returncode)
    return finished.stdout


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
    """Runs a program to its end, which must be a good one. What it prints is a message."""
    finished = subprocess.run([str(word) for word in command], env=environment, stdout=sys.stderr, check=False)
    verify(command, finished.returncode)


def verify(command: Sequence[str | Path], status: int) -> None:
    """Raises PackagingError for a status other than 0."""
    if status != 0:
        raise PackagingError(f"{command[0]} failed with status {status}; its messages above say why")


def sign(file: Path, key: Path) -> None:
    """Signs a file by an SSH key, into `FILE.sig`: who has the public half checks it by `ssh-keygen -Y verify`."""
    run(["ssh-keygen", "-Y", "sign", "-f", key, "-n", "file", file])


def sha256(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
