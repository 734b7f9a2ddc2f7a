"""The packages where nothing else is: in a bare root of Debian 12, and in roots with nothing but glibc."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import shutil
import signal
import statistics
import subprocess
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from package.archive import Tree
from package.image import digest, loaded
from package.tools import ROOT, PackagingError, output, run, say

SUITE = "bookworm"
# From the .deb to the first capture, with the package lists and what the .deb depends on fetched from a mirror.
INSTALL_LIMIT = 60
SINGLE_LIMIT = 30_000_000
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
BODY = b"recorded\n"


def prove(out: Path, work: Path) -> None:
    """Installs and runs each package; raises PackagingError if one does not do what the README says."""
    if os.geteuid() != 0:
        raise PackagingError("--prove makes roots and enters them, so it needs to be run as root")
    proofs = work / "proofs"
    shutil.rmtree(proofs, ignore_errors=True)
    proofs.mkdir(parents=True)
    deb, image = next(out.glob("*.deb")), next(out.glob("*-oci-*.tar"))
    single = next(path for path in out.glob("*-linux-*") if path.suffix != ".licences")
    captures = []
    with origin() as address:
        captures.append(prove_single(single, proofs / "glibc", address))
        captures.append(prove_image(image, proofs / "image", address))
        base = bare_root(work / f"{SUITE}.tar.gz")
        captures.append(prove_deb(deb, base, proofs / SUITE, address))
    for capture in captures:
        examine(capture, single, address)
    run([ROOT / "scripts/lab/run", "schema", *captures])
    say("piuparts installs, removes and purges the .deb")
    log = proofs / "piuparts.log"
    run(
        ["piuparts", "--distribution", SUITE, "--basetgz", base, "--mirror", f"{mirror()} main", "--no-upgrade-test"]
        + ["--log-level", "error", "--log-file", log, deb]
    )


def prove_deb(deb: Path, base: Path, folder: Path, address: str) -> Path:
    """By the README: install the file, run curl under tapeline."""
    folder.mkdir()
    run(["tar", "--extract", "--numeric-owner", "--file", base, "--directory", folder])
    shutil.copyfile("/etc/resolv.conf", folder / "etc/resolv.conf")
    shutil.copyfile(deb, folder / "root" / deb.name)
    environment = {"PATH": SYSTEM_PATH, "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
    started = time.monotonic()
    for command in (
        ["apt-get", "--quiet=2", "update"],
        ["apt-get", "--quiet=2", "install", "--yes", f"/root/{deb.name}", "curl"],
        ["tapeline", "run", "-o", "/root/capture.har", "--", "curl", "--silent", "--show-error", address],
    ):
        run(inside(folder, command), environment=environment)
    taken = time.monotonic() - started
    say(f"the .deb gave a first capture in {taken:.1f} s, in a root without Swift")
    if taken > INSTALL_LIMIT:
        raise PackagingError(f"which is longer than {INSTALL_LIMIT} s")
    return folder / "root/capture.har"


def inside(root: Path, command: list[str], user: str = "0:0") -> list[str]:
    """A command in a root that has /proc while the command runs: Swift reads a program's arguments there."""
    (root / "proc").mkdir(exist_ok=True)
    script = 'mount --bind /proc "$0/proc" && exec chroot --userspec="$1" "$0" "${@:2}"'
    return ["unshare", "--mount", "bash", "-c", script, str(root), user, *command]


def prove_single(single: Path, folder: Path, address: str) -> Path:
    """In a root that has the program, glibc and nothing else."""
    size = single.stat().st_size
    if size > SINGLE_LIMIT:
        raise PackagingError(f"{single.name} has {size:,} bytes, which may be {SINGLE_LIMIT:,}")
    tree = Tree(folder)
    tree.copy(single, "tapeline", 0o755)
    for path in loaded(single):
        if not path.name.startswith(("libc.so", "libm.so", "ld-linux")):
            raise PackagingError(f"{single.name} needs {path}, which is not of glibc")
        tree.copy(path, str(path).removeprefix("/"), 0o755)
    times = []
    for _ in range(20):
        started = time.monotonic()
        output(single, "--version")
        times.append(time.monotonic() - started)
    say(f"the single file starts and ends in {statistics.median(times) * 1000:.1f} ms")
    return record(folder, ["/tapeline", "record"], "/", address)


