"""`scripts/check-readers`: one rich session through the real binary, and its HAR through every reader. Prints a table."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bench.d"))

import readers
from certificates import Certificates
from origin import Origin
from process import Server
from session import Session

LEAST_ENTRIES = 200


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/check-readers", description=__doc__.replace("`", ""))
    parser.add_argument("--har", type=Path, metavar="FILE", help="copy the session's HAR there")
    parser.add_argument("--only", metavar="NAMES", help=f"a selection of {','.join(readers.ALL)}")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(readers.ALL)
    binary = os.environ.get("TAPELINE_BINARY", str(readers.ROOT / ".build/release/tapeline"))
    directory = Path(tempfile.mkdtemp(prefix="tapeline-readers-"))
    try:
        capture = record(binary, directory)
        if arguments.har:
            shutil.copy(capture.path, arguments.har)
        return report(capture, names)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def record(binary: str, directory: Path) -> readers.Capture:
    certificates, untrusted = Certificates(directory / "trusted"), Certificates(directory / "untrusted")
    certificates.make()
    untrusted.make()
    origin, secure, stranger = Origin(), Origin(context(certificates)), Origin(context(untrusted))
    authority, har, port_file = directory / "authority", directory / "session.har", directory / "port"
    proxy = Server("tapeline", [
        binary, "record", "--listen", "127.0.0.1:0", "--port-file", str(port_file), "--output", str(har), "--debug-log", str(directory / "debug.log"),
        "--intercept", "--ca-dir", str(authority), "--upstream-ca", str(certificates.root), "--passthrough-host", "127.0.0.1",
    ], directory / "output.log")  # fmt: skip
    try:
        proxy.wait_for(lambda: port_file.exists() and port_file.read_text().strip())
        port = int(port_file.read_text().rpartition(":")[2])
        socket = control_socket(binary, port_file)

        def mark(title: str) -> None:
            subprocess.run([binary, "mark", title, "--control", socket], check=True, stdout=subprocess.DEVNULL)

        Session(port, origin, secure, stranger, authority / "ca.pem", certificates.root).run(mark)
    finally:
        status = proxy.stop(signal.SIGINT)
    if status:
        raise proxy.failure(f"exited with status {status}")
    capture = readers.Capture(har, binary, f"http://127.0.0.1:{origin.port}")
    print(f"{len(capture.entries)} entries, {har.stat().st_size / 1e6:.1f} MB")
    if len(capture.entries) < LEAST_ENTRIES:
        raise SystemExit(f"the session is not rich: {LEAST_ENTRIES} entries wanted")
    return capture


def control_socket(binary: str, port_file: Path) -> str:
    finished = subprocess.run([binary, "env", "--port-file", str(port_file)], capture_output=True, text=True, check=True)
    line = next(line for line in finished.stdout.splitlines() if "TAPELINE_CONTROL=" in line)
    return line.partition("=")[2].strip("'\"")


def context(certificates: Certificates) -> ssl.SSLContext:
    result = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    result.load_cert_chain(certificates.certificate, certificates.key)
    return result


def report(capture: readers.Capture, names: list[str]) -> int:
    failed = False
    for name in names:
        try:
            verdict, words = "ok", readers.ALL[name](capture)
        except Exception as error:  # A reader may throw whatever it likes: that is what is looked for.
            verdict, words, failed = "REFUSED", f"{type(error).__name__}: {error}".replace("\n", "\n" + " " * 37), True
        print(f"{name:26} {verdict:8}  {words}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
