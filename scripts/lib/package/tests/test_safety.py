"""What is made for others gives no more rights than it needs."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from package import image
from package.parts import Part
from package.tools import ROOT, sign

UNITS = ROOT / "scripts/lib/package"


class SafetyTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_signature_is_that_of_the_key_and_of_every_byte(self) -> None:
        key, sums = self.folder / "key", self.folder / "SHA256SUMS"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        public = (self.folder / "key.pub").read_text()
        (self.folder / "signers").write_text(f"tapeline {public}")
        sums.write_text("0  a\n")
        sign(sums, key)
        verify = ["ssh-keygen", "-Y", "verify", "-f", "signers", "-I", "tapeline", "-n", "file", "-s", "SHA256SUMS.sig"]
        for content, status in ((b"0  a\n", 0), (b"1  a\n", 255)):
            checked = subprocess.run(verify, cwd=self.folder, input=content, capture_output=True, check=False)
            self.assertEqual(checked.returncode, status)

    def test_the_container_has_a_user_who_is_not_root_and_may_write_what_it_must(self) -> None:
        program = self.folder / "program"
        program.write_text("x")
        binaries = mock.Mock(single=program)
        trust = image.Trust(mock.Mock(spec=Part), b"")
        with mock.patch.object(image, "loaded", return_value=[]), mock.patch.object(image, "licences", return_value=""):
            tree = image.root(binaries, [], trust, self.folder / "root")
        self.assertNotEqual(image.USER, 0)
        self.assertIn(f"tapeline:x:{image.USER}:{image.USER}:", (tree.folder / "etc/passwd").read_text())
        for path in ("home/tapeline", "captures", "tmp"):
            self.assertEqual((tree.folder / path).stat().st_mode & 0o7777, 0o1777)

    def test_the_unit_keeps_captures_private_and_is_held_to_what_a_proxy_needs(self) -> None:
        lines = (UNITS / "tapeline.service").read_text().splitlines()
        confined = ("NoNewPrivileges=yes", "RestrictNamespaces=yes", "SystemCallFilter=@system-service")
        for line in ("StateDirectoryMode=0700", "UMask=0077", *confined):
            self.assertIn(line, lines)
        self.assertIn("SocketMode=0600", (UNITS / "tapeline.socket").read_text().splitlines())
