"""Opens a report, the live page, or Chromium's panel for a recording in headless Chromium, does what standard input says, and prints what came of it as JSON.

    browse.py REPORT.html < steps.json
    browse.py http://127.0.0.1:8888/live < steps.json
    browse.py 'devtools://devtools/bundled/devtools_app.html?ws=127.0.0.1:8888/devtools' < steps.json

A step is an object with one member: `open` (a fragment for the address), `press` (keys, by their names), `type` (text),
`tabTo` (a selector: Tab until it has the focus), `axe` (axe-core looks at the page; what it finds goes to the results),
`click` (a selector), `clickText` (a text between two tags, in shadow trees as well; waits until it is there), `see` (such a text), `hover` (a selector), `resize` ([width, height]), `wheel` ([selector, dx, dy, modifiers]), `theme` (light or dark), `media` (screen or
print), `evaluate` (an expression, awaited), `wait` (an expression, asked until it holds), `touch` (a file to make, for who started
this), `screenshot` (a file). Each evaluation adds to `results`. `problems` are exceptions, messages of the console, dialogs, and
requests for anything but files, data, and what is where the page came from. The panel's own messages are among them.
"""

import base64
import contextlib
import importlib.util
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from websockets.sync.client import connect

OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
    # A test changes the address more often than people do.
    "--disable-ipc-flooding-protection",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--hide-scrollbars=false", "--window-size=1440,900",
    "--remote-debugging-port=0", "--remote-allow-origins=*", "--host-resolver-rules=MAP *.example 127.0.0.1",
]
# The first rows are drawn, or it is the summary that is shown.
READY = (
    "location.protocol !== 'about:' && document.querySelector("
    "'.row:not([hidden]), .summary:not([hidden]) > *, .empty:not([hidden])') !== null")
# The middle of a text. The panel is made of shadow trees.
PLACE_OF_TEXT = """
(function find(node, text) {
  if (node.nodeType === Node.TEXT_NODE && node.data.trim() === text) {
    const range = document.createRange();
    range.selectNode(node);
    const box = range.getBoundingClientRect();
    return box.width > 0 ? [box.left + box.width / 2, box.top + box.height / 2] : null;
  }
  for (const inner of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) {
    const place = find(inner, text);
    if (place) return place;
  }
  return null;
})(document.body, %s)
"""
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}
# Where there are so many things to go to, nobody goes there by the keyboard.
MOST_TABS = 120
# What axe-core finds, in a line for each: the rule, and where.
AXE = """
axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`)))
"""


