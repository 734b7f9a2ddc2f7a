"""`scripts/lab/run readers`: one rich session through the real binary, and its HAR through every reader. Prints a table."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from lab.certificates import Certificates
from lab.proxy import Tapeline
from lab.readers import origin, readers
from lab.readers.session import Session
from lab.tool import Workspace, argument_parser, selection

LEAST_ENTRIES = 200


def main(words: list[str]) -> int:
    parser = argument_parser("readers", __doc__)
    parser.add_argument("--har", type=Path, metavar="FILE", help="copy the session's HAR there")
    parser.add_argument("--only", metavar="NAMES", help=f"a selection of {','.join(readers.ALL)}")
    arguments = parser.parse_args(words)
    names = selection(parser, arguments.only, list(readers.ALL))
    with Workspace("readers") as workspace:
        capture = record(workspace.path)
        if arguments.har:
            shutil.copy(capture.path, arguments.har)
        return report(capture, names)


def record(directory: Path) -> readers.Capture:
    certificates, untrusted = Certificates(directory / "trusted"), Certificates(directory / "untrusted")
    certificates.make()
    untrusted.make()
    plain, secure, stranger = (
        origin.start(context) for context in (None, certificates.server_context(), untrusted.server_context())
    )
    authority = directory / "authority"
    proxy = Tapeline(directory / "recording", [
        "--debug-log", str(directory / "debug.log"), "--intercept", "--ca-dir", str(authority),
        "--upstream-ca", str(certificates.root), "--passthrough-host", "127.0.0.1",
    ])  # fmt: skip
    try:
        proxy.start()
        socket = control_socket(proxy)

        def mark(title: str) -> None:
            subprocess.run([proxy.program, "mark", title, "--control", socket], check=True, stdout=subprocess.DEVNULL)

        Session(proxy.address[1], plain, secure, stranger, authority / "ca.pem", certificates.root).run(mark)
    finally:
        status = proxy.stop()
    if status:
        raise proxy.running.failure(f"exited with status {status}")
    capture = readers.Capture(proxy.har, proxy.program, f"http://127.0.0.1:{plain.port}")
    print(f"{len(capture.entries)} entries, {proxy.har.stat().st_size / 1e6:.1f} MB")
    if len(capture.entries) < LEAST_ENTRIES:
        raise SystemExit(f"the session is not rich: {LEAST_ENTRIES} entries wanted")
    return capture


def control_socket(proxy: Tapeline) -> str:
    command = [proxy.program, "env", "--port-file", str(proxy.port_file)]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in finished.stdout.splitlines() if "TAPELINE_CONTROL=" in line)
    return line.partition("=")[2].strip("'\"")


def report(capture: readers.Capture, names: list[str]) -> int:
    failed = False
    for name in names:
        try:
            verdict, words = "ok", readers.ALL[name](capture)
        except Exception as error:  # A reader may throw whatever it likes: that is what is looked for.
            verdict, words, failed = "REFUSED", f"{type(error).__name__}: {error}".replace("\n", "\n" + " " * 37), True
        print(f"{name:26} {verdict:8}  {words}", flush=True)
    return 1 if failed else 0
