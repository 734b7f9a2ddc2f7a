"""What is asked of the page, from inside: when it shows what, how fast it filters, how smoothly it scrolls."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from lab.live.browsers import Browser
from lab.proxy import Tapeline
from lab.wire import connect, get, read_response

COUNT = "(parseInt(document.querySelector('#count')?.textContent.replace(/\\D/g, ''), 10) || 0)"
# Notes, frame by frame, when the page first shows each number of exchanges.
WATCH = """
(() => {
  globalThis.seen = {};
  const look = () => {
    const count = COUNT;
    if (!(count in seen)) seen[count] = performance.timeOrigin + performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  return true;
})()
""".replace("COUNT", COUNT)
# Milliseconds until the rows of a filter are drawn, the longest of some.
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
# Frames a second while the list scrolls, over so many milliseconds.
SCROLL = """
(async () => {
  const viewport = document.querySelector('.viewport');
  const start = performance.now();
  let frames = 0;
  while (performance.now() < start + MILLISECONDS) {
    await new Promise((done) => requestAnimationFrame(done));
    const end = viewport.scrollHeight - viewport.clientHeight;
    viewport.scrollTop = viewport.scrollTop + 200 > end ? 0 : viewport.scrollTop + 200;
    frames += 1;
  }
  return (frames / (performance.now() - start)) * 1000;
})()
"""
# Rows of text that are scrolled as the page's are, and nothing else: what the engine reaches here by itself.
BARE = """<!DOCTYPE html>
<meta charset="utf-8">
<style>
body { margin: 0; font: 13px sans-serif }
.viewport { height: HEIGHTpx; overflow-y: scroll; contain: strict }
.rows { position: relative; height: 2600000px }
.row { position: absolute; left: 0; right: 0; height: 26px; contain: strict; will-change: transform; background: white }
.row { display: flex }
.row div { flex: 1; line-height: 26px; overflow: hidden }
</style>
<div class="viewport"><div class="rows"></div></div>
<script>
const viewport = document.querySelector('.viewport');
const count = Math.ceil(viewport.clientHeight / 26) + 12;
const rows = Array.from({ length: count }, () => {
  const row = document.createElement('div');
  row.className = 'row';
  for (let cell = 0; cell < 9; cell += 1) row.append(document.createElement('div'));
  document.querySelector('.rows').append(row);
  return row;
});
const draw = () => {
  const first = Math.floor(viewport.scrollTop / 26);
  for (let index = first; index < first + count; index += 1) {
    const row = rows[index % count];
    if (row.index === index) continue;
    row.index = index;
    row.style.transform = `translateY(${index * 26}px)`;
    for (const cell of row.children) cell.textContent = `text ${index}`;
  }
};
viewport.addEventListener('scroll', () => requestAnimationFrame(draw));
draw();
</script>
"""
# In place of a report's own script: the same document is read, and one row is made.
BARE_SCRIPT = "<script>document.body.insertAdjacentHTML('afterbegin', '<p class=\"row\">row</p>')</script></body></html>"


def open_live(browser: Browser, proxy: Tapeline) -> None:
    browser.open(f"http://{proxy.authority}/live{proxy.live_query()}")
    browser.wait("document.querySelector('#live-status')?.textContent === 'Live'")


def number(browser: Browser, expression: str) -> float:
    value = browser.evaluate(expression)
    assert isinstance(value, int | float), value
    return value


def delays(browser: Browser, proxy: Tapeline, url: str, count: int, before: int) -> list[float]:
    """Milliseconds from the end of each exchange to the frame that shows it; the recording has `before` of them already."""
    open_live(browser, proxy)
    browser.wait(f"{COUNT} === {before}")
    browser.evaluate(WATCH)
    ended = []
    with connect(proxy.address, timeout=30) as connection:
        for place in range(count):
            # At no fixed distance to the proxy's looks.
            time.sleep(0.03 + 0.01 * (place % 7))
            connection.sendall(get(url, close=False))
            read_response(connection)
            ended.append(time.time() * 1_000)
    browser.wait(f"{before + count} in seen")
    seen = {int(key): value for key, value in json.loads(str(browser.evaluate("JSON.stringify(seen)"))).items()}
    shown = sorted(seen.items())
    # Several exchanges may come in one frame: each is shown with the first count that includes it.
    return [next(at for total, at in shown if total >= before + place + 1) - end for place, end in enumerate(ended)]


def filtering(browser: Browser, proxy: Tapeline, rows: int) -> float:
    open_live(browser, proxy)
    browser.wait(f"{COUNT} >= {rows}")
    return number(browser, FILTER)


def opening(browser: Browser, url: str) -> float:
    browser.open(url)
    return number(browser, OPENED)


def bare_report(report: Path) -> Path:
    """The document of a report without what reads it."""
    text = report.read_text()
    data = text[: text.rindex('<script type="module">')]
    bare = report.with_name("bare.html")
    bare.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", data, count=1) + BARE_SCRIPT)
    return bare


def open_bare(browser: Browser, directory: Path, height: float) -> None:
    page = directory / "rows.html"
    page.write_text(BARE.replace("HEIGHT", f"{height:.0f}"))
    browser.open(page.as_uri())
    browser.wait("document.querySelector('.row') !== null")


def list_height(browser: Browser) -> float:
    return number(browser, "document.querySelector('.viewport').clientHeight")


def scrolling(browser: Browser, seconds: float) -> float:
    return number(browser, SCROLL.replace("MILLISECONDS", f"{seconds * 1_000}"))
