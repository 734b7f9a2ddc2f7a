"""Measures the live page in three browser engines: how long after its end an exchange is on the screen, how long a filter over
many rows takes, how smoothly the page scrolls while thousands of exchanges a second come in, how soon a large report is there;
and what readers cost the proxy. --pictures takes pictures of it.

Beside the page stand bare ones, whose figures are the engine's own: rows of text and nothing else, which are scrolled under the
same load, and the document of the report without what reads it.

An exchange's end is the moment at which its client has the last byte; the page's frames are looked at from inside the page. Both
read the clock of the machine. Each round of full load has stretches with a reader and stretches without, in one recording; the
median of the ratios counts.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import subprocess
from pathlib import Path

from lab.bench.inspection import make
from lab.live import load, page, scene
from lab.live.browsers import BROWSERS, Browser
from lab.nginx import Nginx
from lab.proxy import Tapeline
from lab.tool import Verdict, Workspace, argument_parser, binary, print_verdicts, progress, selection, targets, write_json
from lab.wire import connect, get, read_response

MOST_DELAY_MS = 150
MOST_FILTER_MS = 150
MOST_OPENING_MS = 1_000
MOST_GROWTH = 1.2
MOST_LOSS = 0.03
LEAST_FRAMES = 30
MOST_MEMORY_MIB = 300
MOST_STOPPED_MIB = 1
LEAST_SHARE = 0.97
REPORTED = 5_000
# KiB of each body in the report.
BODY = 16
LISTED = 100_000


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def report_of(directory: Path, entries: int) -> tuple[Path, float]:
    """A report of a made capture with the default options, and how many times as large as its bodies it is with all of them."""
    capture = directory / "made.har"
    made = make(str(capture), entries * (BODY + 4) << 10, BODY)
    log = json.loads(capture.read_text())
    if made < entries:
        raise SystemExit(f"the capture has {made} entries, not {entries}")
    kept = log["log"]["entries"] = log["log"]["entries"][:entries]
    capture.write_text(json.dumps(log))
    bodies = sum(len(json.dumps(body)) for entry in kept for body in bodies_of(entry))
    whole = written(capture, directory / "whole.html", ["--max-size", "1GiB"])
    return written(capture, directory / "made.html"), whole.stat().st_size / bodies


def written(capture: Path, report: Path, options: list[str] | None = None) -> Path:
    subprocess.run([binary(), "report", str(capture), "-o", str(report), *(options or [])], check=True, capture_output=True)
    return report


def bodies_of(entry: dict) -> list[str]:
    """As the capture has them."""
    return [holder["text"] for holder in (entry["request"].get("postData", {}), entry["response"]["content"]) if "text" in holder]


def fill(proxy: Tapeline, url: str, count: int) -> None:
    """Exchanges for many rows."""
    with connect(proxy.address, timeout=30) as client:
        for _ in range(count):
            client.sendall(get(url, close=False))
            read_response(client)


def verdict_at_most(text: str, value: float, most: float, unit: str = "", digits: int = 0) -> Verdict:
    return f"{text} {value:,.{digits}f}{unit} (at most {most:,.{digits}f}{unit})", value <= most


def verdict_at_least(text: str, value: float, least: float, unit: str = "", digits: int = 0) -> Verdict:
    return f"{text} {value:,.{digits}f}{unit} (at least {least:,.{digits}f}{unit})", value >= least


class Measurement:
    """The figures of each browser, and what was asked of them."""

    def __init__(self, directory: Path, origin: Nginx, browsers: list[type[Browser]]):
        self.directory = directory
        self.origin = origin
        self.browsers = browsers
        self.figures: dict[str, dict[str, object]] = {kind.name: {} for kind in browsers}
        self.verdicts: list[Verdict] = []

    def judge(self, kind: type[Browser], key: str, value: float, verdict: Verdict) -> None:
        self.figures[kind.name][key] = value
        self.verdicts.append((f"{kind.name}: {verdict[0]}", verdict[1]))
        progress(self.verdicts[-1][0])

    def pages(self, proxy: Tapeline, exchanges: int) -> None:
        report, growth = report_of(self.directory, REPORTED)
        bare = page.bare_report(report)
        self.verdicts.append(verdict_at_most(f"a report of {REPORTED:,} entries is, of its bodies,", growth, MOST_GROWTH, "", 2))
        for place, kind in enumerate(self.browsers):
            with kind() as browser:
                times = page.delays(browser, proxy, self.origin.small_url, exchanges, place * exchanges)
                self.figures[kind.name]["p50"] = statistics.median(times)
                worst = percentile(times, 0.99)
                self.judge(
                    kind, "p99", worst, verdict_at_most("a row is on the screen, at p99, after", worst, MOST_DELAY_MS, " ms")
                )
                opened = page.opening(browser, report.as_uri())
                what = f"a report of {REPORTED:,} entries is there after"
                self.judge(kind, "report", opened, verdict_at_most(what, opened, MOST_OPENING_MS, " ms"))
                least = self.figures[kind.name]["bareReport"] = page.opening(browser, bare.as_uri())
                progress(f"{kind.name}: its document alone after {least:.0f} ms")

    def filters(self, proxy: Tapeline, rows: int) -> None:
        fill(proxy, self.origin.small_url, rows)
        for kind in self.browsers:
            with kind() as browser:
                longest = page.filtering(browser, proxy, rows)
                what = f"{rows:,} rows are filtered within"
                self.judge(kind, "filter", longest, verdict_at_most(what, longest, MOST_FILTER_MS, " ms"))

    def floods(self, rate: float, seconds: float) -> None:
        for kind in self.browsers:
            found = load.flood(kind, self.directory, self.origin.small_url, rate, seconds)
            self.figures[kind.name]["flood"] = dataclasses.asdict(found)
            loss = 1 - found.page.rate / found.alone
            what = f"at {found.alone:,.0f} exchanges/s the proxy loses, of its rate,"
            self.judge(kind, "loss", loss, verdict_at_most(what, loss, MOST_LOSS, "", 3))
            frames, memory = found.page.frames, found.page.memory
            self.judge(kind, "frames", frames, verdict_at_least("frames a second:", frames, LEAST_FRAMES))
            self.judge(kind, "memory", memory, verdict_at_most("the page has", memory, MOST_MEMORY_MIB, " MiB"))
            progress(f"{kind.name}: rows alone: {found.bare.frames:.0f} frames a second, {found.bare.memory:.0f} MiB")

    def readers(self, seconds: float, rounds: int) -> None:
        self.figures["load"] = load.share(self.directory, self.origin.small_url, seconds, rounds)
        share = self.figures["load"]["share"]
        self.verdicts.append(verdict_at_least("with a reader the proxy has, of its rate,", share, LEAST_SHARE, "", 3))
        memory = self.figures["load"]["stopped"] = load.stopped(self.directory, self.origin.small_url, seconds)
        self.verdicts.append(verdict_at_most("a reader that reads nothing costs", memory, MOST_STOPPED_MIB, " MiB", 2))


def main(words: list[str]) -> int:
    parser = argument_parser("live", __doc__)
    parser.add_argument("--browsers", help=f"of {', '.join(BROWSERS)}, separated by commas; default: all")
    parser.add_argument("--exchanges", type=int, default=300, help="whose way to the screen is timed; 0 for none")
    parser.add_argument("--rows", type=int, default=LISTED, help="that are filtered; 0 for none")
    parser.add_argument("--rate", type=float, default=5_000, help="of exchanges a second while the page scrolls")
    parser.add_argument("--minute", type=float, default=60, help="seconds of that; 0 for none")
    parser.add_argument("--seconds", type=float, default=3, help="of full load in each of eight stretches of a round")
    parser.add_argument("--rounds", type=int, default=10, help="of full load; 0 for none")
    parser.add_argument("--pictures", type=Path, help="a directory for pictures at three widths, light and dark")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args(words)
    browsers = [BROWSERS[name] for name in selection(parser, arguments.browsers, list(BROWSERS))]
    with Workspace("live") as workspace:
        origin = Nginx(workspace.path / "nginx", large_size=1)
        origin.start()
        measurement = Measurement(workspace.path, origin, browsers)
        try:
            if arguments.pictures:
                scene.pictures(browsers, workspace.path, arguments.pictures)
            with load.recording(workspace.path / "pages") as proxy:
                if arguments.exchanges:
                    measurement.pages(proxy, arguments.exchanges)
                if arguments.rows:
                    measurement.filters(proxy, arguments.rows)
            if arguments.minute:
                measurement.floods(arguments.rate, arguments.minute)
            if arguments.rounds:
                measurement.readers(arguments.seconds, arguments.rounds)
        finally:
            origin.stop()
    write_json(arguments.json, {"figures": measurement.figures, "targets": targets(measurement.verdicts)})
    return 0 if print_verdicts(measurement.verdicts) else 1
