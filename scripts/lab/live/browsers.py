"""Three browser engines, each by the protocol that it has: what a page needs to be measured and looked at."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import re
import signal
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

from websockets.sync.client import ClientConnection, connect

from lab.process import Server, free_port, wait_until

PATIENCE = 120
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"


class BrowserFailed(Exception):
    """A browser did not start, or did not do what it was told."""


class Browser:
    """A browser with one page. Expressions may be promises; their values are JSON."""

    name: str
    # What the command line of the process has that has the page.
    page_process: str

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self.directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        self.log = self.directory / "log"
        self.server: Server | None = None

    def start(self, command: list[str]) -> None:
        self.server = Server(self.name, ["env", f"HOME={self.directory}", *command], self.log)
        self._stack.callback(self.server.stop, signal.SIGTERM, 10)

    def said(self, pattern: str) -> str:
        """The first group of `pattern` in what the browser has said."""
        if not wait_until(lambda: re.search(pattern, self.log.read_text(errors="replace")), PATIENCE):
            raise BrowserFailed(f"{self.name} did not say where it listens: {self.log.read_text(errors='replace')[-1000:]}")
        found = re.search(pattern, self.log.read_text(errors="replace"))
        assert found
        return found[1]

    def page_kib(self) -> int:
        """Memory of the process that has the page: of the largest such process, since browsers keep some ready."""
        assert self.server
        return self.server.largest_kib(self.page_process)

    def open(self, url: str) -> None:
        raise NotImplementedError

    def evaluate(self, expression: str) -> object:
        raise NotImplementedError

    def resize(self, width: int, height: int) -> None:
        raise NotImplementedError

    def screenshot(self) -> bytes:
        raise NotImplementedError

    def wait(self, expression: str) -> None:
        if not wait_until(lambda: self.evaluate(expression), PATIENCE):
            raise BrowserFailed(f"{self.name}: it did not come to hold: {expression}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class MessageSocket:
    """Commands with numbers and answers to them: the DevTools protocol, and WebDriver BiDi."""

    def __init__(self, socket: ClientConnection):
        self._socket = socket
        self._numbers = itertools.count(1)

    def call(self, method: str, parameters: dict[str, object], **members: object) -> dict:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters, **members}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserFailed(f"{method}: {answer}")
                return answer["result"]


class Chromium(Browser):
    name = "Chromium"
    page_process = "--type=renderer"

    def __init__(self) -> None:
        super().__init__()
        self.start(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                f"--user-data-dir={self.directory}/profile",
                "about:blank",
            ]
        )
        address = self.said(r"DevTools listening on (ws://\S+)")
        self._socket = MessageSocket(self._stack.enter_context(connect(address, max_size=None, compression=None)))
        target = self._socket.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._socket.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self._call("Page.enable")

    def _call(self, method: str, **parameters: object) -> dict:
        return self._socket.call(method, parameters, sessionId=self._session)

    def open(self, url: str) -> None:
        self._call("Page.navigate", url=url)

    def evaluate(self, expression: str) -> object:
        answer = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserFailed(f"{self.name}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self) -> bytes:
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])


class Firefox(Browser):
    """By WebDriver BiDi, without a driver between."""

    name = "Firefox"
    page_process = "-contentproc"

    def __init__(self) -> None:
        super().__init__()
        profile = self.directory / "profile"
        profile.mkdir()
        self.start(
            [
                "firefox-esr",
                "--headless",
                "--no-remote",
                "--profile",
                str(profile),
                "--remote-debugging-port=0",
                "about:blank",
            ]
        )
        address = self.said(r"WebDriver BiDi listening on (ws://\S+)")
        self._socket = MessageSocket(self._stack.enter_context(connect(f"{address}/session", max_size=None, compression=None)))
        self._socket.call("session.new", {"capabilities": {}})
        self._context = self._socket.call("browsingContext.getTree", {})["contexts"][0]["context"]

    def open(self, url: str) -> None:
        self._socket.call("browsingContext.navigate", {"context": self._context, "url": url, "wait": "interactive"})

    def evaluate(self, expression: str) -> object:
        answer = self._socket.call(
            "script.evaluate",
            {
                "expression": f"(async () => JSON.stringify(await ({expression})) ?? null)()",
                "target": {"context": self._context},
                "awaitPromise": True,
            },
        )
        if answer["type"] != "success":
            raise BrowserFailed(f"{self.name}: {answer}")
        return json.loads(answer["result"].get("value") or "null")

    def resize(self, width: int, height: int) -> None:
        self._socket.call(
            "browsingContext.setViewport", {"context": self._context, "viewport": {"width": width, "height": height}}
        )

    def screenshot(self) -> bytes:
        return base64.b64decode(self._socket.call("browsingContext.captureScreenshot", {"context": self._context})["data"])


class WebKit(Browser):
    """WebKitGTK's small browser by its WebDriver, on a screen that nobody sees."""

    name = "WebKitGTK"
    page_process = "WebKitWebProcess"

    def __init__(self) -> None:
        super().__init__()
        browsers = sorted(Path("/").glob(MINI_BROWSERS.lstrip("/")))
        if not browsers:
            raise BrowserFailed("there is no MiniBrowser; scripts/setup --live installs it")
        port = free_port()
        # The sandbox needs namespaces, which containers seldom have.
        self.start(
            [
                "env",
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1",
                "LIBGL_ALWAYS_SOFTWARE=1",
                "xvfb-run",
                "--auto-servernum",
                "--server-args=-screen 0 1600x1200x24",
                "WebKitWebDriver",
                f"--port={port}",
            ]
        )
        self._address = f"http://127.0.0.1:{port}"
        if not wait_until(self._answers, PATIENCE):
            raise BrowserFailed(f"WebKitWebDriver does not answer: {self.log.read_text()[-1000:]}")
        options = {"binary": str(browsers[-1]), "args": ["--automation"]}
        capabilities = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self._session = self._ask("POST", "/session", {"capabilities": capabilities})["sessionId"]
        self._stack.callback(self._ask, "DELETE", f"/session/{self._session}")

    def _answers(self) -> bool:
        try:
            return bool(self._ask("GET", "/status")["ready"])
        except OSError:
            return False

    def _ask(self, method: str, path: str, parameters: dict[str, object] | None = None):
        body = json.dumps(parameters).encode() if parameters is not None else None
        request = urllib.request.Request(f"{self._address}{path}", body, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserFailed(f"{self.name}: {error.read().decode(errors='replace')[:1000]}") from None

    def open(self, url: str) -> None:
        self._ask("POST", f"/session/{self._session}/url", {"url": url})

    def evaluate(self, expression: str) -> object:
        script = f"const done = arguments[0]; Promise.resolve({expression}).then(done, (error) => done(String(error)));"
        return self._ask("POST", f"/session/{self._session}/execute/async", {"script": script, "args": []})

    def resize(self, width: int, height: int) -> None:
        self._ask("POST", f"/session/{self._session}/window/rect", {"x": 0, "y": 0, "width": width, "height": height})

    def screenshot(self) -> bytes:
        return base64.b64decode(self._ask("GET", f"/session/{self._session}/screenshot"))


BROWSERS: dict[str, type[Browser]] = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}
