"""The scripted origin: it answers each request of a scenario after its time, or one of them at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from hypercorn.asyncio import serve
from hypercorn.config import Config

from lab.certificates import Certificates
from lab.critical.scenario import Reply, Scenario
from lab.process import accepts, free_port

# A reply that nobody wrote, such as to a browser's own requests.
MISSING = Reply(wait=0, status=404, type="text/plain", body="")


class Origin:
    """HTTP/1.1 in the clear on one port, HTTP/2 over TLS on the other."""

    def __init__(self, directory: Path):
        self.certificates = Certificates(directory)
        self.replies: dict[str, Reply] = {}
        # Paths, and which of the requests for it is answered at once.
        self.instant: dict[str, int] = {}
        self.asked: Counter[str] = Counter()
        self.clear, self.secure = free_port(), free_port()
        self.stopping = asyncio.Event()

    async def __aenter__(self) -> Origin:
        self.certificates.make()
        config = Config()
        config.insecure_bind = [f"127.0.0.1:{self.clear}"]
        config.bind = [f"127.0.0.1:{self.secure}"]
        config.certfile, config.keyfile = str(self.certificates.certificate), str(self.certificates.key)
        config.alpn_protocols = ["h2"]
        config.keep_alive_timeout = 60
        config.loglevel = "CRITICAL"
        self.task = asyncio.create_task(serve(self.answer, config, shutdown_trigger=self.stopping.wait))
        while not (accepts(self.clear) and accepts(self.secure)):
            await asyncio.sleep(0.02)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stopping.set()
        await self.task

    def base(self, scenario: Scenario) -> str:
        return f"http://127.0.0.1:{self.clear}" if scenario.protocol == "http/1.1" else f"https://localhost:{self.secure}"

    def add(self, scenario: Scenario) -> None:
        self.replies |= scenario.replies

    def prepare(self, scenario: Scenario, instant: dict[str, int]) -> None:
        """Before a run."""
        for path in scenario.replies:
            self.asked.pop(path, None)
            self.instant.pop(path, None)
        self.instant |= instant

    async def answer(self, scope, receive, send) -> None:
        if scope["type"] != "http":
            return
        path = scope["path"]
        reply = self.replies.get(path, MISSING)
        while (await receive()).get("more_body"):
            pass
        self.asked[path] += 1
        is_slow = self.instant.get(path) != self.asked[path]
        status = 503 if self.asked[path] <= reply.refusals else reply.status
        if is_slow:
            await asyncio.sleep(reply.wait / 1000)
        body = reply.body.encode()
        fields = [(b"cache-control", b"no-store")]
        if status not in (204, 304):
            fields += [(b"content-type", reply.type.encode()), (b"content-length", str(len(body)).encode())]
        if reply.location:
            fields.append((b"location", reply.location.encode()))
        await send({"type": "http.response.start", "status": status, "headers": fields})
        half = len(body) // 2
        if is_slow and reply.receive and half:
            await send({"type": "http.response.body", "body": body[:half], "more_body": True})
            await asyncio.sleep(reply.receive / 1000)
            body = body[half:]
        await send({"type": "http.response.body", "body": body})
