"""Lets the measuring code of `scripts/bench` be imported: what starts, asks and judges a recording is there already."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench.d"))
