"""A collector that takes whatever comes, decodes it by `opentelemetry-proto`, and counts."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from lab.otlp.decode import request
from lab.wire import HOST


class Collector:
    """Spans by their kind; nothing else is kept."""

    def __init__(self) -> None:
        self.spans = 0
        self.exchanges = 0
        self.bodies: list[bytes] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer((HOST, 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.server_port}"

    def count(self) -> None:
        """Decodes what has come, which is not done meanwhile, so that it does not take the time of what is measured."""
        for body in self.bodies:
            for resource in request(body).resource_spans:
                for scope in resource.scope_spans:
                    self.spans += len(scope.spans)
                    self.exchanges += sum(span.kind == span.SPAN_KIND_CLIENT for span in scope.spans)
        self.bodies.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
