"""What a HAR holds, counted in its text: a recording of a million exchanges is larger than memory should be asked for."""

from __future__ import annotations

from pathlib import Path

from lab.nginx import MARKER

BLOCK_SIZE = 16 << 20


def count_occurrences(file: Path, texts: list[bytes]) -> list[int]:
    """How often each text occurs, also where it spans two blocks."""
    counts = [0] * len(texts)
    carries = [b""] * len(texts)
    with file.open("rb") as stream:
        while block := stream.read(BLOCK_SIZE):
            for index, text in enumerate(texts):
                window = carries[index] + block
                counts[index] += window.count(text)
                # No more than the text less one byte, or what is counted here would be counted again.
                carries[index] = window[-(len(text) - 1) :] if len(text) > 1 else b""
    return counts


def census(files: list[Path]) -> dict[str, int] | None:
    """The number of exchanges in the HARs of one recording, and of small bodies that were kept with them."""
    if not files:
        return None
    totals = {"exchanges": 0, "bodies": 0, "bytes": 0, "files": len(files)}
    for file in files:
        exchanges, bodies = count_occurrences(file, [b'"timings"', MARKER.encode()])
        totals["exchanges"] += exchanges
        totals["bodies"] += bodies
        totals["bytes"] += file.stat().st_size
    return totals
