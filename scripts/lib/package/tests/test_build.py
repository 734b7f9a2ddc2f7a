"""How the program is built."""

import shutil
import tempfile
import unittest
from pathlib import Path

from package.build import release_options
from package.source import BUILD
from package.tools import ROOT


class ReleaseOptionsTests(unittest.TestCase):
    """The words that are given to the compiler."""

    def test_files_go_by_their_digests(self) -> None:
        """A changed profile changes the words, by which the build is done anew."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for path in BUILD:
                shutil.copy(ROOT / path, folder)
            before = release_options(folder)
            self.assertEqual(release_options(folder), before)
            with (folder / "exchange-profile").open("ab") as profile:
                profile.write(b"more")
            after = release_options(folder)
            changed = [new for old, new in zip(before, after, strict=True) if old != new]
            self.assertEqual([word.partition("=")[0] for word in changed], ["-profile-sample-use", "--lto-sample-profile"])
            for word in changed:
                self.assertTrue(Path(word.partition("=")[2]).read_bytes().endswith(b"more"))

    def test_remarks_are_no_words(self) -> None:
        """What the file says to its reader stays there."""
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "release-options").write_text("# It says why.\n\n--static-swift-stdlib # here\n-Xlinker -lz\n")
            self.assertEqual(release_options(Path(name)), ["--static-swift-stdlib", "-Xlinker", "-lz"])
