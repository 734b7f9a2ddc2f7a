"""Generates pages for a browser from a seed: what holds up `load`, what its programs ask for, and what nobody waits for."""

from __future__ import annotations

from lab.critical.programs import ProgramMaker
from lab.critical.scenario import Reply, Scenario, Step

# The smallest picture that a browser takes.
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
MOMENTS = {
    "load": "addEventListener('load', () => main())",
    "content": "document.addEventListener('DOMContentLoaded', () => main())",
    "now": "main()",
}
HELPERS = """
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const get = (path, options) => fetch(path, options).then((answer) => answer.text());
const loaded = new Promise((done) => addEventListener('load', done));
async function pool(limit, works) {
  const rest = [...works];
  await Promise.all(Array.from({ length: limit }, async () => { while (rest.length) await rest.shift()(); }));
}
"""


class PageMaker(ProgramMaker):
    def __init__(self, seed: int, number: int):
        super().__init__(seed, number)
        self.random.seed(f"page {seed} {number}")
        self.name = f"w{number}"

    def asset(self, kind: str, type: str, most: float, body: str) -> str:
        path = f"/{self.name}/{kind}{len(self.replies)}"
        self.replies[path] = Reply(self.length(most), 0, type=type, body=body)
        return path

    def scenario(self) -> Scenario:
        pick = self.random
        document = f"/{self.name}/"
        self.replies[document] = Reply(self.length(300), type="text/html", body="")
        head, body = [], []
        for _ in range(pick.randint(1, 3)):
            css = "p { color: #123 }"
            if self.chance(0.3):
                font = self.asset("font", "font/woff2", 500, "none")
                css = f"@font-face {{ font-family: own; src: url({font}) }} p {{ font-family: own }}"
            head.append(f'<link rel=stylesheet href="{self.asset("style", "text/css", 300, css)}">')
        pictures = [
            self.asset("picture", "image/svg+xml", 150, PICTURE) for _ in range(pick.choice([2, 5, 5, 12, 12, 60]))
        ]  # fmt: skip
        if self.chance(0.6):
            self.replies[pick.choice(pictures)].wait += pick.randint(500, 1500)
        body += [f'<p>words</p><img src="{path}">' for path in pictures]
        for _ in range(pick.randint(0, 3)):
            script = self.asset("part", "text/javascript", 250, "const noted = 1;".replace("noted", f"noted{len(self.replies)}"))
            head.append(f'<script {pick.choice(["", "defer", "async"])} src="{script}"></script>')
        if self.chance(0.3):
            head.append(f'<link rel=prefetch href="{self.asset("later", "text/javascript", 1500, "0")}">')
        icon = self.asset("icon", "image/svg+xml", 1500, PICTURE)
        head.append(f'<link rel=icon href="{icon if self.chance(0.5) else "data:,"}">')
        main = self.asset("main", "text/javascript", 250, self.program())
        head.append(f'<script {pick.choice(["defer", "defer", "async", "type=module"])} src="{main}"></script>')
        self.replies[
            document
        ].body = f"<!doctype html><html><head><title>{self.name}</title>{''.join(head)}</head><body>{''.join(body)}</body></html>"
        return Scenario(
            self.name, [], self.replies, protocol="h2" if pick.random() < 0.3 else "http/1.1", document=document
        )  # fmt: skip

    def work(self) -> Step:
        """Shorter than a program's, because a browser needs its time."""
        kind, milliseconds = super().work()
        return [kind, round(milliseconds / 4, 1)]

    def program(self) -> str:
        """In JavaScript."""
        steps: Step = ["seq"]
        for place in range(self.random.randint(1, 4)):
            if place or self.chance(0.5):
                steps.append(self.work())
            steps.append(self.random.choice([self.single, self.single, self.gather, self.chain, self.pool])())
        if self.chance(0.4):
            self.beacon(steps)
        moment = self.random.choice(["load", "load", "content", "now"])
        return (
            f"{HELPERS}async function main() {{ {self.script(steps)}; await loaded; window.finished = performance.now(); }}\n"
            f"{MOMENTS[moment]};\n"
        )

    def script(self, step: Step) -> str:
        """An expression of a promise, or a statement that awaits."""
        match step:
            case ["seq", *steps]:
                return "; ".join(self.script(each) for each in steps)
            case ["all", *steps]:
                return f"await Promise.all([{', '.join(self.promise(each) for each in steps)}])"
            case ["map", limit, *steps]:
                return f"await pool({limit}, [{', '.join(f'() => {self.promise(each)}' for each in steps)}])"
            case ["work", milliseconds] if self.chance(0.5):
                return f"{{ const end = performance.now() + {milliseconds}; while (performance.now() < end); }}"
            case ["work", milliseconds]:
                return f"await sleep({milliseconds})"
            case ["spawn", _, ["post", path]]:
                return f"navigator.sendBeacon({self.address(path)}, 'x')"
            case _:
                return f"await {self.promise(step)}"

    def promise(self, step: Step) -> str:
        match step:
            case ["get", path]:
                return f"get({self.address(path)})"
            case ["post", path]:
                return f"get({self.address(path)}, {{ method: 'POST', body: '{{}}' }})"
            case _:
                return f"(async () => {{ {self.script(step)} }})()"

    def address(self, path: str) -> str:
        """As it is, or from parts."""
        front, _, last = path.rpartition("/")
        return f"'{path}'" if self.chance(0.5) else f"['{front}', {last}].join('/')"
