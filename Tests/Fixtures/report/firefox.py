"""Opens a page in headless Firefox, evaluates the expression of standard input there, and prints its result as JSON.

    firefox.py http://127.0.0.1:8888/ < expression.js
    firefox.py http://127.0.0.1:8888/ http://evil.example:8888/ < expression.js

The expression is awaited, and evaluated once in each page, one after the other; the results are an array. Names under `.example`
lead to this machine.
"""

import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from websockets.sync.client import connect

PREFERENCES = """
user_pref("network.dns.localDomains", "evil.example,other.example");
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("app.update.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("network.proxy.type", 0);
user_pref("remote.active-protocols", 1);
"""


def main() -> None:
    """Starts Firefox, speaks WebDriver BiDi (W3C) with it, and ends it."""
    urls, expression = sys.argv[1:], sys.stdin.read()
    with tempfile.TemporaryDirectory() as profile:
        (pathlib.Path(profile) / "user.js").write_text(PREFERENCES)
        words = ["firefox", "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as firefox:
            try:
                address = next(m[1] for m in (re.search(r"WebDriver BiDi listening on (ws://\S+)", line) for line in firefox.stderr) if m)
                print(json.dumps(results(address, urls, expression)))
            finally:
                firefox.terminate()


def results(address: str, urls: list[str], expression: str) -> list:
    """What the expression gives in each page."""
    numbers = itertools.count(1)
    with connect(f"{address}/session", max_size=None, proxy=None) as socket:

        def call(method: str, **parameters: object) -> dict:
            number = next(numbers)
            socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
            while True:
                answer = json.loads(socket.recv(timeout=120))
                if answer.get("id") == number:
                    if answer["type"] == "error":
                        raise SystemExit(f"{method}: {answer['message']}")
                    return answer["result"]

        call("session.new", capabilities={})
        context = call("browsingContext.getTree")["contexts"][0]["context"]
        found = []
        for url in urls:
            call("browsingContext.navigate", context=context, url=url, wait="complete")
            # As text: the protocol has forms of its own for values.
            answer = call(
                "script.evaluate", expression=f"({expression}).then(JSON.stringify)", target={"context": context}, awaitPromise=True)
            if answer["type"] != "success":
                raise SystemExit(json.dumps(answer["exceptionDetails"]))
            found.append(json.loads(answer["result"]["value"]))
        return found


main()
