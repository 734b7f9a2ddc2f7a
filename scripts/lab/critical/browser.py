"""Chromium, by Playwright: loads a page, and says when its program had finished."""

from __future__ import annotations

import contextlib
from pathlib import Path

from playwright.async_api import async_playwright

from lab.critical.scenario import Scenario

# Without a window: that of a whole browser takes more of the processors than a page, and its times are no judge.
CHROMIUM = "/usr/bin/chromium-headless-shell"
LONGEST = 60_000
FLAGS = [
    "--no-sandbox", "--proxy-bypass-list=<-loopback>", "--disable-features=HttpsUpgrades",
    # Pages that nobody sees are not less important here.
    "--disable-renderer-backgrounding", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
]  # fmt: skip


@contextlib.asynccontextmanager
async def browser():
    async with async_playwright() as play:
        started = await play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield started
        finally:
            await started.close()


async def load(started, scenario: Scenario, base: str, proxy: str, har: Path | None = None, stays: bool = True) -> float:
    """Returns the milliseconds from the beginning of the navigation until the page's program was done."""
    options = {"ignore_https_errors": True, "proxy": {"server": f"http://{proxy}", "bypass": "<-loopback>"}}
    if har:
        options["record_har_path"] = str(har)
    context = await started.new_context(**options)
    try:
        page = await context.new_page()
        await page.goto(base + scenario.document, wait_until="commit", timeout=LONGEST)
        finished = await page.wait_for_function("window.finished", timeout=LONGEST, polling=20)
        took = await finished.json_value()
        if stays:
            # What nobody waited for comes to its end, too: the log of a browser shows it.
            await page.wait_for_timeout(1700)
        return took
    finally:
        await context.close()
