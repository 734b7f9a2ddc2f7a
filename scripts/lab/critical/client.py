"""Runs a program: `python -m lab.critical.client SCENARIO ORIGIN` prints how many milliseconds it took. The judge also runs it
beside others in its own process."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import sys
import time
from pathlib import Path

import httpx

from lab.critical.scenario import Scenario, Step


class Client:
    def __init__(self, scenario: Scenario, base: str, context: ssl.SSLContext | bool, proxy: str | None = None):
        self.steps = scenario.steps
        self.base = base
        self.tasks: dict[str, asyncio.Task] = {}
        self.http = httpx.AsyncClient(
            http2=scenario.protocol == "h2", verify=context, proxy=proxy, trust_env=proxy is None, follow_redirects=True,
            timeout=60,
            limits=httpx.Limits(max_connections=scenario.connections, max_keepalive_connections=scenario.connections),
        )  # fmt: skip

    async def run(self) -> float:
        """Returns the milliseconds until the program was done, whatever it left behind."""
        async with self.http:
            began = time.perf_counter()
            await self.step(self.steps)
            took = (time.perf_counter() - began) * 1000
            for task in self.tasks.values():
                task.cancel()
            for task in self.tasks.values():
                with contextlib.suppress(asyncio.CancelledError, httpx.HTTPError):
                    await task
        return took

    async def step(self, step: Step) -> None:
        match step:
            case ["seq", *steps]:
                for each in steps:
                    await self.step(each)
            case ["all", *steps]:
                await asyncio.gather(*map(self.step, steps))
            case ["map", limit, *steps]:
                gate = asyncio.Semaphore(limit)
                await asyncio.gather(*(self.behind(gate, each) for each in steps))
            case ["get", path]:
                await self.http.get(self.base + path)
            case ["post", path]:
                await self.http.post(self.base + path, json={"n": 1})
            case ["retry", path, pause]:
                while (await self.http.get(self.base + path)).status_code == 503:
                    await asyncio.sleep(pause / 1000)
            case ["work", milliseconds]:
                if milliseconds:
                    await asyncio.sleep(milliseconds / 1000)
            case ["spawn", key, work]:
                self.tasks[key] = asyncio.create_task(self.step(work))
                await asyncio.sleep(0)
            case ["join", key]:
                await self.tasks[key]
            case _:
                raise ValueError(f"no step is called {step[0]}")

    async def behind(self, gate: asyncio.Semaphore, step: Step) -> None:
        async with gate:
            await self.step(step)


if __name__ == "__main__":
    scenario = Scenario.read(Path(sys.argv[1]))
    print(asyncio.run(Client(scenario, sys.argv[2], True).run()))
