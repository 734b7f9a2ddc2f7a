"""Measures the live page in three browser engines: how long after its end an exchange is on the screen, how long a filter over
many rows takes, how soon a large report is there; and what a reader costs the proxy at full load.

An exchange's end is the moment at which its client has the last byte; the page's frames are looked at from inside the page. Both
read the clock of the machine. Rounds of load with and without a reader alternate, and their medians are compared.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import threading
import time
from pathlib import Path

from lab.bench.inspection import make
from lab.live.browsers import BROWSERS, Browser
from lab.load import request_rate
from lab.nginx import Nginx
from lab.proxy import Tapeline
from lab.run import Verdict, Workspace, argument_parser, binary, print_verdicts, progress, selection, write_json
from lab.wire import connect, get, read_response

MOST_DELAY_MS = 150
MOST_FILTER_MS = 150
MOST_OPENING_MS = 1_000
LEAST_SHARE = 0.97
REPORTED = 5_000
LISTED = 100_000
# Notes, frame by frame, when the page first shows each number of exchanges.
WATCH = """
(() => {
  globalThis.seen = {};
  const look = () => {
    const count = parseInt(document.querySelector('#count').textContent.replace(/\\D/g, ''), 10) || 0;
    if (!(count in seen)) seen[count] = performance.timeOrigin + performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  return true;
})()
"""
# Milliseconds until the rows of a filter are drawn.
FILTER = """
(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const field = document.querySelector('#filter');
  const times = [];
  for (const text of ['status >= 400', 'small', 'status >= 400', '']) {
    const before = document.querySelector('#count').textContent;
    const start = performance.now();
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    do { await frame(); } while (document.querySelector('#count').textContent === before && performance.now() < start + 20000);
    times.push(performance.now() - start);
  }
  return Math.max(...times);
})()
"""
# Milliseconds from the navigation to the first frame that has rows.
OPENED = """
(async () => {
  while (!document.querySelector('.row:not([hidden])')) await new Promise((done) => requestAnimationFrame(done));
  return performance.now();
})()
"""


def delays(browser: Browser, proxy: Tapeline, url: str, count: int) -> list[float]:
    """Milliseconds from the end of each exchange to the frame that shows it."""
    browser.open(f"http://{proxy.authority}/live")
    browser.wait("document.querySelector('#count') !== null && document.querySelector('#live-status')?.textContent === 'Live'")
    before = browser.evaluate("parseInt(document.querySelector('#count').textContent.replace(/\\D/g, ''), 10) || 0")
    assert isinstance(before, int)
    browser.evaluate(WATCH)
    ended = []
    with connect(proxy.address, timeout=30) as connection:
        for number in range(count):
            # At no fixed distance to the proxy's looks.
            time.sleep(0.03 + 0.01 * (number % 7))
            connection.sendall(get(url, close=False))
            read_response(connection)
            ended.append(time.time() * 1_000)
    browser.wait(f"{before + count} in seen")
    seen = {int(key): value for key, value in json.loads(str(browser.evaluate("JSON.stringify(seen)"))).items()}
    shown = sorted(seen.items())
    # Several exchanges may come in one frame: each is shown with the first count that includes it.
    return [next(at for total, at in shown if total >= before + place + 1) - end for place, end in enumerate(ended)]


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def reading(proxy: Tapeline, stop: threading.Event) -> None:
    """Takes the events as fast as they come, and looks at none of them."""
    with connect(proxy.address, timeout=1) as connection:
        connection.sendall(f"GET /live/events HTTP/1.1\r\nHost: {proxy.authority}\r\n\r\n".encode())
        while not stop.is_set():
            try:
                if not connection.recv(1 << 18):
                    return
            except TimeoutError:
                continue


def rate(directory: Path, url: str, seconds: float, is_read: bool) -> tuple[float, int]:
    """Requests a second, and the proxy's memory at most, in KiB."""
    proxy = Tapeline(directory)
    proxy.start()
    stop = threading.Event()
    reader = threading.Thread(target=reading, args=(proxy, stop))
    try:
        if is_read:
            reader.start()
        sample = request_rate(url, proxy.authority, seconds)
        peak = proxy.running.peak_resident_kib()
    finally:
        stop.set()
        if is_read:
            reader.join()
        proxy.stop()
    if sample.failed or sample.cut:
        raise SystemExit(f"{sample.failed + sample.cut} requests failed")
    return sample.rate, peak


def costs(directory: Path, url: str, seconds: float, rounds: int) -> dict[str, float]:
    rates: dict[bool, list[float]] = {False: [], True: []}
    peaks: dict[bool, list[int]] = {False: [], True: []}
    for number in range(rounds):
        for is_read in (False, True):
            value, peak = rate(directory / f"{number}-{is_read}", url, seconds, is_read)
            rates[is_read].append(value)
            peaks[is_read].append(peak)
    alone, read = statistics.median(rates[False]), statistics.median(rates[True])
    progress(f"{alone:,.0f} requests/s alone, {read:,.0f} with a reader; {max(peaks[False])} and {max(peaks[True])} KiB at most")
    return {"alone": alone, "read": read, "share": read / alone}


