"""`scripts/package [--check|--prove]`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from package import bill, deb, image, proof
from package.build import PROFILE, build, counted_profile
from package.parts import licences, swift_parts, system_parts
from package.source import Commit, export, head
from package.tools import ROOT, PackagingError, run, say, sha256, sign

BUILD = ROOT / ".build" / "package"


def make(commit: Commit, folder: Path, profile: Path | None = None) -> Path:
    """Everything, below `folder`; what is for others is in the folder that it gives.

    - `profile`: of an earlier time; without one it is counted.
    """
    source = folder / "source"
    export(commit, source)
    profile = profile or counted_profile(source, folder)
    binaries = build(commit, source, folder, profile)

    out = fresh(folder / "out")
    out.mkdir()
    say("packing")
    swift, static = swift_parts(binaries), system_parts(binaries.archives)
    name = f"tapeline-{commit.file_version}-linux-{deb.architecture()}"
    single = out / name
    shutil.copyfile(binaries.single, single)
    single.chmod(0o755)
    shutil.copyfile(profile, out / f"{name}{PROFILE}")
    (out / f"{name}.licences").write_text(licences([*swift, *static]))
    trust = image.roots(fresh(folder / "trust"))
    packages = {
        "deb": deb.make(commit, binaries, source, swift, folder / "deb", out),
        "single": single,
        "image": image.make(commit, binaries, [*swift, *static], trust, folder / "image", out),
    }
    shared = image.loaded(binaries.shared)
    (out / f"tapeline-{commit.file_version}.spdx.json").write_text(
        bill.make(commit, packages, swift, static, trust.part, shared, binaries.single)
    )
    sums = "".join(f"{sha256(path)}  {path.name}\n" for path in sorted(out.iterdir()))
    (out / "SHA256SUMS").write_text(sums)
    if key := os.environ.get("TAPELINE_SIGNING_KEY"):
        sign(out / "SHA256SUMS", Path(key))
    return out


def fresh(path: Path) -> Path:
    """A path at which there is nothing."""
    shutil.rmtree(path, ignore_errors=True)
    return path


def check(commit: Commit, out: Path) -> None:
    """Makes everything again in a folder with another name, by the same profile, and compares."""
    with tempfile.TemporaryDirectory(prefix="tapeline-package-") as folder:
        again = make(commit, Path(folder), next(out.glob(f"*{PROFILE}")))
        for path in sorted({path.name for path in [*out.iterdir(), *again.iterdir()]}):
            if not (again / path).exists() or not (out / path).exists() or sha256(out / path) != sha256(again / path):
                raise PackagingError(f"{path} is not the same when it is made again")
    say(f"made twice, and {len(list(out.iterdir()))} files are the same byte for byte")
    run(["lintian", "--allow-root", "--fail-on", "error,warning", *out.glob("*.deb")])
    say("lintian has nothing to say")


def main(arguments: list[str]) -> int:
    """Does what the arguments ask for; scripts/package has looked at them."""
    os.umask(0o022)
    # Messages and order do not depend on the person's language.
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        commit = head()
        given = os.environ.get("TAPELINE_PROFILE")
        out = make(commit, BUILD, Path(given).resolve() if given else None)
        for path in sorted(out.iterdir()):
            say(f"{path.stat().st_size:>11,} B  {path.relative_to(ROOT)}")
        if arguments == ["--check"]:
            check(commit, out)
        elif arguments == ["--prove"]:
            proof.prove(out, BUILD)
    except PackagingError as error:
        say(str(error))
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
