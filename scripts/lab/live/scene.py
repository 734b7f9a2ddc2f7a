"""What the pictures show: a page, JSON, events, a WebSocket, redirects, failures, and a request that is not answered yet."""

from __future__ import annotations

import threading
from pathlib import Path

from lab.live.browsers import Browser
from lab.live.page import open_live
from lab.proxy import Tapeline
from lab.readers import origin
from lab.readers.session import Session

PATHS = ("/json", "/events", "/slow", "/coded?codings=gzip", "/status?code=503", "/chunked", "/cut-length", "/large")
SIZES = ((1440, 900), (1024, 768), (390, 844))
THEMES = ("light", "dark")


def pictures(browsers: list[type[Browser]], workspace: Path, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    proxy = Tapeline(workspace / "pictures")
    proxy.start()
    try:
        with origin.start() as plain:
            session = Session(proxy.address[1], plain, plain, plain, Path(), Path())
            session.page()
            for path in PATHS:
                session.ask(path)
            session.websockets()
            session.raw("GET http://127.0.0.1:1/refused HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            waiting = threading.Thread(target=session.ask, args=("/hang",), daemon=True)
            waiting.start()
            for kind in browsers:
                with kind() as browser:
                    look(browser, proxy, directory)
    finally:
        proxy.stop()


def look(browser: Browser, proxy: Tapeline, directory: Path) -> None:
    open_live(browser, proxy)
    browser.wait("document.querySelectorAll('.row:not([hidden])').length > 5")
    for theme in THEMES:
        # The button changes to the other one.
        browser.evaluate(
            f"(document.documentElement.dataset.theme = '{'light' if theme == 'dark' else 'dark'}', "
            "document.querySelector('#switch-theme').click(), true)"
        )
        for width, height in SIZES:
            browser.resize(width, height)
            name = f"{browser.name.lower()}-{width}-{theme}"
            browser.wait("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true)), 300))")
            (directory / f"{name}.png").write_bytes(browser.screenshot())
    browser.resize(*SIZES[0])
    browser.wait("document.querySelector('.row:not([hidden]) .cell-path') !== null")
    browser.evaluate("(document.querySelector('.row:not([hidden]) .cell-path').click(), true)")
    browser.wait("document.querySelector('#tab-timeline') !== null")
    browser.evaluate("(document.querySelector('#tab-timeline').click(), true)")
    browser.wait("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true)), 300))")
    (directory / f"{browser.name.lower()}-details.png").write_bytes(browser.screenshot())
