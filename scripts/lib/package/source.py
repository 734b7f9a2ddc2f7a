"""The commit that is packaged: its files, its time and its version."""

from __future__ import annotations

import io
import re
import shutil
import tarfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from package.tools import ROOT, PackagingError, captured, output, run

# How the program is built.
BUILD = [f"scripts/lib/{name}" for name in ("common.sh", "release-options")]
# What the packages are made of.
EXPORTED = ["Package.swift", "Sources", "Tests", "LICENSE", "CHANGELOG.md", "docs/man", *BUILD]


@dataclass(frozen=True)
class Commit:
    """What a package says of where it comes from."""

    identifier: str
    # Seconds since 1970: the time of everything in the packages (SOURCE_DATE_EPOCH).
    epoch: int
    author: str
    # As Debian orders versions: what lies before the tag of a version is less than it.
    version: str

    @property
    def file_version(self) -> str:
        """The version in names of files and of images, which may have no tilde."""
        return self.version.replace("~", "-")

    @property
    def time(self) -> datetime:
        """When the commit was made."""
        return datetime.fromtimestamp(self.epoch, UTC)


def head() -> Commit:
    """The checkout's last commit."""

    def git(*words: str) -> str:
        return output("git", "-C", ROOT, *words)

    identifier = git("rev-parse", "HEAD")
    epoch = int(git("log", "-1", "--format=%ct"))
    place = "Sources/Log/Recorder/TapelineVersion.swift"
    declared = re.search(r'current = "([0-9.]+)"', git("show", f"HEAD:{place}"))
    if not declared:
        raise PackagingError(f"{place} declares no version")
    version = declared[1]
    if f"v{version}" not in git("tag", "--points-at", "HEAD").split():
        version += f"~{datetime.fromtimestamp(epoch, UTC):%Y%m%d}.{identifier[:10]}"
    return Commit(identifier, epoch, git("log", "-1", "--format=%an <%ae>"), version)


def export(commit: Commit, folder: Path) -> None:
    """Makes `folder` what the commit has, and gives it the checkout's pins of other people's packages, which no commit has.

    Files that are so already keep their times, so that a build need not begin anew.
    """
    archive = captured(["git", "-C", ROOT, "archive", "--format=tar", commit.identifier, *EXPORTED])
    wanted: set[Path] = set()
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            path = folder / member.name
            file = members.extractfile(member) if member.isfile() else None
            if member.issym():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.unlink(missing_ok=True)
                path.symlink_to(member.linkname)
            elif file:
                content = file.read()
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.is_file() or path.read_bytes() != content:
                    path.write_bytes(content)
            if not member.isdir():
                wanted.add(path)
    for top in {Path(name).parts[0] for name in EXPORTED}:
        for path in sorted((folder / top).rglob("*"), reverse=True):
            if path.is_symlink() or path.is_file():
                if path not in wanted:
                    path.unlink()
            elif not any(path.iterdir()):
                shutil.rmtree(path)
    pins = ROOT / "Package.resolved"
    if not pins.exists():
        run(["swift", "package", "--package-path", ROOT, "resolve"])
    if not (folder / pins.name).exists() or (folder / pins.name).read_bytes() != pins.read_bytes():
        shutil.copyfile(pins, folder / pins.name)
