"""The two binaries: one on the system's libraries, one that needs nothing but glibc."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from package.source import Commit
from package.tools import ROOT, PackagingError, output, run, say, sha256

# The libraries that the program links, by the names of their pkg-config files.
BY_PKG_CONFIG = ["openssl", "libssl", "libcrypto", "libevent_core", "libnghttp2"]
ARCHIVES = ["ssl", "crypto", "event_core", "nghttp2", "uring", "z", "brotlidec", "brotlicommon", "zstd"]
# gcc's archives, by the names that clang's driver asks for. The archive of libgcc_s is called libgcc_eh.
COMPILER_ARCHIVES = {"libstdc++.a": "libstdc++.a", "libgcc_s.a": "libgcc_eh.a"}
# How the names of profiles end.
PROFILE = ".profile"


@dataclass(frozen=True)
class Binaries:
    """Stripped programs, and the static archives in the second (the system's files, not links to them)."""

    shared: Path
    single: Path
    archives: list[Path]
    checkouts: Path


def build(commit: Commit, source: Path, result: Path, profile: Path) -> Binaries:
    """Compiles once by the profile and links twice, unless the binaries of the same sources are there."""
    result.mkdir(parents=True, exist_ok=True)
    archives = static_folder(result / "static")
    words = [*command(source), *by_profile(profile)]
    commands = {
        "shared": words,
        "single": [
            *words,
            *("--pkg-config-path", str(result / "static")),
            *("-Xlinker", "-lbrotlicommon"),
            # Half the relocations' size; the loader of glibc 2.36 reads them, which the program needs in any case.
            *("-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"),
        ],
    }
    binaries = Binaries(result / "shared", result / "single", archives, source / ".build" / "checkouts")
    receipt, wanted = result / "receipt.txt", made_from(source, [profile, *archives], commands)
    if receipt.exists() and receipt.read_text() == wanted:
        return binaries
    for name, words in commands.items():
        say(f"building the {name} program (a first build takes a few minutes)")
        run(words, environment=os.environ | {"SOURCE_DATE_EPOCH": str(commit.epoch)})
        built = source / ".build" / "release" / "tapeline"
        run(["strip", "--strip-all", "--remove-section=.comment", "-o", result / name, built])
    receipt.write_text(wanted)
    return binaries


def counted_profile(source: Path, result: Path) -> Path:
    """How often each line of recorded exchanges runs (docs/adr/0052): counted once for the same sources."""
    scratch = result / "unprofiled"
    words = [*command(source), "--scratch-path", str(scratch)]
    receipt, wanted = result / "profile.txt", made_from(source, [], {"unprofiled": words})
    if receipt.exists() and receipt.read_text() == wanted:
        return named_by_digest(result)
    result.mkdir(parents=True, exist_ok=True)
    say("building the program without a profile (a first build takes a few minutes)")
    run(words)
    say("counting what recorded exchanges run")
    for old in result.glob(f"*{PROFILE}"):
        old.unlink()
    counted = result / PROFILE
    tools = {"TAPELINE_BINARY": str(scratch / "release" / "tapeline"), "PYTHONPATH": str(ROOT / "scripts")}
    python = ROOT / ".build-tools/tests/bin/python"
    run([python, "-B", "-m", "lab", "gate", "--profile", counted], environment=os.environ | tools)
    counted.rename(result / f"{sha256(counted)[:16]}{PROFILE}")
    receipt.write_text(wanted)
    return named_by_digest(result)


def named_by_digest(folder: Path) -> Path:
    """The profile in a folder. SwiftPM builds anew when an option changes, not when a file does that it names."""
    return next(folder.glob(f"*{PROFILE}"))


def by_profile(profile: Path) -> list[str]:
    """What the compiler and the linker, which optimises across modules, go by. Functions that it does not have do no harm."""
    return [
        *("-Xswiftc", f"-profile-sample-use={profile}", "-Xlinker", f"--lto-sample-profile={profile}"),
        *("-Xlinker", "-mllvm", "-Xlinker", "-no-warn-sample-unused"),
    ]


def command(source: Path) -> list[str]:
    """Builds the program as `scripts/tapeline` does.

    But the program has no search path for libraries, and what the compiler notes of lines, by which it finds its way in a
    profile, does not name the folder of the build.
    """
    return [
        *("swift", "build", "--package-path", str(source), "--product", "tapeline", *release_options(source)),
        *("-Xswiftc", "-debug-info-for-profiling"),
        *("--disable-local-rpath", "-Xswiftc", "-file-prefix-map", "-Xswiftc", f"{source}=."),
        *("-Xswiftc", "-file-compilation-dir", "-Xswiftc", ".", "-Xcc", f"-ffile-prefix-map={source}=."),
        *("-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker", "relro"),
        # A digest of the program before it is stripped, with symbols that the linker names after the folder.
        *("-Xlinker", "--build-id=none"),
    ]


def release_options(source: Path) -> list[str]:
    """The words for `swift build`, by which `scripts/tapeline` builds, too."""
    return output("bash", "-c", 'source "$0" && release_options', source / "scripts/lib/common.sh").splitlines()


def made_from(source: Path, files: list[Path], commands: dict[str, list[str]]) -> str:
    """Everything that the binaries depend on, as a text to compare."""
    paths = [source / "Package.swift", source / "Package.resolved", *sorted((source / "Sources").rglob("*")), *files]
    sums = [f"{sha256(path)}  {path}" for path in paths if path.is_file()]
    return "\n".join([output("swift", "--version"), *(" ".join(words) for words in commands.values()), *sums, ""])


def static_folder(folder: Path) -> list[Path]:
    """A folder in which the linker finds archives alone, and pkg-config files that lead to it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    found = []
    for name in BY_PKG_CONFIG:
        text = (Path(output("pkg-config", "--variable=pcfiledir", name)) / f"{name}.pc").read_text()
        (folder / f"{name}.pc").write_text(re.sub(r"(?m)^libdir=.*$", f"libdir={folder}", text))
    for name, real in ({f"lib{name}.a": f"lib{name}.a" for name in ARCHIVES} | COMPILER_ARCHIVES).items():
        path = Path(output("gcc", f"-print-file-name={real}"))
        if not path.is_absolute():
            raise PackagingError(f"there is no {real}; scripts/setup --package installs it")
        path = path.resolve()
        (folder / name).symlink_to(path)
        found.append(path)
    return found
