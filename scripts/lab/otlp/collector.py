"""A collector that takes whatever comes, or maltreats its senders; what it took is decoded by `opentelemetry-proto`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

from lab.otlp.decode import request
from lab.wire import HOST

# How it answers, and how long it takes.
MANNERS: dict[str, tuple[int, float]] = {"taking": (200, 0), "slow": (200, 3), "busy": (429, 0), "failing": (503, 0)}
# Nothing that HTTP knows, and then the end.
GARBAGE = b"\x00\xff this is no answer\r\n\r\n" * 50


class Collector:
    """Keeps the requests that it answered with success. It decodes them when asked, so that it takes little of the machine."""

    def __init__(self, manner: str = "taking", port: int = 0) -> None:
        self.spans = 0
        self.exchanges = 0
        self.bodies: list[bytes] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if manner == "garbage":
                    self.wfile.write(GARBAGE)
                    self.close_connection = True
                    return
                status, pause = MANNERS[manner]
                time.sleep(pause)
                if status == 200:
                    outer.bodies.append(body)
                self.send_response(status)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A sender that gives up is no event."""

        self._server = Server((HOST, port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def resources(self) -> Iterator[ResourceSpans]:
        """What has come; forgotten afterwards."""
        for body in self.bodies:
            yield from request(body).resource_spans
        self.bodies.clear()

    def count(self) -> None:
        """Decodes what has come."""
        for resource in self.resources():
            for scope in resource.scope_spans:
                self.spans += len(scope.spans)
                self.exchanges += sum(span.kind == Span.SPAN_KIND_CLIENT for span in scope.spans)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
