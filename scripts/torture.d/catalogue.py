"""Every scenario, in the order in which they run."""

from __future__ import annotations

import fuzz
from scenario import Scenario

ALL: list[Scenario] = [*fuzz.SCENARIOS]
