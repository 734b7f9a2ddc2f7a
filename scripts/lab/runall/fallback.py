"""How long Chromium takes for the parts of a page whose server invites it to HTTP/3, which is refused, beside the same page
without the invitation. Each part is asked for anew, on a connection of its own."""

from __future__ import annotations

import http.server
import json
import re
import statistics
import threading

from lab.certificates import Certificates
from lab.runall.person import Person
from lab.tool import Verdict

MOST_MILLISECONDS = 1000
PARTS = 6
PAGE = (
    "<!DOCTYPE html><title>T</title><link rel=icon href=data:,><body>"
    + "".join(f"<script src=/part{number}.js></script>" for number in range(PARTS))
    + "<script>document.body.textContent = 'times ' + JSON.stringify(performance.getEntriesByType('resource')"
    + ".filter(each => each.name.endsWith('.js')).map(each => each.duration)) + ' end'</script>"
)
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--enable-quic",
]  # fmt: skip


class Site:
    """A server over TLS that ends each connection after its answer."""

    def __init__(self, certificates: Certificates, invites: bool):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                is_page = self.path == "/"
                body = (PAGE if is_page else "1").encode()
                self.send_response(200)
                if invites:
                    self.send_header("Alt-Svc", f'h3=":{self.server.server_port}"; ma=86400')
                self.send_header("Content-Type", "text/html" if is_page else "text/javascript")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = certificates.server_context().wrap_socket(
            self.server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"https://localhost:{self.server.server_port}/"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def visit(person: Person, url: str, number: int, options: list[str]) -> tuple[list[float], int]:
    """Milliseconds of each part, and the refused datagrams."""
    key, _ = person.check([str(person.program), "ca", "export", "--format", "spki", "--ca-dir", str(person.authority)])
    profile = person.home / f"profile-{number}"
    trust = [f"--user-data-dir={profile}", f"--ignore-certificate-errors-spki-list={key.split()[0]}"]
    words = person.words(["--all", *options], ["chromium", *OPTIONS, *trust, "--dump-dom", url])
    output, errors = person.check(words)
    found = re.search(r"times (\[.*?\]) end", output)
    refused = re.search(r"refused: (\d+) datagram", errors)
    if not found or not refused:
        raise SystemExit(f"the page was not loaded: {output[-500:]} {errors[-1500:]}")
    return json.loads(found[1]), int(refused[1])


def measure(person: Person, pages: int) -> Verdict:
    certificates = Certificates(person.directory / "site")
    certificates.make()
    options = ["--upstream-ca", str(certificates.root)]
    slowest: dict[bool, list[float]] = {False: [], True: []}
    usual: dict[bool, list[float]] = {False: [], True: []}
    datagrams: dict[bool, list[int]] = {False: [], True: []}
    for number in range(pages):
        for invites in (False, True):
            site = Site(certificates, invites)
            try:
                times, refused = visit(person, site.url, 2 * number + invites, options)
            finally:
                site.stop()
            slowest[invites].append(max(times))
            usual[invites].append(statistics.median(times))
            datagrams[invites].append(refused)
    for invites in (False, True):
        print(f"{'invited to HTTP/3' if invites else 'not invited':18}slowest part of each page: "
              f"{', '.join(f'{each:.0f}' for each in slowest[invites])} ms; median {statistics.median(usual[invites]):.0f} ms; "
              f"refused datagrams: {', '.join(map(str, datagrams[invites]))}")  # fmt: skip
    if not all(datagrams[True]):
        raise SystemExit("a browser did not try HTTP/3, so that nothing was measured")
    worst = max(slowest[True])
    return f"a part takes {worst:.0f} ms at most where HTTP/3 is refused; at most {MOST_MILLISECONDS}", worst <= MOST_MILLISECONDS
