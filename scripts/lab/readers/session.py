"""The rich session: everything that a log may have to say, through one recording proxy. Well over 200 exchanges."""

from __future__ import annotations

import gzip
import http.client
import itertools
import json
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import requests
from websockets.sync.client import connect as open_websocket
from websockets.sync.server import serve as serve_websocket

from lab.origin import Origin
from lab.readers.origin import CODINGS, TEXT
from lab.wire import HOST, connect

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"]
BODIES = {
    "application/json": json.dumps({"name": "value", "list": [1, 2]}).encode(),
    "application/x-www-form-urlencoded": b"a=1&b=two+words&empty=&c=%C5%82",
    "text/plain; charset=iso-8859-2": "zażółć".encode("iso-8859-2"),
    "application/octet-stream": bytes(range(256)),
    "multipart/form-data; boundary=edge": (
        b'--edge\r\nContent-Disposition: form-data; name="field"\r\n\r\nvalue\r\n--edge\r\nContent-Disposition: form-data; '
        b'name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\x00\r\n--edge--\r\n'
    ),
}
CHARSETS = {
    "utf-8": "zażółć 日本語 🙂", "utf-16le": "zażółć", "utf-16be": "日本語", "iso-8859-1": "café", "windows-1252": "€uro",
    "iso-8859-2": "zażółć", "iso-8859-15": "œuvre",
    "koi8-r": "Привет", "windows-1251": "Привет", "shift_jis": "日本語", "euc-jp": "日本語",
    "gb18030": "中文", "gbk": "中文", "big5": "中文", "euc-kr": "한국어",
}  # fmt: skip
STATUSES = [
    200, 201, 202, 203, 204, 205, 206, 226, 299, 300, 304, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414,
    415, 416, 417, 418, 421, 422, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 511, 599,
]  # fmt: skip
REDIRECTS = [301, 302, 303, 307, 308]
QUERIES = [
    "a=1&b=2", "a=1&a=2&a=3", "empty=", "bare", "&&", "plus=a+b", "space=a%20b", "unicode=%C5%82", "latin=%E9", "percent=100%",
    "odd=%zz", "=nameless", "semi=a;b=c", "slash=/?:@", "quote='\"",
    "brackets[0]=x", "pipe=a|b", "brace={x}", "back=a\\b", "caret=^`", "long=" + "z" * 3000,
]  # fmt: skip
FAILURES = ["cut-length", "cut-chunked", "cut-head", "silent", "reset", "no-http", "conflicting"]
PATIENCE = 20