def prove_image(image: Path, folder: Path, address: str) -> Path:
    """Unpacked as an engine does it, with digests compared."""
    with tarfile.open(image) as layout:

        def blob(description: dict[str, str]) -> bytes:
            content = read(layout, f"blobs/{description['digest'].replace(':', '/')}")
            if digest(content) != description["digest"]:
                raise PackagingError(f"{image.name} has a blob that is not {description['digest']}")
            return content

        manifest = json.loads(blob(json.loads(read(layout, "index.json"))["manifests"][0]))
        configuration = json.loads(blob(manifest["config"]))
        layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
    if [digest(layer) for layer in layers] != configuration["rootfs"]["diff_ids"]:
        raise PackagingError(f"{image.name} has layers that its configuration does not name")
    folder.mkdir()
    for layer in layers:
        with tarfile.open(fileobj=io.BytesIO(layer)) as files:
            files.extractall(folder, filter="fully_trusted")
    settings = configuration["config"]
    return record(folder, settings["Entrypoint"] + settings["Cmd"][:1], settings["WorkingDir"], address, settings["User"])


def read(archive: tarfile.TarFile, name: str) -> bytes:
    """A file of an archive."""
    file = archive.extractfile(name)
    if not file:
        raise PackagingError(f"{name} is not a file")
    return file.read()


def record(root: Path, command: list[str], directory: str, address: str, user: str = "0:0") -> Path:
    """Records one request that a client outside the root makes."""
    capture = Path(directory) / "capture.har"
    options = ["--listen", "127.0.0.1:0", "--port-file", "/tmp/port", "-o", str(capture)]
    Tree(root, keeps=True).directory("tmp", 0o1777)
    recorder = subprocess.Popen(inside(root, [*command, *options], user), env={"HOME": "/root", "PATH": SYSTEM_PATH})
    try:
        port = root / "tmp/port"
        limit = time.monotonic() + 60
        while not (port.exists() and port.read_text().strip()):
            if recorder.poll() is not None or time.monotonic() > limit:
                raise PackagingError(f"{command[0]} does not listen")
            time.sleep(0.01)
        proxy = urllib.request.ProxyHandler({"http": f"http://{port.read_text().strip()}"})
        with urllib.request.build_opener(proxy).open(address, timeout=60) as response:
            if response.read() != BODY:
                raise PackagingError(f"{command[0]} relayed another body")
        recorder.send_signal(signal.SIGINT)
        if recorder.wait(60) != 0:
            raise PackagingError(f"{command[0]} ended with status {recorder.returncode}")
    finally:
        recorder.kill()
    return root / str(capture).removeprefix("/")


def examine(capture: Path, single: Path, address: str) -> None:
    """A capture must have the one exchange, whole, and nothing that `lint` rejects."""
    entries = json.loads(capture.read_text())["log"]["entries"]
    seen = [(entry["request"]["url"], entry["response"]["status"], entry["response"]["content"].get("text")) for entry in entries]
    if seen != [(address, 200, BODY.decode())]:
        raise PackagingError(f"{capture} has {seen}")
    run([single, "lint", capture])


def bare_root(archive: Path) -> Path:
    """The smallest Debian 12 that has apt, as an archive; made once."""
    if not archive.exists():
        say(f"making a bare root of {SUITE}")
        unfinished = archive.with_name(f"unfinished-{archive.name}")
        run(["mmdebstrap", "--quiet", "--variant=minbase", "--mode=root", SUITE, unfinished, mirror()])
        unfinished.rename(archive)
    return archive


def mirror() -> str:
    """Where this machine's apt has Debian from."""
    targets = output("apt-get", "indextargets", "--format", "$(ORIGIN) $(CODENAME) $(REPO_URI)", "Created-By: Packages")
    for target in targets.split("\n"):
        if target.startswith(f"Debian {SUITE} "):
            return target.split(" ", 2)[2].rstrip("/")
    raise PackagingError(f"apt knows no mirror with {SUITE}")


@contextlib.contextmanager
def origin() -> Iterator[str]:
    """A server on loopback; gives an address on it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/first"
        server.shutdown()
