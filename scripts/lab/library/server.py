"""`scripts/lab/run library-server COMMAND [ARGUMENT…]`: runs a command of docs/examples/core-uses against a server on loopback.

The command gets three more arguments: the server's URL, its URL with TLS, and the file with the certificate of the latter.
"""

from __future__ import annotations

import email.parser
import hashlib
import json
import ssl
import subprocess
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qsl

from lab.origin import Exchange, Origin, serving
from lab.tool import Workspace

TAPE = {"title": "Loopback", "minutes": 42}
RECORDING = bytes(range(256)) * 4096


class Answers:
    """What the server answers; it counts attempts."""

    def __init__(self) -> None:
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(self, exchange: Exchange) -> bool:
        kind = exchange.fields.get("content-type", "")
        match exchange.method, exchange.url.path:
            case "GET", "/tape":
                return _json(exchange, TAPE)
            case "GET", "/recording":
                return _recording(exchange)
            case "GET", "/lines":
                return exchange.respond_chunked([b"side A\n", b"side B\n"], ["Content-Type: text/plain; charset=utf-8"])
            case "GET", "/flaky":
                attempt = self._count(exchange.target)
                return _json(exchange, {"attempt": attempt}, "503 Not Yet" if attempt < 3 else "200 OK")
            case "GET", "/silence":
                return _wait_for_the_client_to_leave(exchange)
            case "POST", "/form" if kind.startswith("application/x-www-form-urlencoded"):
                return _json(exchange, dict(parse_qsl(exchange.body.decode(), keep_blank_values=True)))
            case "POST", "/tape" if kind == "application/json":
                return _json(exchange, json.loads(exchange.body), "201 Created")
            case "POST", "/upload":
                return _json(exchange, {"bytes": len(exchange.body), "sha256": hashlib.sha256(exchange.body).hexdigest()})
            case "POST", "/multipart" if kind.startswith("multipart/form-data"):
                return _json(exchange, _parts(kind, exchange.body))
        return _json(exchange, {}, "404 Not Found")

    def _count(self, target: str) -> int:
        with self._lock:
            self._attempts[target] += 1
            return self._attempts[target]


def _json(exchange: Exchange, value: object, status: str = "200 OK") -> bool:
    return exchange.respond(json.dumps(value).encode(), status, ["Content-Type: application/json"])


def _recording(exchange: Exchange) -> bool:
    """Half of it, and then nothing until the client leaves; or the rest, to a client that has a part."""
    resumes = exchange.fields.get("if-range") == '"take-1"'
    begins = int(exchange.fields.get("range", "").removeprefix("bytes=").rstrip("-")) if resumes else 0
    fields = ['ETag: "take-1"', "Content-Type: audio/x-tape", f"Content-Length: {len(RECORDING) - begins}"]
    if begins:
        fields.append(f"Content-Range: bytes {begins}-{len(RECORDING) - 1}/{len(RECORDING)}")
    status = "206 Partial Content" if begins else "200 OK"
    exchange.send("\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]))
    exchange.send(RECORDING[begins:] if begins else RECORDING[: len(RECORDING) // 2])
    return True if begins else _wait_for_the_client_to_leave(exchange)


def _wait_for_the_client_to_leave(exchange: Exchange) -> bool:
    exchange.connection.recv(1)
    return False


def _parts(kind: str, body: bytes) -> dict[str, str]:
    """The parts of a form: a field's text, a file's length."""
    form = email.parser.BytesParser().parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    answer = {}
    for part in form.get_payload():
        name = part.get_param("name", header="Content-Disposition")
        content = part.get_payload(decode=True)
        answer[name] = f"{part.get_filename()}, {len(content)} bytes" if part.get_filename() else content.decode()
    return answer


def make_certificate(directory: Path) -> tuple[Path, Path]:
    """Signed by itself: some of the uses pin it."""
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, "-out", str(certificate), "-keyout", str(key)], check=True, capture_output=True)
    return certificate, key


def main(words: list[str]) -> int:
    with Workspace("library") as workspace:
        certificate, key = make_certificate(workspace.path)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        handler = serving(Answers().answer)
        addresses = [f"http://127.0.0.1:{Origin(handler).port}", f"https://localhost:{Origin(handler, context).port}"]
        return 0 if subprocess.run([*words, *addresses, str(certificate)]).returncode == 0 else 1
