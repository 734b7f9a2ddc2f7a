"""Every scenario, in the order in which they run."""

from __future__ import annotations

from lab.torture import (
    descriptors,
    floods,
    fuzz,
    half_closed,
    http2,
    idle,
    resets,
    slow_readers,
    slow_streams,
    slowloris,
    tunnels,
)
from lab.torture.scenario import Scenario

ALL: list[Scenario] = [
    *fuzz.SCENARIOS, *http2.SCENARIOS, *floods.SCENARIOS, *half_closed.SCENARIOS, *resets.SCENARIOS, *tunnels.SCENARIOS,
        *descriptors.SCENARIOS,
    *slowloris.SCENARIOS, *idle.SCENARIOS, *slow_readers.SCENARIOS, *slow_streams.SCENARIOS,
]  # fmt: skip
