"""Generates programs: what people write with a client of HTTP, from a seed."""

from __future__ import annotations

import random

from lab.critical.scenario import Reply, Scenario, Step

NOUNS = ["orders", "users", "prices", "stock", "basket", "items", "search", "account", "rates", "config", "teams", "builds"]
# People give these names to what nobody waits for; others do not.
BEACONS = ["beacon", "telemetry", "collect", "v1/traces", "analytics/event", "metrics"]
NEUTRAL = ["seen", "visits", "touch"]


class ProgramMaker:
    def __init__(self, seed: int, number: int):
        self.random = random.Random(f"{seed} {number}")
        self.name = f"p{number}"
        self.replies: dict[str, Reply] = {}
        self.keys = 0

    def scenario(self) -> Scenario:
        pick = self.random
        blocks = [self.block() for _ in range(pick.randint(2, 5))]
        steps: Step = ["seq"]
        for place, block in enumerate(blocks):
            if place:
                steps.append(self.work())
            steps.append(block)
        if pick.random() < 0.3:
            self.beacon(steps)
        if pick.random() < 0.3:
            self.prefetch(steps)
        return Scenario(
            self.name, steps, self.replies,
            protocol="h2" if pick.random() < 0.25 else "http/1.1",
            connections=pick.choice([1, 2, 4, 6, 100, 100, 100]),
        )  # fmt: skip

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def length(self, most: float = 600) -> float:
        """Of an answer, by its logarithm."""
        return round(self.random.uniform(8, 20) * (most / 20) ** self.random.random(), 1)

    def work(self) -> Step:
        """0 to 2 s."""
        kind = self.random.random()
        if kind < 0.4:
            return ["work", 0]
        if kind < 0.65:
            return ["work", round(self.random.uniform(1, 50), 1)]
        if kind < 0.85:
            return ["work", round(self.random.uniform(50, 500), 1)]
        return ["work", round(self.random.uniform(500, 2000), 1)]

    def path(self, noun: str | None = None) -> str:
        return f"/{self.name}/{noun or self.random.choice(NOUNS)}/{len(self.replies) + 1}"

    def reply(self, most: float = 600, noun: str | None = None, **members) -> str:
        length = self.length(most)
        receive = round(length * self.random.choice([0, 0, 0.2, 0.5]), 1)
        path = self.path(noun)
        self.replies[path] = Reply(round(length - receive, 1), receive, **members)
        return path

    def key(self) -> str:
        self.keys += 1
        return f"k{self.keys}"

    # Blocks

    def block(self) -> Step:
        kinds = [self.single, self.single, self.chain, self.gather, self.gather, self.chains, self.pool, self.listing,
                 self.redirect, self.retry]  # fmt: skip
        return self.random.choice(kinds)()

    def single(self) -> Step:
        return [self.random.choice(["get", "get", "post"]), self.reply()]

    def chain(self) -> Step:
        steps: Step = ["seq", self.single()]
        for _ in range(self.random.randint(1, 3)):
            steps += [self.work(), self.single()]
        return steps

    def gather(self) -> Step:
        count = self.random.randint(2, 8)
        calls: Step = ["all"] + [["get", self.reply(300)] for _ in range(count)]
        if self.chance(0.5):
            # One holds up the rest.
            slow = self.random.choice(calls[1:])[1]
            self.replies[slow].wait += round(self.random.uniform(200, 900))
        return calls

    def chains(self) -> Step:
        """Several at the same time, each of two or three calls."""
        steps: Step = ["all"]
        for _ in range(self.random.randint(2, 3)):
            chain: Step = ["seq", ["get", self.reply(300)]]
            for _ in range(self.random.randint(1, 2)):
                chain += [["work", 0 if self.chance(0.6) else round(self.random.uniform(1, 60), 1)], ["get", self.reply(300)]]
            steps.append(chain)
        return steps

    def pool(self) -> Step:
        """A loop over items with a limit, whose times are alike or not."""
        noun = self.random.choice(NOUNS)
        calls = [["get", self.reply(self.random.choice([60, 200]), noun)] for _ in range(self.random.randint(4, 12))]
        if self.chance(0.5):
            self.replies[self.random.choice(calls)[1]].wait += round(self.random.uniform(200, 600))
        return ["map", self.random.randint(2, 4), *calls]

    def listing(self) -> Step:
        """The answer names what comes next."""
        paths = [self.reply(200) for _ in range(self.random.randint(2, 5))]
        first = self.reply(body="[" + ",".join(f'"{path}"' for path in paths) + "]")
        return ["seq", ["get", first], self.work(), ["all", *(["get", path] for path in paths)]]

    def redirect(self) -> Step:
        target = self.reply()
        return ["get", self.reply(200, status=302, location=target)]

    def retry(self) -> Step:
        return ["retry", self.reply(100, refusals=self.random.randint(1, 2)), round(self.random.uniform(20, 300))]

    # What goes on beside

    def place(self, steps: Step) -> int:
        return self.random.randint(1, len(steps) - 1)

    def beacon(self, steps: Step) -> None:
        """Nobody waits for it."""
        noun = self.random.choice(BEACONS if self.chance(0.7) else NEUTRAL)
        path = self.reply(1500, noun, status=204, type="", body="")
        steps.insert(self.place(steps), ["spawn", self.key(), ["post", path]])

    def prefetch(self, steps: Step) -> None:
        """Begun early, and wanted later."""
        key = self.key()
        begin = self.place(steps)
        steps.insert(begin, ["spawn", key, ["get", self.reply(1200)]])
        steps.insert(self.random.randint(begin + 1, len(steps)), ["join", key])
        if steps[-1][0] == "join":
            steps.append(["get", self.reply()])
