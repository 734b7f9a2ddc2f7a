"""The fast origin, against which proxies are measured: nginx for what is fetched, a sink for what is uploaded."""

from __future__ import annotations

import sys
from pathlib import Path

from lab.certificates import Certificates
from lab.process import Server, accepts, free_port

MARKER = "tapeline-bench-body"
SMALL_BODY = (MARKER + " " + "The quick brown fox jumps over the lazy dog. " * 40)[:1023] + "\n"
# Without the marker, by which small bodies are counted.
MEDIUM_BODY = (SMALL_BODY[len(MARKER) :] * 66)[: 64 << 10]

CONFIGURATION = """
daemon off;
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
worker_processes auto;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  types {{ text/plain txt; application/octet-stream bin; }}
  sendfile on;
  tcp_nodelay on;
  open_file_cache max=64;
  open_file_cache_valid 1h;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  server {{
    listen 127.0.0.1:{port} reuseport backlog=4096;
    listen 127.0.0.1:{tls_port} ssl reuseport backlog=4096;
    listen 127.0.0.1:{h2_port} ssl http2 reuseport backlog=4096;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {certificates.certificate};
    ssl_certificate_key {certificates.key};
    root {directory}/files;
    location = /requests {{ stub_status; }}
    location = /post {{ client_max_body_size 0; return 200 "taken\\n"; }}
    location = /v1/traces {{ client_max_body_size 0; return 200; }}
  }}
}}
"""


class Nginx:
    """nginx with texts of 1 and 64 KiB and a large file, without TLS, with it and with HTTP/2, and the sink, on free ports."""

    def __init__(self, directory: Path, large_size: int):
        self.directory = directory
        self.large_size = large_size
        self.large_file = directory / "files" / "large.bin"
        self.certificates = Certificates(directory / "certificates")
        self.port = free_port()
        self.tls_port = free_port()
        self.h2_port = free_port()
        self.sink_port = free_port()
        self.nginx: Server | None = None
        self.sink: Server | None = None

    @property
    def small_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/small.txt"

    @property
    def medium_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/medium.txt"

    @property
    def secure_small_url(self) -> str:
        return f"https://localhost:{self.tls_port}/small.txt"

    @property
    def large_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/large.bin"

    @property
    def collector_url(self) -> str:
        """A collector that takes everything, and costs next to nothing."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def upload_url(self) -> str:
        return f"http://127.0.0.1:{self.sink_port}/upload"

    def start(self) -> None:
        self.large_file.parent.mkdir(parents=True)
        self.add("small.txt", SMALL_BODY)
        self.add("medium.txt", MEDIUM_BODY)
        with self.large_file.open("wb") as file:
            file.truncate(self.large_size)

        self.certificates.make()
        configuration = self.directory / "nginx.conf"
        places = {
            "directory": self.directory, "port": self.port, "tls_port": self.tls_port, "h2_port": self.h2_port,
            "certificates": self.certificates,
        }  # fmt: skip
        configuration.write_text(CONFIGURATION.format(**places))
        startup_log = self.directory / "startup.log"
        self.nginx = Server("nginx", ["nginx", "-e", str(startup_log), "-c", str(configuration)], startup_log)
        self.nginx.wait_for(lambda: accepts(self.port))

        command = [sys.executable, "-B", "-m", "lab.sink", str(self.sink_port)]
        self.sink = Server("sink", command, self.directory / "sink.log")
        self.sink.wait_for(lambda: accepts(self.sink_port))

    def add(self, name: str, text: str) -> None:
        """A further file."""
        (self.large_file.parent / name).write_text(text)

    def stop(self) -> None:
        for server in (self.nginx, self.sink):
            if server:
                server.stop()
