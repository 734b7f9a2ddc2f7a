"""Archives depend on names, contents and modes alone."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import unittest
from pathlib import Path

from package.archive import Tree, compressed


class ArchiveTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.addCleanup(os.umask, os.umask(0o022))

    def tree(self, name: str, paths: list[str]) -> Tree:
        tree = Tree(self.folder / name)
        for path in paths:
            tree.write(path, path)
        tree.link("z", "usr/b")
        return tree

    def test_order_umask_and_times_leave_no_trace(self) -> None:
        first = self.tree("first", ["usr/b", "usr/a", "c"]).tar(7)
        os.umask(0o077)
        second = self.tree("another", ["c", "usr/a", "usr/b"])
        os.utime(second.folder / "c", (1, 1))
        self.assertEqual(first, second.tar(7))

    def test_owner_time_and_modes(self) -> None:
        tree = self.tree("tree", [])
        tree.write("usr/bin/program", "x", 0o755)
        tree.directory("tmp", 0o1777)
        with tarfile.open(fileobj=io.BytesIO(tree.tar(1234))) as archive:
            found = {member.name: (member.mode, member.uid, member.gid, member.mtime) for member in archive if not member.issym()}
        self.assertEqual(
            found,
            {
                "tmp": (0o1777, 0, 0, 1234),
                "usr": (0o755, 0, 0, 1234),
                "usr/bin": (0o755, 0, 0, 1234),
                "usr/bin/program": (0o755, 0, 0, 1234),
            },
        )

    def test_a_tree_begins_empty_unless_it_keeps(self) -> None:
        self.tree("tree", ["a"])
        self.assertTrue((Tree(self.folder / "tree", keeps=True).folder / "a").exists())
        self.assertFalse((Tree(self.folder / "tree").folder / "a").exists())

    def test_compressed_has_no_time(self) -> None:
        first = compressed("text")
        self.assertEqual(first[4:8], bytes(4))
        self.assertEqual(first, compressed(b"text"))
