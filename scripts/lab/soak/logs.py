"""The files that a long recording leaves behind. Each is read when the next one has begun, judged, counted and deleted, so that
an hour of them needs no more disk than a minute."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from lab.har import Damaged, check, settled_text
from lab.proxy import in_order


@dataclass
class Contents:
    files: int = 0
    size: int = 0
    entries: int = 0
    dropped: int = 0
    # By the first word of the path, and `CONNECT` for tunnels.
    kinds: Counter[str] = field(default_factory=Counter)
    damage: list[str] = field(default_factory=list)

    def add(self, other: Contents) -> None:
        self.files += other.files
        self.size += other.size
        self.entries += other.entries
        self.dropped += other.dropped
        self.kinds += other.kinds
        self.damage += other.damage


def read(file: Path) -> Contents:
    try:
        found = check(settled_text(file), file.parent)
    except Damaged as error:
        return Contents(files=1, size=file.stat().st_size, damage=[f"{file.name}: {error}"])
    kinds = Counter(kind(entry["request"]) for entry in found.entries)
    return Contents(1, file.stat().st_size, len(found.entries), found.dropped, kinds)


def kind(request: dict) -> str:
    return "CONNECT" if request["method"] == "CONNECT" else urlsplit(request["url"]).path.strip("/")


class Collector:
    """Reads files in a process of its own, which gives way to all others."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.found = Contents()
        self.reader = ProcessPoolExecutor(1, initializer=os.nice, initargs=(10,))
        self.in_progress: dict[Path, Future[Contents]] = {}

    def collect(self, all_of_them: bool = False) -> None:
        """Takes up what has been rotated away, or, once nobody writes any more, everything."""
        files = in_order(list(self.directory.glob("recording*.har")))
        for file in files if all_of_them else files[:-1]:
            if file not in self.in_progress:
                self.in_progress[file] = self.reader.submit(read, file)
        for file, result in list(self.in_progress.items()):
            if all_of_them or result.done():
                contents = result.result()
                self.found.add(contents)
                del self.in_progress[file]
                if not contents.damage:
                    file.unlink()

    def close(self) -> None:
        self.reader.shutdown(cancel_futures=True)
