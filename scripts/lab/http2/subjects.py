"""What is examined: tapeline, or a program that is known to speak HTTP/2, as the yardstick. Each is reached by TLS with ALPN."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from pathlib import Path

from lab.certificates import Certificates
from lab.http2.peer import PATIENCE
from lab.process import ServerFailed
from lab.proxies import Tool
from lab.proxy import Tapeline
from lab.wire import HOST, connect, connect_request, read_head

HTTP2 = "h2"


class NoHTTP2(Exception):
    """The subject does not speak HTTP/2 on that connection."""


def server_context(certificates: Certificates) -> ssl.SSLContext:
    context = certificates.server_context()
    context.set_alpn_protocols([HTTP2])
    return context


def secure(connection: socket.socket, roots: Path) -> ssl.SSLSocket:
    """As most clients do, it would also take HTTP/1.1."""
    context = ssl.create_default_context(cafile=str(roots))
    context.set_alpn_protocols([HTTP2, "http/1.1"])
    secured = context.wrap_socket(connection, server_hostname="localhost")
    if secured.selected_alpn_protocol() != HTTP2:
        secured.close()
        raise NoHTTP2("ALPN did not choose h2")
    return secured


def secure_tunnel(proxy: tuple[str, int], port: int, roots: Path, patience: float = PATIENCE) -> ssl.SSLSocket:
    """Through an intercepting proxy, to an origin of ours; HTTP/2 comes next."""
    connection = connect(proxy, timeout=patience)
    connection.sendall(connect_request(f"localhost:{port}"))
    head = read_head(connection)
    if b" 200 " not in head:
        raise ServerFailed(f"CONNECT was answered with {head!r}")
    return secure(connection, roots)


class Subject:
    """Stands before the origin at `port`, or is an origin itself."""

    # Whether it is spoken to by clients, and whether it speaks to origins.
    serves = True
    asks = True
    records = False

    def __init__(self, directory: Path, certificates: Certificates, port: int):
        self.directory = directory
        self.certificates = certificates
        self.port = port

    def start(self) -> None:
        raise NotImplementedError

    def connect(self) -> socket.socket:
        """A connection on which the preface comes next."""
        raise NotImplementedError

    def stop(self) -> int:
        raise NotImplementedError


class TapelineSubject(Subject):
    records = True

    def __init__(self, directory: Path, certificates: Certificates, port: int, options: list[str] | None = None):
        super().__init__(directory, certificates, port)
        self.authority_directory = directory / "ca"
        given = ["--intercept", "--ca-dir", str(self.authority_directory), "--upstream-ca", str(certificates.root)]
        self.tool = Tapeline(directory / "proxy", given + (options or []))

    def start(self) -> None:
        self.tool.start()

    def connect(self) -> socket.socket:
        return secure_tunnel(self.tool.address, self.port, self.authority_directory / "ca.pem")

    def stop(self) -> int:
        return self.tool.stop()


class _Started(Tool):
    """A program of nghttp2, told where to listen."""

    def __init__(self, directory: Path, program: str, words: list[str]):
        super().__init__(directory)
        self.name = self.program = program
        self.words = words

    def command(self, port: int) -> list[str]:
        return [str(shutil.which(self.name)), *(word.replace("PORT", str(port)) for word in self.words)]


class Nghttpx(Subject):
    """A reverse proxy with HTTP/2 on both legs."""

    def __init__(self, directory: Path, certificates: Certificates, port: int):
        super().__init__(directory, certificates, port)
        self.tool = _Started(
            directory,
            "nghttpx",
            [
                f"--frontend={HOST},PORT",
                f"--backend={HOST},{port};;tls;proto=h2;sni=localhost",
                f"--cacert={certificates.root}",
                "--conf=/dev/null",
                "--no-ocsp",
                "--workers=2",
                "--errorlog-file=/dev/stderr",
                str(certificates.key),
                str(certificates.certificate),
            ],
        )

    def start(self) -> None:
        self.tool.start()

    def connect(self) -> socket.socket:
        return secure(connect(self.tool.address, timeout=PATIENCE), self.certificates.root)

    def stop(self) -> int:
        return self.tool.stop()


class Nghttpd(Subject):
    """An origin: files of `directory`."""

    asks = False

    def __init__(self, directory: Path, certificates: Certificates, port: int = 0):
        super().__init__(directory, certificates, port)
        self.files = directory.parent / f"{directory.name}-files"
        words = ["--address", HOST, "--htdocs", str(self.files), "PORT", str(certificates.key), str(certificates.certificate)]
        self.tool = _Started(directory, "nghttpd", words)

    def start(self) -> None:
        self.files.mkdir(parents=True)
        (self.files / "index.html").write_text("A page.\n" * 128)
        self.tool.start()

    def connect(self) -> socket.socket:
        return secure(connect(self.tool.address, timeout=PATIENCE), self.certificates.root)

    def stop(self) -> int:
        return self.tool.stop()


class Nghttp(Subject):
    """A client: it is started for each question."""

    serves = False

    def start(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)

    def run(self, seconds: float) -> str:
        """How it ended."""
        command = ["nghttp", "--null-out", f"--timeout={max(1, round(seconds))}", f"https://localhost:{self.port}/"]
        try:
            finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 1)
        except subprocess.TimeoutExpired:
            return "hung"
        return f"exit status {finished.returncode}"

    def stop(self) -> int:
        return 0


ALL: dict[str, type[Subject]] = {"tapeline": TapelineSubject, "nghttpd": Nghttpd, "nghttpx": Nghttpx, "nghttp": Nghttp}
