"""Folders that become archives: names in order, one time, one owner, modes that do not depend on anybody's umask."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path


class Tree:
    """A folder to fill."""

    def __init__(self, folder: Path, keeps: bool = False) -> None:
        self.folder = folder
        if not keeps:
            shutil.rmtree(folder, ignore_errors=True)
        self.directory("")

    def directory(self, path: str, mode: int = 0o755) -> None:
        """A folder, and those above it."""
        whole = self.folder / path
        for parent in [*reversed(whole.parents), whole]:
            if not parent.exists():
                parent.mkdir()
                parent.chmod(0o755)
        whole.chmod(mode)

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        """A file with this content."""
        self.directory(str(Path(path).parent))
        whole = self.folder / path
        whole.write_bytes(content.encode() if isinstance(content, str) else content)
        whole.chmod(mode)

    def copy(self, file: Path, path: str, mode: int = 0o644) -> None:
        """A copy of a file."""
        self.write(path, file.read_bytes(), mode)

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        self.directory(str(Path(path).parent))
        (self.folder / path).symlink_to(target)

    def tar(self, epoch: int) -> bytes:
        """The tree as a tar archive."""
        result = io.BytesIO()
        with tarfile.open(fileobj=result, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path in sorted(self.folder.rglob("*")):
                member = archive.gettarinfo(path, str(path.relative_to(self.folder)))
                member.uid = member.gid = 0
                member.uname = member.gname = ""
                member.mtime = epoch
                if member.isfile():
                    with path.open("rb") as file:
                        archive.addfile(member, file)
                else:
                    archive.addfile(member)
        return result.getvalue()


def compressed(content: str | bytes) -> bytes:
    """As `gzip -9n` does it: without a name and a time."""
    return gzip.compress(content.encode() if isinstance(content, str) else content, mtime=0)
