"""The tools that open HTTPS and record it. Each is given its best honest configuration, and verifies the origin."""

from __future__ import annotations

from pathlib import Path

from lab.programs import martian_proxy
from lab.proxies import Mitmdump, Tool
from lab.proxy import Tapeline


class InterceptingTapeline(Tapeline):
    """The defaults, with an authority of its own."""

    def __init__(self, directory: Path, roots: Path):
        options = ["--intercept", "--ca-dir", str(directory / "authority"), "--upstream-ca", str(roots)]
        super().__init__(directory, options)


class Martian(Tool):
    """The Go program beside this file, on the library that Debian packages. Its keys are RSA, as the library makes them."""

    name = "martian"
    program = "go"
    version_option = "version"
    stop_signal = 2

    def __init__(self, directory: Path, roots: Path):
        super().__init__(directory)
        self.roots = roots

    def command(self, port: int) -> list[str]:
        recording = self.directory / "recording.har"
        return [str(martian_proxy()), "-listen", f"127.0.0.1:{port}", "-roots", str(self.roots), "-output", str(recording)]


class InterceptingMitmdump(Mitmdump):
    def __init__(self, directory: Path, roots: Path):
        super().__init__(directory)
        self.roots = roots

    def command(self, port: int) -> list[str]:
        # HTTP/1.1 toward both sides, as all others here.
        settings = {"ssl_verify_upstream_trusted_ca": self.roots, "http2": "false"}
        return super().command(port) + [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


ALL = [Tool, InterceptingTapeline, Martian, InterceptingMitmdump]


def make(chosen: type[Tool], directory: Path, roots: Path) -> Tool:
    return chosen(directory) if chosen is Tool else chosen(directory, roots)
