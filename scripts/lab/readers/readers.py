"""The programs that read HARs, each asked whether it takes one. A reader gives a few words about what it saw, or raises."""

from __future__ import annotations

import base64
import json
import logging
import os
import subprocess
import tempfile
import time
from pathlib import Path

from lab import schema
from lab.tool import ROOT

PROFILES = ("devtools", "firefox", "playwright", "mitmproxy")


class Refused(Exception):
    """What the reader said."""


class Capture:
    """A HAR, with the paths that readers of browsers can be asked for."""

    def __init__(self, path: Path, tapeline: str, base: str):
        self.path = path
        self.tapeline = tapeline
        self.base = base
        self.har = json.loads(path.read_text())

    @property
    def entries(self) -> list[dict]:
        return self.har["log"]["entries"]


def run(command: list[str], **options) -> str:
    """What the command wrote; it has to succeed."""
    try:
        finished = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(str(error)) from error
    if finished.returncode:
        raise Refused((finished.stdout + finished.stderr).strip()[-2000:] or f"exit status {finished.returncode}")
    return finished.stdout


def expect(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise Refused(f"{what}: {found}, and not {wanted}")


def har_schema(capture: Capture) -> str:
    if mistakes := schema.mistakes(capture.har):
        raise Refused("\n".join(mistakes[:10]))
    return f"{len(capture.entries)} entries, and the rules beside the schema"


def node_har_validator(capture: Capture) -> str:
    script = """
        const har = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        require('har-validator').har(har).catch(error => {
          console.error(error.errors ? JSON.stringify(error.errors) : String(error));
          process.exit(1);
        });
        """
    run(["node", "-e", script, str(capture.path)], env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
    return f"{len(capture.entries)} entries"


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def haralyzer(capture: Capture) -> str:
    from haralyzer import HarParser

    parser = HarParser(capture.har)
    pages = parser.pages
    expect(sum(len(page.entries) for page in pages), len(capture.entries), "entries of all pages")
    for page in pages:
        for entry in page.entries:
            for value in (entry.url, entry.status, entry.startTime, entry.time, entry.timings, entry.response.bodySize,
                          entry.request.headers, entry.response.mimeType, entry.cookies, entry.pageref, entry.cache,
                          entry.secure):  # fmt: skip
                del value
            # HAR's `connection` is optional, and where nothing was connected to there is no port.
            expect(entry.port if "connection" in entry.raw_entry else None, number(entry.raw_entry.get("connection")), "port")
        for value in (
            page.page_size,
            page.page_load_time,
            page.html_files,
            page.image_files,
            page.get_requests,
            page.post_requests,
        ):
            del value
    return f"{len(pages)} pages, {sum(len(page.entries) for page in pages)} entries, every property"


def har2tree(capture: Capture) -> str:
    logging.disable(logging.CRITICAL)
    from har2tree import CrawledTree

    try:
        tree = CrawledTree([capture.path], "tapeline")
        nodes = sum(1 for _ in tree.root_hartree.url_tree.traverse())
        expect(tree.root_url, f"{capture.base}/", "the root's URL")
        json.loads(tree.to_json())
    finally:
        logging.disable(logging.NOTSET)
    return f"a tree of {nodes} nodes from {tree.root_url}"


# What mitmproxy can encode again; a response with any other coding makes it refuse the whole file.
KNOWN_TO_MITMPROXY = {"", "identity", "gzip", "deflate", "br", "zstd"}


def mitmdump(capture: Capture) -> str:
    known = [entry for entry in capture.entries if content_coding(entry) in KNOWN_TO_MITMPROXY]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "known.har"
        file.write_text(json.dumps({"log": {**capture.har["log"], "entries": known}}))
        return f"{mitmdump_flows(file, len(known))} ({len(capture.entries) - len(known)} have codings that it does not know)"


def mended_mitmdump(capture: Capture) -> str:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "mended.har"
        command = [capture.tapeline, "lint", str(capture.path), "--profile", "mitmproxy", "--fix", "-o", str(file)]
        finished = subprocess.run(command, capture_output=True, text=True)
        if not file.exists():
            raise Refused(finished.stderr)
        return mitmdump_flows(file, len(capture.entries))


def content_coding(entry: dict) -> str:
    fields = entry["response"]["headers"]
    return ", ".join(field["value"] for field in fields if field["name"].lower() == "content-encoding").lower()


def mitmdump_flows(file: Path, wanted: int) -> str:
    """mitmdump reads `file`, and shows each flow's content to a script that counts."""
    program = ROOT / ".build-tools/mitmproxy/bin/mitmdump"
    script = file.with_name("count.py")
    script.write_text(
        "count = 0\n"
        "def response(flow):\n    global count\n    count += 1\n    flow.response.get_content(strict=False)\n"
        "def done():\n    print('flows', count)\n"
    )
    output = run([str(program), "-q", "--set", f"confdir={file.parent}", "-n", "-r", str(file), "-s", str(script)])
    found = [line for line in output.splitlines() if line.startswith("flows ")]
    expect(found[-1:], [f"flows {wanted}"], "flows")
    return found[-1]


FETCH = """async url => {
  const answer = await fetch(url);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return [answer.status, btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))];
}"""


def playwright(capture: Capture) -> str:
    from playwright.sync_api import sync_playwright

    asked = 0
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        context = browser.new_context(ignore_https_errors=True)
        context.route_from_har(capture.path, not_found="abort")
        page = context.new_page()
        page.goto(f"{capture.base}/")
        expect(page.title(), "A page", "the page's title")
        for entry in answered_once(capture):
            if not page.evaluate("url => new URL(url).href === url", entry["request"]["url"]):
                # A page cannot ask for it: browsers change such a URL before they do.
                continue
            content = entry["response"]["content"]
            text = content.get("text", "")
            wanted = base64.b64decode(text) if content.get("encoding") == "base64" else text.encode()
            found = page.evaluate(FETCH, entry["request"]["url"])
            expect(found, [entry["response"]["status"], base64.b64encode(wanted).decode()], entry["request"]["url"])
            asked += 1
        browser.close()
    return f"a page, and {asked} answers served from the file, byte by byte"


def answered_once(capture: Capture) -> list[dict]:
    """GETs of the page's own origin that it may look at: with one answer for their URL, whole, neither redirected nor empty."""
    urls = [entry["request"]["url"] for entry in capture.entries]
    return [
        entry
        for entry in capture.entries
        if entry["request"]["method"] == "GET"
        and entry["request"]["url"].startswith(capture.base + "/")
        and urls.count(entry["request"]["url"]) == 1
        and 200 <= entry["response"]["status"] < 600
        and entry["response"]["status"] not in (204, 205, 304, *range(300, 309))
        and "_error" not in entry
        and "_truncated" not in entry["response"]["content"]
    ]


def har_capture(capture: Capture) -> str:
    import sys

    run([sys.executable, "-m", "har_capture", "validate", str(capture.path), "--patterns", "base"])
    return "no secret found"


def tapeline_lint(capture: Capture) -> str:
    """No error by any profile but for the codings that mitmproxy does not know."""
    for profile in PROFILES:
        command = [capture.tapeline, "lint", str(capture.path), "--profile", profile, "--json"]
        finished = subprocess.run(command, capture_output=True, text=True)
        found = [json.loads(line) for line in finished.stdout.splitlines()]
        errors = [
            f"{each['path']}: {each['message']}"
            for each in found
            if each["severity"] == "error" and each["rule"] != "mitmproxy-coding"
        ]
        if errors or finished.returncode not in (0, 1):
            raise Refused("\n".join(errors[:10]) or finished.stderr)
    return ", ".join(PROFILES)


def tapeline_list(capture: Capture) -> str:
    started = time.monotonic()
    rows = run([capture.tapeline, "list", str(capture.path)]).count("\n")
    if rows < len(capture.entries):
        raise Refused(f"{rows} rows for {len(capture.entries)} entries")
    return f"{rows} lines in {(time.monotonic() - started) * 1000:.0f} ms"


ALL = {
    "har-schema": har_schema,
    "node-har-validator": node_har_validator,
    "haralyzer": haralyzer,
    "har2tree": har2tree,
    "mitmdump -nr": mitmdump,
    "mitmdump, file mended": mended_mitmdump,
    "Playwright route_from_har": playwright,
    "har-capture": har_capture,
    "tapeline lint": tapeline_lint,
    "tapeline list": tapeline_list,
}
