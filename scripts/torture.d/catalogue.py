"""Every scenario, in the order in which they run."""

from __future__ import annotations

import descriptors
import floods
import fuzz
import half_closed
import slowloris
from scenario import Scenario

ALL: list[Scenario] = [
    *fuzz.SCENARIOS, *floods.SCENARIOS, *half_closed.SCENARIOS, *descriptors.SCENARIOS, *slowloris.SCENARIOS,
]  # fmt: skip