def report_of(directory: Path, entries: int) -> Path:
    """A report of the beginning of a made capture."""
    capture, report = directory / "made.har", directory / "made.html"
    made = make(str(capture), entries << 12)
    log = json.loads(capture.read_text())
    if made < entries:
        raise SystemExit(f"the capture has {made} entries, not {entries}")
    log["log"]["entries"] = log["log"]["entries"][:entries]
    capture.write_text(json.dumps(log))
    subprocess.run([binary(), "report", str(capture), "-o", str(report)], check=True, capture_output=True)
    return report


def fill(proxy: Tapeline, url: str, count: int) -> None:
    """Exchanges for many rows."""
    with connect(proxy.address, timeout=30) as client:
        for _ in range(count):
            client.sendall(get(url, close=False))
            read_response(client)


def looks(browser: Browser, directory: Path) -> None:
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        browser.resize(width, height)
        browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        (directory / f"{browser.name.lower()}-{width}.png").write_bytes(browser.screenshot())


def main(words: list[str]) -> int:
    parser = argument_parser("live", __doc__)
    parser.add_argument("--browsers", help=f"of {', '.join(BROWSERS)}, separated by commas; default: all")
    parser.add_argument("--exchanges", type=int, default=300, help="whose way to the screen is timed, in each browser")
    parser.add_argument("--rows", type=int, default=LISTED, help="that are filtered")
    parser.add_argument("--seconds", type=float, default=8, help="of load in a round")
    parser.add_argument("--rounds", type=int, default=5, help="of load; 0 for none")
    parser.add_argument("--pictures", type=Path, help="a directory for pictures at three widths")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args(words)
    chosen = selection(parser, arguments.browsers, list(BROWSERS))
    result: dict[str, dict[str, float]] = {}
    verdicts: list[Verdict] = []
    with Workspace("live") as workspace:
        origin = Nginx(workspace.path / "nginx", large_size=1)
        origin.start()
        proxy = Tapeline(workspace.path / "pages", ["--bodies", "none"])
        proxy.start()
        try:
            report = report_of(workspace.path, REPORTED)
            for name in chosen:
                with BROWSERS[name]() as browser:
                    times = delays(browser, proxy, origin.small_url, arguments.exchanges)
                    if arguments.pictures:
                        arguments.pictures.mkdir(parents=True, exist_ok=True)
                        looks(browser, arguments.pictures)
                    browser.open(report.as_uri())
                    opened = browser.evaluate(OPENED)
                    assert isinstance(opened, int | float)
                    worst = percentile(times, 0.99)
                    result[name] = {"p50": statistics.median(times), "p99": worst, "report": opened}
                    verdicts += [
                        (
                            f"{browser.name}: a row is on the screen after {worst:.0f} ms at p99 (at most {MOST_DELAY_MS})",
                            worst <= MOST_DELAY_MS,
                        ),
                        (
                            f"{browser.name}: the report of {REPORTED:,} entries is there after {opened:.0f} ms "
                            f"(at most {MOST_OPENING_MS:,})",
                            opened <= MOST_OPENING_MS,
                        ),
                    ]
            if arguments.rows:
                fill(proxy, origin.small_url, arguments.rows)
            for name in chosen if arguments.rows else []:
                with BROWSERS[name]() as browser:
                    browser.open(f"http://{proxy.authority}/live")
                    browser.wait(
                        "(parseInt(document.querySelector('#count')?.textContent.replace(/\\D/g, ''), 10) || 0) >= "
                        f"{arguments.rows}"
                    )
                    filtering = browser.evaluate(FILTER)
                    assert isinstance(filtering, int | float)
                    result[name] |= {"filter": filtering, "memory": browser.memory_kib()}
                    verdicts.append(
                        (
                            f"{browser.name}: {arguments.rows:,} rows are filtered within {filtering:.0f} ms "
                            f"(at most {MOST_FILTER_MS})",
                            filtering <= MOST_FILTER_MS,
                        )
                    )
            proxy.stop()
            if arguments.rounds:
                result["load"] = costs(workspace.path, origin.small_url, arguments.seconds, arguments.rounds)
                share = result["load"]["share"]
                verdicts.append(
                    (f"with a reader the proxy has {share:.3f} of its rate (at least {LEAST_SHARE})", share >= LEAST_SHARE)
                )
        finally:
            proxy.stop()
            origin.stop()
    write_json(arguments.json, result)
    return 0 if print_verdicts(verdicts) else 1
