"""The package for Debian and its derivatives."""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from email.utils import format_datetime
from pathlib import Path

from package.archive import Tree, compressed
from package.build import Binaries
from package.parts import Part
from package.source import Commit
from package.tools import output, run

COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/tapeline",
    "zsh": "usr/share/zsh/vendor-completions/_tapeline",
    "fish": "usr/share/fish/vendor_completions.d/tapeline.fish",
}
DESCRIPTION = """\
proxy that records HTTP and HTTPS traffic with true timings
 tapeline is a local forwarding proxy. Programs that use it, or that run
 under it, leave a HAR file: every request and response with exact headers,
 bodies and sizes, and how long each part of it took, from the look-up of
 the name to the last byte.
 .
 It decrypts HTTPS for programs that trust its authority, replaces secrets
 before they reach the disk, and has commands that list, compare, check,
 report and replay what it recorded.
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tapeline
Comment: The program has these in it, under the licence of the last paragraph,
 those "WITH Swift-exception" with the exception there:
{parts}

Files: *
Copyright: {year} The tapeline authors
License: Expat

Files: usr/bin/tapeline
Copyright: {year} The tapeline authors
           2014-{year} Apple Inc. and the Swift project authors
           2023 Ordo One AB
License: Expat and Apache-2.0

License: Expat
{expat}

License: Apache-2.0
 On Debian systems the Apache License, Version 2.0, is found in
 /usr/share/common-licenses/Apache-2.0.
 .
 The Runtime Library Exception of Swift's project:
 .
 As an exception, if you use this Software to compile your source code and
 portions of this Software are embedded into the binary product as a result,
 you may redistribute such product without providing attribution as would
 otherwise be required by Sections 4(a), 4(b) and 4(d) of the License.
"""


def architecture() -> str:
    """As Debian and container images call it."""
    return output("dpkg", "--print-architecture")


def version(commit: Commit) -> str:
    """Less than what Debian itself would give a package of the same version, as for its backports."""
    return f"{commit.version}-1~deb{platform.freedesktop_os_release()['VERSION_ID']}"


def make(commit: Commit, binaries: Binaries, source: Path, parts: list[Part], folder: Path, out: Path) -> Path:
    """Writes the package, and gives its path."""
    tree = Tree(folder)
    tree.copy(binaries.shared, "usr/bin/tapeline", 0o755)
    for page in sorted((source / "docs/man").glob("*.1")):
        tree.write(f"usr/share/man/man1/{page.name}.gz", compressed(page.read_bytes()))
    for shell, path in COMPLETIONS.items():
        script = output(binaries.shared, "--generate-completion-script", shell) + "\n"
        # bash reads its completions and never runs them; zsh needs its first line.
        tree.write(path, script.removeprefix("#!/bin/bash\n"))
    for unit in ("tapeline.service", "tapeline.socket"):
        tree.copy(Path(__file__).parent / unit, f"usr/lib/systemd/user/{unit}")
    documents = "usr/share/doc/tapeline"
    tree.write(f"{documents}/copyright", copyright_file(commit, source, parts))
    tree.write(f"{documents}/changelog.gz", compressed((source / "CHANGELOG.md").read_bytes()))
    tree.write(f"{documents}/changelog.Debian.gz", compressed(changelog(commit)))

    files = [path for path in sorted(tree.folder.rglob("*")) if path.is_file()]
    sums = "".join(f"{md5(path)}  {path.relative_to(tree.folder)}\n" for path in files)
    size = sum(-(-path.stat().st_size // 1024) for path in files) + sum(path.is_dir() for path in tree.folder.rglob("*"))
    tree.write("DEBIAN/md5sums", sums)
    tree.write("DEBIAN/control", control(commit, dependencies(binaries.shared), size))

    package = out / f"tapeline_{version(commit)}_{architecture()}.deb"
    command = ["dpkg-deb", "-Zxz", "--threads-max=1", "--root-owner-group", "--build", tree.folder, package]
    run(command, environment=os.environ | {"SOURCE_DATE_EPOCH": str(commit.epoch)})
    return package


def control(commit: Commit, depends: str, size: int) -> str:
    """What dpkg must know."""
    fields = {
        "Package": "tapeline",
        "Version": version(commit),
        "Architecture": architecture(),
        "Maintainer": commit.author,
        "Installed-Size": str(size),
        "Depends": depends,
        "Recommends": "ca-certificates",
        "Section": "net",
        "Priority": "optional",
        "Description": DESCRIPTION.rstrip("\n"),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def changelog(commit: Commit) -> str:
    """Of the package; what changed in the program is in the other one."""
    return (
        f"tapeline ({version(commit)}) unstable; urgency=medium\n\n"
        f"  * Commit {commit.identifier}.\n"
        "  * changelog.gz says what changed.\n\n"
        f" -- {commit.author}  {format_datetime(commit.time)}\n"
    )


def copyright_file(commit: Commit, source: Path, parts: list[Part]) -> str:
    """The licences, as Debian's readers and programs expect them."""
    grant = (source / "LICENSE").read_text().split("\n\n", 2)[2].rstrip()
    return COPYRIGHT.format(
        year=commit.time.year,
        parts="\n".join(f" {part.name} {part.version}: {part.licence}" for part in parts),
        expat="\n".join(f" {line}" if line else " ." for line in grant.split("\n")),
    )


def dependencies(binary: Path) -> str:
    """The packages that the program's libraries come from, in the versions that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "debian/control"
        stub.parent.mkdir()
        stub.write_text("Source: tapeline\n\nPackage: tapeline\nArchitecture: any\n")
        return output("dpkg-shlibdeps", "-O", f"-e{binary}", cwd=Path(folder)).removeprefix("shlibs:Depends=")


def md5(path: Path) -> str:
    """The digest that dpkg --verify compares."""
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