class Session:
    """Speaks through the proxy at `proxy` to `origin`, to `secure`, which has TLS, and to `untrusted`, which the proxy does not
    trust. `authority` is the proxy's, and `roots` vouch for `secure` itself."""

    def __init__(self, proxy: int, origin: Origin, secure: Origin, untrusted: Origin, authority: Path, roots: Path):
        self.proxy = proxy
        self.origin = origin
        self.secure = secure
        self.untrusted = untrusted
        self.authority = authority
        self.roots = roots
        self.base = f"http://127.0.0.1:{origin.port}"

    def run(self, mark: Callable[[str], None]) -> None:
        self.page()
        self.framings()
        self.contents()
        self.requests()
        mark("What goes wrong")
        self.targets()
        self.statuses()
        self.failures()
        mark("What is not plain")
        self.tunnels()
        self.intercepted()
        self.websockets()

    # What a client sends, byte by byte, on a connection of its own.

    def raw(self, data: bytes | str, hang_up: bool = False) -> bytes:
        with connect((HOST, self.proxy), timeout=PATIENCE) as connection:
            connection.sendall(data.encode("latin-1") if isinstance(data, str) else data)
            if hang_up:
                connection.settimeout(0.2)
            received = b""
            try:
                while data := connection.recv(65536):
                    received += data
            except (TimeoutError, ConnectionResetError):
                if not hang_up:
                    raise
            return received

    def ask(
        self, target: str, method: str = "GET", fields: list[str] | None = None, body: bytes = b"", hang_up: bool = False
    ) -> bytes:
        length = [f"Content-Length: {len(body)}"] if body else []
        lines = [f"{method} {self.base}{target} HTTP/1.1", f"Host: 127.0.0.1:{self.origin.port}", "Connection: close"]
        head = "\r\n".join([*lines, *length, *(fields or []), "", ""]).encode("latin-1")
        return self.raw(head + body, hang_up)

    # The parts.

    def page(self) -> None:
        """First of all: readers that look for a page look at the first entries."""
        with requests.Session() as client:
            client.proxies = {"http": f"http://127.0.0.1:{self.proxy}"}
            client.trust_env = False
            for path in ("/", "/style.css", "/pixel.png", "/cookies", "/json"):
                client.get(self.base + path, headers={"Referer": f"{self.base}/"} if path != "/" else {}, timeout=PATIENCE)
            for code in REDIRECTS:
                client.post(f"{self.base}/status?code={code}&to=/length", data={"n": code}, timeout=PATIENCE)

    def framings(self) -> None:
        for path in ("length", "empty", "chunked", "trailers", "close", "http10", "informational", "events", "slow", "fields"):
            self.ask(f"/{path}")
            self.ask(f"/{path}", "HEAD")
        self.raw(f"GET {self.base}/length HTTP/1.0\r\n\r\n")
        self.raw(f"POST {self.base}/echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                 "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-After: 1\r\n\r\n")  # fmt: skip
        self.ask("/echo", "PUT", ["Expect: 100-continue"], b"expected")
        both = f"GET {self.base}/length HTTP/1.1\r\nHost: x\r\n"
        self.raw(f"{both}\r\n{both}\r\n{both}Connection: close\r\n\r\n")

    def contents(self) -> None:
        names = [name for name in CODINGS if name != "identity"]
        for count in (1, 2):
            for codings in itertools.permutations(names, count):
                self.ask(f"/coded?codings={','.join(codings)}")
        self.ask(f"/coded?codings={','.join([*names, 'identity'])}")
        for name, text in CHARSETS.items():
            self.ask(f"/charset?name={name}&text={quote(text)}")
        for path in ("badly-coded", "unknown-coding", "not-text", "binary", "no-type", "large", "large-text"):
            self.ask(f"/{path}")

    def requests(self) -> None:
        for method in METHODS:
            for kind, body in BODIES.items():
                self.ask("/echo", method, [f"Content-Type: {kind}"], body)
        self.ask("/echo", "POST", ["Content-Type: text/plain", "Content-Encoding: gzip"], gzip.compress(TEXT.encode()))
        self.ask("/echo", "POST", ["Content-Type: application/octet-stream"], bytes(2 << 20))
        self.ask("/length", fields=["Cookie: a=1; b=2", "Cookie: c=3", "X-Latin: caf\xe9", "Accept: */*", "Accept: text/html"])

    def targets(self) -> None:
        for query in QUERIES:
            self.ask(f"/length?{query}")
        for target in ("/a%20b", "/caf%E9", "/a//b/../c", "/;p=1", "/*", "/%2F"):
            self.ask(target)
        self.raw(f"GET http://user:word@127.0.0.1:{self.origin.port}/length HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        self.raw(f"GET http://localhost:{self.origin.port}/length HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    def statuses(self) -> None:
        for code in STATUSES:
            self.ask(f"/status?code={code}")

    def failures(self) -> None:
        for path in FAILURES:
            self.ask(f"/{path}")
        for target in ("http://127.0.0.1:1/refused", "http://nowhere.invalid/unknown"):
            self.raw(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for data in ("no request at all\r\n\r\n", f"GET {self.base}/ HTTP/1.1\r\nHost x\r\n\r\n",
                     f"GET {self.base}/ HTTP/9.9\r\nHost: x\r\n\r\n",
                       f"POST {self.base}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                       "GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"):  # fmt: skip
            self.raw(data)
        self.ask("/hang", hang_up=True)
        self.raw(f"POST {self.base}/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly a part", hang_up=True)

    def tunnels(self) -> None:
        plain = f"127.0.0.1:{self.origin.port}"
        self.raw(f"CONNECT {plain} HTTP/1.1\r\nHost: {plain}\r\n\r\nGET /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        self.raw(f"CONNECT {plain} HTTP/1.1\r\nHost: {plain}\r\n\r\n\x01\x02 nothing that we know", hang_up=True)
        for target in ("127.0.0.1:1", "nowhere.invalid:443"):
            self.raw(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n")
        # A host that is passed through, and a client that trusts only the origin itself.
        self.secure_ask("127.0.0.1", ["/length"], self.roots)
        # The client is another program, or this one would count as refusing; it is let through after two refusals.
        for _ in range(3):
            proxy = f"http://127.0.0.1:{self.proxy}"
            pinned = ["curl", "-s", "-o", "/dev/null", "--noproxy", "", "--proxy", proxy, "--cacert", str(self.roots)]
            subprocess.run([*pinned, f"https://localhost:{self.secure.port}/length"], check=False)

    def secure_ask(self, host: str, paths: list[str], roots: Path, origin: Origin | None = None) -> None:
        context = ssl.create_default_context(cafile=str(roots))
        port = (origin or self.secure).port
        client = http.client.HTTPSConnection("127.0.0.1", self.proxy, timeout=PATIENCE, context=context)
        client.set_tunnel(host, port)
        try:
            for path in paths:
                client.request("GET", path)
                client.getresponse().read()
        finally:
            client.close()

    def intercepted(self) -> None:
        paths = ["/", "/style.css", "/pixel.png", "/length", "/chunked", "/coded?codings=gzip", "/json", "/cookies", "/events"]
        self.secure_ask("localhost", paths, self.authority)
        self.secure_ask("localhost", ["/close"], self.authority)
        try:
            self.secure_ask("localhost", ["/cut-close"], self.authority)
        except http.client.IncompleteRead:
            # An end without close_notify may be anybody's: it has to be seen.
            pass
        self.secure_ask("localhost", ["/length?once", "/length?more"], self.authority)
        self.secure_ask("localhost", ["/refused"], self.authority, self.untrusted)

    def websockets(self) -> None:
        with serve_websocket(echo, "127.0.0.1", 0) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            port = server.socket.getsockname()[1]
            for compression in (None, "deflate"):
                url, proxy = f"ws://localhost:{port}/chat", f"http://127.0.0.1:{self.proxy}"
                with open_websocket(url, proxy=proxy, compression=compression) as client:
                    for message in ("hello", "hello", TEXT, b"\x00\x01\x02"):
                        client.send(message)
                        client.recv()
            server.shutdown()


def echo(connection) -> None:
    for message in connection:
        connection.send(message)
