"""The tools that open HTTPS and record it. Each is given its best honest configuration, and verifies the origin."""

from __future__ import annotations

import os
from pathlib import Path

from lab.certificates import Certificates
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


class MultiplexingMitmdump(InterceptingMitmdump):
    """HTTP/2 toward both sides."""

    def command(self, port: int) -> list[str]:
        return [word.replace("http2=false", "http2=true") for word in super().command(port)]


class ReverseNghttpx(Tool):
    """HTTP/2 toward both sides, before one origin: clients speak to it instead of a proxy. It records nothing."""

    name = "nghttpx"
    program = "nghttpx"

    def __init__(self, directory: Path, certificates: Certificates, origin: int):
        super().__init__(directory)
        self.certificates = certificates
        self.origin = origin

    def command(self, port: int) -> list[str]:
        backend = f"127.0.0.1,{self.origin};;tls;proto=h2;sni=localhost"
        options = [f"--frontend=127.0.0.1,{port}", f"--backend={backend}", f"--cacert={self.certificates.root}"]
        options += ["--conf=/dev/null", "--no-ocsp", "--no-via", f"--workers={os.cpu_count()}", "--errorlog-file=/dev/stderr"]
        return ["nghttpx", *options, str(self.certificates.key), str(self.certificates.certificate)]


ALL = [Tool, InterceptingTapeline, Martian, InterceptingMitmdump]


def make(chosen: type[Tool], directory: Path, roots: Path) -> Tool:
    return chosen(directory) if chosen is Tool else chosen(directory, roots)
