"""How the program is built."""

import shutil
import tempfile
import unittest
from pathlib import Path

from package.build import by_profile, named_by_digest, release_options
from package.source import BUILD
from package.tools import ROOT


class ReleaseOptionsTests(unittest.TestCase):
    """The words that are given to the compiler."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name)
        self.files = self.source / "scripts" / "lib"
        self.files.mkdir(parents=True)
        for path in BUILD:
            shutil.copy(ROOT / path, self.files)

    def test_remarks_are_no_words(self) -> None:
        """What the file says to its reader stays there."""
        (self.files / "release-options").write_text("# It says why.\n\n--static-swift-stdlib # here\n-Xlinker -lz\n")
        self.assertEqual(release_options(self.source), ["--static-swift-stdlib", "-Xlinker", "-lz"])


class ProfileTests(unittest.TestCase):
    """What is compiled by a profile."""

    def test_another_profile_is_another_command(self) -> None:
        """SwiftPM compares words, not the files that they name."""
        words = by_profile(Path("/folder/0123.profile"))
        self.assertEqual(sum("/folder/0123.profile" in word for word in words), 2)
        self.assertNotEqual(words, by_profile(Path("/folder/4567.profile")))

    def test_a_profile_is_found_by_its_end(self) -> None:
        """Its name begins with its digest."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "0123.profile").write_text("")
            self.assertEqual(named_by_digest(Path(folder)).name, "0123.profile")
