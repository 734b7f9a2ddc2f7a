"""The origin's identity: a root that nobody trusts unless told to, and a certificate for localhost or the given names."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

from lab.process import ServerFailed

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
EXTENSIONS = "subjectAltName={names}\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE\n"


class Certificates:
    def __init__(self, directory: Path, names: str = "DNS:localhost,IP:127.0.0.1"):
        self.directory = directory
        self.names = names
        self.root = directory / "root.pem"
        self.certificate = directory / "certificate.pem"
        self.key = directory / "key.pem"

    def make(self) -> None:
        self.directory.mkdir(parents=True)
        root_key, request = self.directory / "root.key", self.directory / "request.pem"
        extensions = self.directory / "extensions.cnf"
        extensions.write_text(EXTENSIONS.format(names=self.names))
        _openssl("req", "-x509", *KEY, "-days", "2", "-subj", "/CN=tapeline-lab", "-keyout", root_key, "-out", self.root)
        _openssl("req", *KEY, "-subj", "/CN=localhost", "-keyout", self.key, "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.root, "-CAkey", root_key, "-CAcreateserial", "-days", "2",
                 "-extfile", extensions, "-out", self.certificate)  # fmt: skip

    def server_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def _openssl(*arguments: object) -> None:
    finished = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if finished.returncode:
        raise ServerFailed(f"openssl {arguments[0]}: {finished.stderr.strip()}")
