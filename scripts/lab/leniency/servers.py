"""The servers: each gets every odd request, followed by a second one; the statuses of its answers tell how it has read them."""

from __future__ import annotations

import re
import shutil
import socket
from pathlib import Path

from lab.process import Server, accepts, free_port

SECOND = b"GET /second HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

NGINX = """
daemon off; pid {directory}/nginx.pid; error_log stderr crit; worker_processes 1;
events {{ }}
http {{
  access_log off; client_body_temp_path {directory}/b; proxy_temp_path {directory}/p; fastcgi_temp_path {directory}/f;
  uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s; client_body_timeout 2s;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }}
}}
"""
APACHE = """
ServerRoot {directory}
PidFile {directory}/apache.pid
ErrorLog {directory}/apache.log
Listen 127.0.0.1:{port}
ServerName localhost
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
DocumentRoot {directory}/files
"""
NODE = """
require('http').createServer((request, answer) => {{
  request.on('data', () => {{}}).on('end', () => answer.end('ok'));
}}).listen({port}, '127.0.0.1');
"""
GO = """
package main

import (
	"io"
	"net/http"
)

func main() {{
	http.ListenAndServe("127.0.0.1:{port}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {{
		io.Copy(io.Discard, r.Body)
		w.Write([]byte("ok"))
	}}))
}}
"""
PYTHON = """
import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_POST = do_GET


http.server.ThreadingHTTPServer(("127.0.0.1", {port}), Handler).serve_forever()
"""


class Contender:
    """A server on a port of its own."""

    def __init__(self, name: str, directory: Path):
        self.name = name
        self.port = free_port()
        self.directory = directory / name
        self.directory.mkdir()
        (self.directory / "files").mkdir()
        (self.directory / "files" / "index.html").write_text("ok")
        self.server = Server(name, self._command(), self.directory / "log")
        self.server.wait_for(lambda: accepts(self.port))

    def _write(self, name: str, text: str) -> str:
        path = self.directory / name
        path.write_text(text.format(directory=self.directory, port=self.port))
        return str(path)

    def _command(self) -> list[str]:
        match self.name:
            case "nginx":
                return [shutil.which("nginx") or "/usr/sbin/nginx", "-c", self._write("nginx.conf", NGINX)]
            case "Apache":
                return [shutil.which("apache2") or "/usr/sbin/apache2", "-X", "-f", self._write("apache.conf", APACHE)]
            case "Node":
                return ["node", self._write("server.js", NODE)]
            case "Go":
                environment = [
                    f"HOME={self.directory}", "GO111MODULE=off", f"GOCACHE={self.directory}/go", f"GOTMPDIR={self.directory}",
                ]  # fmt: skip
                return ["env", *environment, "go", "run", self._write("main.go", GO)]
            case _:
                return ["python3", self._write("server.py", PYTHON)]

    def answers(self, message: bytes) -> str:
        """The statuses of what comes back within two seconds."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
            received = b""
            try:
                connection.sendall(message + SECOND)
                while data := connection.recv(65536):
                    received += data
            except OSError:
                pass
        statuses = [status.decode() for status in re.findall(rb"(?:^|ok|\n)HTTP/1\.[01] (\d{3}) ", received)]
        return " ".join(statuses) or "closes"


NAMES = ["nginx", "Apache", "Node", "Go", "Python"]
