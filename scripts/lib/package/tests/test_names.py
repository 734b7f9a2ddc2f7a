"""Versions, and how parts are named in the bill of materials."""

from __future__ import annotations

import subprocess
import unittest

from package.bill import reference
from package.deb import changelog, version
from package.parts import debian_part
from package.source import Commit

COMMIT = Commit("0123456789abcdef", 1_700_000_000, "A Name <name@example.com>", "1.2.0~20231114.0123456789")


class NameTests(unittest.TestCase):
    def test_a_commit_before_a_version_is_less_than_the_version(self) -> None:
        subprocess.run(["dpkg", "--compare-versions", version(COMMIT), "lt", "1.2.0-1"], check=True)
        subprocess.run(["dpkg", "--compare-versions", version(COMMIT), "gt", "1.1.9-1"], check=True)

    def test_names_of_files_and_images_have_no_tilde(self) -> None:
        self.assertEqual(COMMIT.file_version, "1.2.0-20231114.0123456789")

    def test_the_changelog_has_the_commit_and_its_time(self) -> None:
        text = changelog(COMMIT)
        self.assertIn("Commit 0123456789abcdef.", text)
        self.assertTrue(text.endswith("\n -- A Name <name@example.com>  Tue, 14 Nov 2023 22:13:20 +0000\n"))
        self.assertLessEqual(max(map(len, text.split("\n"))), 80)

    def test_a_locator_escapes_what_has_a_meaning_in_it(self) -> None:
        part = debian_part("libstdc++6", "1:12.2.0-14+deb12u1", "amd64", "")
        self.assertEqual(part.locator, "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14%2Bdeb12u1?arch=amd64")
        self.assertEqual(part.licence, "GPL-3.0-or-later WITH GCC-exception-3.1")

    def test_references_have_the_characters_of_spdx(self) -> None:
        self.assertEqual(reference("libstdc++6"), "SPDXRef-libstdc--6")
