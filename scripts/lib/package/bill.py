"""The bill of materials (SPDX 2.3, JSON): what is in each package, in which version, under which licence."""

from __future__ import annotations

import json
from pathlib import Path

from package.image import loaded
from package.parts import Part, system_parts
from package.source import Commit
from package.tools import sha256


def make(
    commit: Commit,
    packages: dict[str, Path],
    swift: list[Part],
    static: list[Part],
    trust: Part,
    shared: list[Path],
    single: Path,
) -> str:
    """The document.

    packages: the files that people download, as `deb`, `single` and `image`. swift: in all of them; static: in the last two.
    trust: the roots in the image. shared: what the program of the .deb loads.
    """
    glibc = system_parts(loaded(single))
    dynamic = system_parts(shared)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", reference(name)) for name in packages]
    relations += [(reference(name), "GENERATED_FROM", reference("source")) for name in packages]
    relations += [(reference(name), "STATIC_LINK", reference(part.name)) for name in packages for part in swift]
    relations += [(reference(name), "STATIC_LINK", reference(part.name)) for name in ("single", "image") for part in static]
    relations += [(reference("deb"), "DYNAMIC_LINK", reference(part.name)) for part in dynamic]
    relations += [(reference("single"), "DYNAMIC_LINK", reference(part.name)) for part in glibc]
    relations += [(reference("image"), "CONTAINS", reference(part.name)) for part in [*glibc, trust]]
    others = {part.name: part for part in [*swift, *static, *dynamic, *glibc, trust]}
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tapeline-{commit.file_version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tapeline-{commit.file_version}-{sha256(packages['image'])[:32]}",
        "creationInfo": {"created": f"{commit.time:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: scripts-package"]},
        "packages": [
            *(described("tapeline", name, commit.file_version, "MIT", path) for name, path in packages.items()),
            described("tapeline", "source", commit.identifier, "MIT"),
            *(located(others[name]) for name in sorted(others)),
        ],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def described(name: str, identifier: str, version: str, licence: str, path: Path | None = None) -> dict[str, object]:
    """A package, with the digest of its file if it has one."""
    package: dict[str, object] = {
        "SPDXID": reference(identifier),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if path:
        package |= {"packageFileName": path.name, "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(path)}]}
    return package


def located(part: Part) -> dict[str, object]:
    """Somebody else's package, with the address by which scanners know it."""
    address = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part.locator}
    return described(part.name, part.name, part.version, part.licence) | {"externalRefs": [address]}


def reference(name: str) -> str:
    """An identifier, in the characters that SPDX permits."""
    return "SPDXRef-" + "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in name)
