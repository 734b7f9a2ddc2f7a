"""Who starts the commands: a user without privileges, with a home and a copy of the program that anybody can read."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from lab.tool import ROOT, binary

NOBODY = 65534


class Person:
    def __init__(self, directory: Path):
        self.directory = directory / "person"
        self.home = self.directory / "home"
        self.home.mkdir(parents=True)
        self.program = self.directory / "tapeline"
        shutil.copy(binary(), self.program)
        self.program.chmod(0o755)
        self.launcher: list[str] = []
        if os.geteuid() == 0:
            os.chown(self.home, NOBODY, NOBODY)
            self.launcher = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--"]
        # One authority for all runs: making it is not what is measured.
        self.authority = self.home / "authority"
        self.check([str(self.program), "ca", "create", "--ca-dir", str(self.authority)])

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "scripts"),
        }  # fmt: skip

    def words(self, options: list[str] | None, command: list[str]) -> list[str]:
        """`command`, under `run` with `options`; `None`: without tapeline."""
        if options is None:
            return [*self.launcher, *command]
        har = str(self.home / "recording.har")
        run = ["run", "--force", "--require", "0", "-o", har, "--ca-dir", str(self.authority)]
        return [*self.launcher, str(self.program), *run, *options, "--", *command]

    def start(self, words: list[str], **options) -> subprocess.Popen:
        # Its own directory: that of the caller may be closed to others.
        return subprocess.Popen(
            words, env=self.environment, cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **options)  # fmt: skip

    def check(self, words: list[str]) -> tuple[str, str]:
        """Runs a command to its end: its output and what it says beside."""
        process = self.start(words if words[: len(self.launcher)] == self.launcher else [*self.launcher, *words])
        output, errors = process.communicate(timeout=300)
        if process.returncode:
            raise SystemExit(f"{' '.join(words)} exited with {process.returncode}: {errors[-2000:]}")
        return output, errors
