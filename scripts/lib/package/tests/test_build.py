"""How the program is built."""

import shutil
import tempfile
import unittest
from pathlib import Path

from package.build import release_options
from package.source import BUILD
from package.tools import ROOT, PackagingError


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

    def test_files_go_by_their_digests(self) -> None:
        """A changed profile changes the words, by which the build is done anew."""
        before = release_options(self.source)
        self.assertEqual(release_options(self.source), before)
        with (self.files / "exchange-profile").open("ab") as profile:
            profile.write(b"more")
        after = release_options(self.source)
        changed = [new for old, new in zip(before, after, strict=True) if old != new]
        self.assertEqual([word.partition("=")[0] for word in changed], ["-profile-sample-use", "--lto-sample-profile"])
        for word in changed:
            self.assertTrue(Path(word.partition("=")[2]).read_bytes().endswith(b"more"))

    def test_remarks_are_no_words(self) -> None:
        """What the file says to its reader stays there."""
        (self.files / "release-options").write_text("# It says why.\n\n--static-swift-stdlib # here\n-Xlinker -lz\n")
        self.assertEqual(release_options(self.source), ["--static-swift-stdlib", "-Xlinker", "-lz"])

    def test_a_file_that_is_not_there_is_an_error(self) -> None:
        """A build without the profile is not what is shipped."""
        (self.files / "exchange-profile").unlink()
        with self.assertRaises(PackagingError):
            release_options(self.source)
