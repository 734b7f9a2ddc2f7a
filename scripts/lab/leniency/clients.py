"""The clients: each fetches every odd response directly, and tells what it has read."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import threading
from pathlib import Path

from lab.leniency.cases import Case

HERE = Path(__file__).parent
# Comes after each message: who reads it has not found the message's end.
BEHIND = b"zz"
PAGE = """<!doctype html><script>
(async () => {
  const seen = [];
  for (let number = 0; number < COUNT; number++) {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), 4000);
    try {
      seen.push(['=', await (await fetch('/' + number, {signal: patience.signal, cache: 'no-store'})).text()]);
    } catch (error) {
      seen.push(['!', String(error)]);
    }
    clearTimeout(timer);
  }
  await fetch('/seen', {method: 'POST', body: JSON.stringify(seen)});
})();
</script>"""


class OddServer:
    """Serves each response at the path of its number, byte by byte as it is, and closes; `/` has the browser's page."""

    def __init__(self, cases: list[Case]):
        self.cases = cases
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.report: list | None = None
        self.reported = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(10)
            try:
                self._answer(connection, connection.makefile("rb"))
            except OSError:
                pass

    def _answer(self, connection: socket.socket, file) -> None:
        line = file.readline().split()
        if len(line) < 2:
            return
        length = 0
        while (field := file.readline()) not in (b"\r\n", b""):
            if field.lower().startswith(b"content-length:"):
                length = int(field.split(b":")[1])
        path = line[1].decode()
        if path == "/seen":
            self.report = json.loads(file.read(length))
            self.reported.set()
            body = b""
        elif path[1:].isdigit():
            connection.sendall(self.cases[int(path[1:])].message + BEHIND)
            connection.shutdown(socket.SHUT_WR)
            return
        else:
            body = PAGE.replace("COUNT", str(len(self.cases))).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        connection.sendall(head % len(body) + body)


def curl(server: OddServer, _: Path) -> list[str]:
    def fetch(number: int) -> str:
        command = ["curl", "-sS", "--noproxy", "*", "--max-time", "4", f"{server.url}/{number}"]
        finished = subprocess.run(command, capture_output=True)
        return _told(finished.returncode == 0, finished.stdout.decode("latin-1"), finished.stderr.decode("latin-1"))

    return [fetch(number) for number in range(len(server.cases))]


def python(server: OddServer, _: Path) -> list[str]:
    def fetch(number: int) -> str:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=4)
        try:
            connection.request("GET", f"/{number}")
            return _told(True, connection.getresponse().read().decode("latin-1"))
        except Exception as error:
            return _told(False, "", repr(error))

    return [fetch(number) for number in range(len(server.cases))]


def go(server: OddServer, directory: Path) -> list[str]:
    program = directory / "go-client"
    shutil.copy(HERE / "client.go", directory / "client.go")
    environment = {"HOME": str(directory), "PATH": "/usr/bin:/bin", "GO111MODULE": "off", "GOCACHE": str(directory / "go")}
    subprocess.run(["go", "build", "-o", str(program), "client.go"], cwd=directory, env=environment, check=True)
    return _lines([str(program)], server)


def java(server: OddServer, _: Path) -> list[str]:
    return _lines(["java", str(HERE / "Client.java")], server)


def chromium(server: OddServer, directory: Path) -> list[str]:
    command = [
        "chromium", "--headless", "--no-sandbox", "--no-proxy-server", "--disable-gpu", "--remote-debugging-port=0",
        f"--user-data-dir={directory}/profile", server.url,
    ]  # fmt: skip
    with (directory / "chromium.log").open("wb") as log:
        browser = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            server.reported.wait(240)
        finally:
            browser.terminate()
            browser.wait()
    return [_told(kind == "=", text, text) for kind, text in server.report or []]


def _lines(command: list[str], server: OddServer) -> list[str]:
    urls = "".join(f"{server.url}/{number}\n" for number in range(len(server.cases)))
    finished = subprocess.run(command, input=urls, capture_output=True, text=True)
    return [
        _told(line.startswith("="), json.loads(line[2:]) if line.startswith("=") else "", line[2:])
        for line in finished.stdout.splitlines()
    ]


def _told(is_read: bool, content: str, reason: str = "") -> str:
    if not is_read:
        return "refuses"
    return "reads" if content == "hello" else f"reads {content[:24]!r}"


ALL = {"curl": curl, "Chromium": chromium, "Python": python, "Go": go, "Java": java}
