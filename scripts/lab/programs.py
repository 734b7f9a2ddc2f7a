"""What is compiled for a run: the library that teaches wrk CONNECT, and the proxy on martian."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from lab.process import ServerFailed
from lab.tool import ROOT

HERE = Path(__file__).parent / "native"
BUILT = ROOT / ".build-tools" / "bench"
# Debian's Go libraries.
GO_LIBRARIES = Path("/usr/share/gocode")


def preload_library() -> Path:
    """Loaded before wrk by LD_PRELOAD."""
    return _made(BUILT / "preload.so", HERE / "preload", lambda made: _run(
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(made),
         *map(str, sorted((HERE / "preload").glob("*.c"))), "-ldl"]))  # fmt: skip


def martian_proxy() -> Path:
    def build(made: Path) -> None:
        # Import paths with a major version are understood by GOPATH only for sources that lie below it, with a go.mod.
        workspace = BUILT / "go"
        source = workspace / "src" / "tapeline-bench" / "martian"
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(HERE / "martian", source)
        environment = {
            "CGO_ENABLED": "0", "GO111MODULE": "off", "GOPATH": f"{workspace}:{GO_LIBRARIES}", "GOCACHE": str(BUILT / "go-cache"),
            "GOFLAGS": "",
        }  # fmt: skip
        _run(["go", "build", "-o", str(made), "."], cwd=source, env={**os.environ, **environment})

    return _made(BUILT / "martian", HERE / "martian", build)


def _made(program: Path, sources: Path, build) -> Path:
    """Builds what is not there, or is older than its sources."""
    newest = max(file.stat().st_mtime for file in sources.iterdir())
    if not program.exists() or program.stat().st_mtime < newest:
        BUILT.mkdir(parents=True, exist_ok=True)
        build(program)
    return program


def _run(command: list[str], **options) -> None:
    try:
        finished = subprocess.run(command, capture_output=True, text=True, **options)
    except OSError as error:
        raise ServerFailed(str(error)) from error
    if finished.returncode:
        raise ServerFailed(f"{command[0]}: {finished.stderr.strip()}")