class Browser:
    """Chromium: as a program without windows, which starts in a fifth of the time, or, for its panel, all of it."""

    def __init__(self, directory, stack, *, has_panel):
        self.process = subprocess.Popen(
            ["chromium" if has_panel else "chromium-headless-shell", *OPTIONS, f"--user-data-dir={directory}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": directory}, start_new_session=True)
        stack.callback(self.process.wait)
        # The command is a script that stays beside the browser.
        stack.callback(os.killpg, self.process.pid, signal.SIGTERM)
        port_file = pathlib.Path(directory, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while not port_file.exists() or len(port_file.read_text().split()) < 2:
            if time.monotonic() > deadline:
                raise TimeoutError("Chromium did not say where it listens")
            time.sleep(0.05)
        port, path = port_file.read_text().split()
        self.socket = stack.enter_context(connect(f"ws://127.0.0.1:{port}{path}", max_size=None, compression=None))
        self.numbers = itertools.count(1)
        self.session = None
        self.problems = []
        self.origin = "file:"

    def call(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv(timeout=120))
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.observe(answer)

    def observe(self, event):
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description", details["text"]))
            case "Runtime.consoleAPICalled":
                self.problems.append("console: " + " ".join(str(one.get("value")) for one in parameters["args"]))
            case "Log.entryAdded":
                self.problems.append("log: " + parameters["entry"]["text"])
            case "Page.javascriptDialogOpening":
                self.problems.append("a dialog opened")
            case "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("file:", "data:", self.origin)):
                    self.problems.append("asked for " + url)

    def attach(self, address="about:blank"):
        target = self.call("Target.createTarget", url=address)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def settle(self):
        """Until what was asked for is drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + 60
        while not self.evaluate(READY):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the page was not loaded: {self.problems}")
            time.sleep(0.02)

    def wait(self, expression):
        deadline = time.monotonic() + 60
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"it did not come to hold: {expression}; problems: {self.problems}; the page: "
                                   + self.evaluate("document.body.innerText")[:2000])
            time.sleep(0.02)

    def press(self, key):
        text = "\r" if key == "Enter" else key if len(key) == 1 else None
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.settle()

    def tab_to(self, selector):
        for _ in range(MOST_TABS):
            if self.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.press("Tab")
        raise RuntimeError(f"{selector} cannot be reached with Tab")

    def axe(self):
        package = pathlib.Path(importlib.util.find_spec("axe_core_python").origin).parent
        # Through the protocol, since the page's policy runs no other script. The value is not wanted.
        self.call("Runtime.evaluate", expression=(package / "axe.min.js").read_text())
        return self.evaluate(AXE)

    def place(self, selector):
        box = self.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
            "return [box.left + box.width / 2, box.top + box.height / 2]; })()")
        return {"x": box[0], "y": box[1]}

    def click(self, place):
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def place_of_text(self, text):
        expression = PLACE_OF_TEXT % json.dumps(text)
        self.wait(f"{expression} !== null")
        x, y = self.evaluate(expression)
        return {"x": x, "y": y}

    def do(self, step):
        (action, value), = step.items()
        match action:
            case "open": self.open(self.address + value)
            case "press": [self.press(key) for key in value]
            case "tabTo": self.tab_to(value)
            case "axe": return [self.axe()]
            case "type": self.call("Input.insertText", text=value)
            case "click": self.click(self.place(value))
            case "clickText": self.click(self.place_of_text(value))
            case "resize":
                self.call("Emulation.setDeviceMetricsOverride", width=value[0], height=value[1], deviceScaleFactor=1, mobile=False)
            case "see": self.place_of_text(value)
            case "hover": self.call("Input.dispatchMouseEvent", type="mouseMoved", **self.place(value))
            case "wheel":
                selector, dx, dy, modifiers = value
                self.call("Input.dispatchMouseEvent", type="mouseWheel", deltaX=dx, deltaY=dy, modifiers=modifiers, **self.place(selector))
            case "theme":
                # Without transitions, in which colours are neither the old nor the new ones.
                features = {"prefers-color-scheme": value, "prefers-reduced-motion": "reduce"}
                self.call("Emulation.setEmulatedMedia", features=[{"name": name, "value": is_so} for name, is_so in features.items()])
            case "media": self.call("Emulation.setEmulatedMedia", media=value)
            case "screenshot":
                data = self.call("Page.captureScreenshot", format="png")["data"]
                pathlib.Path(value).write_bytes(base64.b64decode(data))
            case "evaluate": return [self.evaluate(value)]
            case "wait": self.wait(value)
            case "touch": pathlib.Path(value).touch()
        self.settle()
        return []


def main():
    steps = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory, contextlib.ExitStack() as stack:
        has_panel = sys.argv[1].startswith("devtools:")
        browser = Browser(directory, stack, has_panel=has_panel)
        if has_panel:
            browser.attach(sys.argv[1])
        else:
            browser.attach()
            if sys.argv[1].startswith("http:"):
                browser.address = sys.argv[1]
                browser.origin = browser.address[:browser.address.index("/", 7)] + "/"
            else:
                browser.address = pathlib.Path(sys.argv[1]).resolve().as_uri()
            browser.open(browser.address)
            browser.settle()
        results = [result for step in steps for result in browser.do(step)]
        json.dump({"results": results, "problems": browser.problems}, sys.stdout)


main()
