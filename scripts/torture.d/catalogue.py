"""Every scenario, in the order in which they run."""

from __future__ import annotations

import descriptors
import floods
import fuzz
import half_closed
import idle
import resets
import slow_readers
import slowloris
import tunnels
from scenario import Scenario

ALL: list[Scenario] = [
    *fuzz.SCENARIOS, *floods.SCENARIOS, *half_closed.SCENARIOS, *resets.SCENARIOS, *tunnels.SCENARIOS, *descriptors.SCENARIOS,
    *slowloris.SCENARIOS, *idle.SCENARIOS, *slow_readers.SCENARIOS,
]  # fmt: skip
