#!/usr/bin/env python3
"""Runs a command against a server on loopback: server.py COMMAND [ARGUMENT…]

The command gets three more arguments: the server's URL, its URL with TLS, and the file with the certificate of the latter.
"""

import email.message
import email.parser
import hashlib
import http.server
import json
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

TAPE = {"title": "Loopback", "minutes": 42}
RECORDING = bytes(range(256)) * 4096


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    attempts = {}
    lock = threading.Lock()

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/tape":
            self.answer_json(TAPE)
        elif path == "/recording":
            self.answer_recording()
        elif path == "/lines":
            self.answer_lines()
        elif path == "/flaky":
            self.answer_at_the_third_attempt()
        elif path == "/silence":
            self.wait_for_the_client_to_leave()
        else:
            self.answer_json({}, 404)

    def do_POST(self):
        path, body, kind = self.path.partition("?")[0], self.read_body(), self.headers.get("Content-Type", "")
        if path == "/form" and kind.startswith("application/x-www-form-urlencoded"):
            self.answer_json(dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)))
        elif path == "/tape" and kind == "application/json":
            self.answer_json(json.loads(body), 201)
        elif path == "/upload":
            self.answer_json({"octets": len(body), "sha256": hashlib.sha256(body).hexdigest()})
        elif path == "/multipart" and kind.startswith("multipart/form-data"):
            self.answer_json(parts(kind, body))
        else:
            self.answer_json({}, 404)

    # Answers

    def answer_json(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_recording(self):
        """Half of it, and then nothing until the client leaves; or the rest, to a client that has a part."""
        wanted = self.headers.get("Range", "")
        begins = int(wanted.removeprefix("bytes=").rstrip("-")) if self.headers.get("If-Range") == '"take-1"' else 0
        self.send_response(206 if begins else 200)
        self.send_header("ETag", '"take-1"')
        self.send_header("Content-Type", "audio/x-tape")
        self.send_header("Content-Length", str(len(RECORDING) - begins))
        if begins:
            self.send_header("Content-Range", f"bytes {begins}-{len(RECORDING) - 1}/{len(RECORDING)}")
        self.end_headers()
        self.wfile.write(RECORDING[begins : len(RECORDING) if begins else len(RECORDING) // 2])
        if not begins:
            self.wait_for_the_client_to_leave()

    def answer_lines(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in (b"side A\n", b"side B\n", b""):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
            self.wfile.flush()

    def answer_at_the_third_attempt(self):
        with self.lock:
            attempt = self.attempts[self.path] = self.attempts.get(self.path, 0) + 1
        self.answer_json({"attempt": attempt}, 503 if attempt < 3 else 200)

    def wait_for_the_client_to_leave(self):
        self.close_connection = True
        try:
            self.rfile.read(1)
        except ConnectionError:
            pass

    def read_body(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, *_):
        pass


def parts(kind, body):
    """The parts of a form: a field's text, a file's length."""
    form = email.parser.BytesParser().parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    answer = {}
    for part in form.get_payload():
        name = part.get_param("name", header="Content-Disposition")
        content = part.get_payload(decode=True)
        answer[name] = f"{part.get_filename()}, {len(content)} octets" if part.get_filename() else content.decode()
    return answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients that leave, and clients that do not trust us, are what some uses are about."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def serve(context=None):
    """The port."""
    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def make_certificate(directory):
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", certificate, "-keyout", key],
        check=True, capture_output=True)
    return certificate, key


def main(command):
    with tempfile.TemporaryDirectory() as directory:
        certificate, key = make_certificate(Path(directory))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        addresses = [f"http://127.0.0.1:{serve()}", f"https://localhost:{serve(context)}", str(certificate)]
        return 0 if subprocess.run(command + addresses).returncode == 0 else 1


sys.exit(main(sys.argv[1:]))
