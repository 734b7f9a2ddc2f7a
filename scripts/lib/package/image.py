"""The container image: glibc, the roots that Debian trusts, and the single program; made without an engine."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from package.archive import Tree, compressed
from package.build import Binaries
from package.deb import architecture
from package.parts import Part, debian_part, licences, system_parts
from package.source import Commit
from package.tools import captured, output

LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIGURATION = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
# Captures end up here, unless a command says otherwise.
WORKING_DIRECTORY = "captures"
# It owns nothing, and no machine has given the number to anybody.
USER = 65532


@dataclass(frozen=True)
class Trust:
    """The roots of the public web, in PEM, and the package that they come from."""

    part: Part
    bundle: bytes


def make(commit: Commit, binaries: Binaries, parts: list[Part], trust: Trust, folder: Path, out: Path) -> Path:
    """Writes the image as an archive in the layout of OCI, and gives its path."""
    tar = root(binaries, parts, trust, folder / "root").tar(commit.epoch)
    configuration = {
        "created": f"{commit.time:%Y-%m-%dT%H:%M:%SZ}",
        "architecture": architecture(),
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/tapeline"],
            "Cmd": ["record", "--listen", "0.0.0.0:8888", "--allow-remote"],
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin", "HOME=/home/tapeline"],
            "ExposedPorts": {"8888/tcp": {}},
            "Volumes": {f"/{WORKING_DIRECTORY}": {}},
            "WorkingDir": f"/{WORKING_DIRECTORY}",
            "Labels": {
                "org.opencontainers.image.title": "tapeline",
                "org.opencontainers.image.version": commit.file_version,
                "org.opencontainers.image.revision": commit.identifier,
                "org.opencontainers.image.licenses": "MIT",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(tar)]},
        "history": [{"created": f"{commit.time:%Y-%m-%dT%H:%M:%SZ}", "created_by": "scripts/package"}],
    }
    layout = Tree(folder / "layout")
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": blob(layout, encoded(configuration), CONFIGURATION),
        "layers": [blob(layout, compressed(tar), LAYER)],
    }
    described = blob(layout, encoded(manifest), MANIFEST) | {
        "platform": {"architecture": architecture(), "os": "linux"},
        "annotations": {"org.opencontainers.image.ref.name": f"tapeline:{commit.file_version}"},
    }
    layout.write("oci-layout", encoded({"imageLayoutVersion": "1.0.0"}))
    layout.write("index.json", encoded({"schemaVersion": 2, "manifests": [described]}))
    image = out / f"tapeline-{commit.file_version}-oci-{architecture()}.tar"
    image.write_bytes(layout.tar(commit.epoch))
    return image


def root(binaries: Binaries, parts: list[Part], trust: Trust, folder: Path) -> Tree:
    """The files of a container."""
    tree = Tree(folder)
    tree.copy(binaries.single, "usr/bin/tapeline", 0o755)
    for path in loaded(binaries.single):
        tree.copy(path, str(path).removeprefix("/"), 0o755)
    tree.write("etc/ssl/certs/ca-certificates.crt", trust.bundle)
    tree.link("usr/lib/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt")
    users = {"root": (0, "/root"), "tapeline": (USER, "/home/tapeline"), "nobody": (65534, "/")}
    lines = (f"{name}:x:{number}:{number}:{name}:{home}:/sbin/nologin\n" for name, (number, home) in users.items())
    tree.write("etc/passwd", "".join(lines))
    tree.write("etc/group", f"root:x:0:\ntapeline:x:{USER}:\nnogroup:x:65534:\n")
    tree.write("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    tree.write("usr/share/doc/tapeline/licences", licences([*parts, *system_parts(loaded(binaries.single)), trust.part]))
    tree.directory("root", 0o700)
    # Any user may run the container.
    for path in ("home/tapeline", WORKING_DIRECTORY, "tmp"):
        tree.directory(path, 0o1777)
    return tree


def loaded(binary: Path) -> list[Path]:
    """What the loader loads for a program, and the loader itself, by the paths that the program and its libraries name."""
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", output("ldd", binary))]


def roots(folder: Path) -> Trust:
    """The package ca-certificates in the version that apt would install, because the age of roots matters.

    Neither the machine's own bundle nor its installed files are taken: they may have roots that this machine alone trusts.
    """
    folder.mkdir()
    captured(["apt-get", "--quiet=2", "--option", "APT::Sandbox::User=root", "download", "ca-certificates"], cwd=folder)
    package = next(folder.glob("*.deb"))
    captured(["dpkg-deb", "--extract", package, folder / "files"])
    version, architecture = (output("dpkg-deb", "--field", package, name) for name in ("Version", "Architecture"))
    text = (folder / "files/usr/share/doc/ca-certificates/copyright").read_text()
    certificates = sorted((folder / "files/usr/share/ca-certificates").rglob("*.crt"))
    return Trust(
        debian_part("ca-certificates", version, architecture, text), b"".join(path.read_bytes() for path in certificates)
    )


def blob(layout: Tree, content: bytes, media: str) -> dict[str, object]:
    """Keeps a blob under its digest, and describes it."""
    layout.write(f"blobs/{digest(content).replace(':', '/')}", content)
    return {"mediaType": media, "digest": digest(content), "size": len(content)}


def digest(content: bytes) -> str:
    """As OCI writes it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def encoded(value: object) -> bytes:
    """JSON whose bytes depend on the value alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
