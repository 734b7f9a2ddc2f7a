"""A scenario is recorded once, and then run again without each of its exchanges: what the run gains by that is the truth."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import ssl
import statistics
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lab.bench.interceptors import InterceptingTapeline
from lab.critical import browser
from lab.critical.client import Client
from lab.critical.origin import Origin
from lab.critical.scenario import Scenario
from lab.proxy import Tapeline
from lab.tool import ROOT, binary

# Runs with every exchange in them, before those without one, and as many behind them: how busy the machine is changes.
WHOLE_RUNS = 3
# Programs are recorded one after the other: their starts would make each other's exchanges slow.
RECORDING = asyncio.Semaphore(1)
# The slowest pictures of a page.
PICTURES = 4


@dataclass
class Truth:
    """Times in milliseconds."""

    whole: float
    # How far the whole runs are apart.
    noise: float
    # By path, for each exchange with it: how long the run takes if that one is answered at once.
    without: dict[str, list[float]] = field(default_factory=dict)
    # Exchanges that are alike, and the run if all are answered at once.
    together: list[dict] = field(default_factory=list)

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)))


class ProgramTrial:
    # Whatever disturbs a run makes it longer, so that the shortest of several counts: one run alone was off by 100 ms at times.
    repetitions = 2

    def __init__(self, scenario: Scenario, directory: Path, between: InterceptingTapeline | None = None):
        self.scenario = scenario
        self.directory = directory
        self.between = between
        self.captures = [directory / "run.har"]

    async def record(self, origin: Origin) -> None:
        """By the program itself, as its user would."""
        self.scenario.write(self.directory / "scenario.json")
        origin.prepare(self.scenario, {})
        command = [binary(), "run", "--quiet", "--output", str(self.captures[0]), "--upstream-ca", str(origin.certificates.root),
                   "--", sys.executable, "-m", "lab.critical.client", str(self.directory / "scenario.json"),
                   origin.base(self.scenario)]  # fmt: skip
        process = await asyncio.create_subprocess_exec(
            *command, env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        output, errors = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"{self.scenario.name}: {(errors or output).decode()[-2000:]}")

    def removed(self, asked: dict[str, int]) -> list[tuple[str, int]]:
        """The exchanges without which the run is repeated: their paths, and how often each was asked for."""
        return list(asked.items())

    async def run(self, origin: Origin) -> float:
        """Behind tapeline, too: clients share their connections otherwise where there is no proxy."""
        assert self.between, "a program has a proxy of its judge"
        context = ssl.create_default_context(cafile=str(self.between.directory / "authority/ca.pem"))
        return await Client(self.scenario, origin.base(self.scenario), context, f"http://{self.between.authority}").run()


class PageTrial(ProgramTrial):
    """A page is recorded twice: by tapeline, and by the browser, which knows its events. Each run goes through tapeline, so that
    the truth is that of a page that was recorded."""

    def __init__(self, scenario: Scenario, directory: Path, started):
        super().__init__(scenario, directory)
        self.captures = [directory / "proxy" / "recording.har", directory / "browser.har"]
        self.started = started
        self.numbers = itertools.count()

    async def record(self, origin: Origin) -> None:
        self.scenario.write(self.directory / "scenario.json")
        base = origin.base(self.scenario)
        with self.proxy(origin, "proxy") as proxy:
            origin.prepare(self.scenario, {})
            await browser.load(self.started, self.scenario, base, proxy.authority)
        # Another run: for a browser's log with bodies, Playwright asks for prefetches a second time.
        with self.proxy(origin, "beside") as proxy:
            origin.prepare(self.scenario, {})
            await browser.load(self.started, self.scenario, base, proxy.authority, self.captures[1])

    @contextlib.contextmanager
    def proxy(self, origin: Origin, name: str):
        proxy = Tapeline(self.directory / name, ["--intercept", "--upstream-ca", str(origin.certificates.root)])
        proxy.start()
        try:
            yield proxy
        finally:
            proxy.stop()

    def removed(self, asked: dict[str, int]) -> list[tuple[str, int]]:
        """All but the quicker ones of many pictures: they are alike."""
        pictures = [path for path in asked if "/picture" in path]
        quick = sorted(pictures, key=lambda path: -self.scenario.replies[path].wait)[PICTURES:]
        return [(path, count) for path, count in asked.items() if path not in quick]

    async def run(self, origin: Origin) -> float:
        with self.proxy(origin, f"run{next(self.numbers)}") as proxy:
            return await browser.load(self.started, self.scenario, origin.base(self.scenario), proxy.authority, stays=False)


async def examine(trial: ProgramTrial, origin: Origin) -> Truth:
    origin.add(trial.scenario)
    async with RECORDING:
        await trial.record(origin)

    async def run(instant: dict[str, int]) -> float:
        origin.prepare(trial.scenario, instant)
        return await trial.run(origin)

    whole = [await run({}) for _ in range(WHOLE_RUNS)]
    asked = {path: origin.asked[path] for path in trial.scenario.replies}
    truth = Truth(0, 0)
    for path, count in trial.removed(asked):
        truth.without[path] = [
            min([await run({path: turn + 1}) for _ in range(trial.repetitions)]) for turn in range(count)
        ]  # fmt: skip
    # What hurts most is measured again, so that chance does not choose it.
    exchanges = [(took, path, turn) for path, times in truth.without.items() for turn, took in enumerate(times)]
    for _, path, turn in sorted(exchanges)[:3]:
        again = [await run({path: turn + 1}) for _ in range(2)]
        truth.without[path][turn] = min([*again, truth.without[path][turn]])
    whole += [await run({}) for _ in range(WHOLE_RUNS)]
    truth.whole, truth.noise = min(whole), statistics.median(whole) - min(whole)
    truth.write(trial.directory / "truth.json")
    return truth
