"""What the programs have in them that others wrote: versions and licences."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from package.build import Binaries
from package.tools import ROOT, PackagingError, output


@dataclass(frozen=True)
class Part:
    """Something that is linked into a program, or that it loads."""

    name: str
    version: str
    # An SPDX expression.
    licence: str
    text: str
    locator: str


# Debian's copyright files name no SPDX expression for a package as a whole.
# These are for what we link, by how the names of packages begin.
LICENCES = {
    "libssl": "Apache-2.0",
    "libevent": "BSD-3-Clause",
    "libnghttp2": "MIT",
    "liburing": "LGPL-2.1-or-later OR MIT",
    "zlib1g": "Zlib",
    "libbrotli": "MIT",
    "libzstd": "BSD-3-Clause",
    "libstdc++": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libc6": "LGPL-2.1-or-later",
    "ca-certificates": "MPL-2.0 AND GPL-2.0-or-later",
}
RUNTIME_EXCEPTION = "Apache-2.0 WITH Swift-exception"


def swift_parts(binaries: Binaries) -> list[Part]:
    """The runtime of Swift with Foundation and Dispatch, and the packages that Package.resolved names."""
    toolchain = Path(shutil.which("swift") or "").resolve().parents[1]
    version = output("swift", "--version").split("Swift version ")[1].split()[0]
    text = (toolchain / "share/swift/LICENSE.txt").read_text()
    parts = [Part("swift", version, RUNTIME_EXCEPTION, text, f"pkg:github/swiftlang/swift@swift-{version}-RELEASE")]
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        folder = binaries.checkouts / Path(pin["location"]).name.removesuffix(".git")
        files = sorted(folder.glob("LICENSE*"))
        if not files:
            raise PackagingError(f"{pin['identity']} has no licence")
        text = files[0].read_text()
        licence = RUNTIME_EXCEPTION if "Runtime Library Exception" in text else "Apache-2.0"
        if "Apache License" not in text:
            raise PackagingError(f"{pin['identity']} has a licence of another kind; scripts/lib/package/parts.py must learn it")
        place = "/".join(pin["location"].removesuffix(".git").split("/")[-2:])
        parts.append(
            Part(pin["identity"], pin["state"]["version"], licence, text, f"pkg:github/{place}@{pin['state']['revision']}")
        )
    return parts


def system_parts(files: list[Path]) -> list[Part]:
    """The packages of Debian that these files come from."""
    packages = {owner(file) for file in files}
    return [system_part(package) for package in sorted(packages)]


def system_part(package: str) -> Part:
    """An installed package of Debian."""
    version, architecture = output("dpkg-query", "-W", "-f", "${Version} ${Architecture}", package).split()
    name = package.split(":")[0]
    return debian_part(name, version, architecture, Path(f"/usr/share/doc/{name}/copyright").read_text())


def debian_part(name: str, version: str, architecture: str, text: str) -> Part:
    """A package of Debian; `text` is its copyright file."""
    licence = next((licence for prefix, licence in LICENCES.items() if name.startswith(prefix)), "NOASSERTION")
    return Part(name, version, licence, text, f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}")


def owner(file: Path) -> str:
    """The package that installed a file. Since /lib became a link to /usr/lib, a package may know the file by either name."""
    name = str(file).removeprefix("/usr")
    search = subprocess.run(
        ["dpkg-query", "--search", name, f"/usr{name}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    owners = search.stdout.decode().split(": ")[0]
    if not owners:
        raise PackagingError(f"no package installed {file}")
    return owners.split(",")[0]


def licences(parts: list[Part]) -> str:
    """The licences of a program and of everything in it, one after the other; a text that several parts share comes once."""
    texts: dict[str, list[str]] = {(ROOT / "LICENSE").read_text(): ["tapeline"]}
    for part in parts:
        texts.setdefault(part.text, []).append(f"{part.name} {part.version}")
    for name in sorted(Path("/usr/share/common-licenses").iterdir()):
        if name.is_file() and any(str(name) in text for text in list(texts)):
            texts.setdefault(name.read_text(), []).append(f"what refers to {name}")
    rule = "=" * 80
    return "\n".join(f"{rule}\n{', '.join(names)}\n{rule}\n\n{text.rstrip()}\n" for text, names in texts.items())
