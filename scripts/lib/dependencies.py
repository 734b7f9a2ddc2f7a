"""Holds Package.swift against the sources; it reads `swift package describe --type json`.

`unused`: prints each target with a dependency that none of its files imports. What a test target names only so that it is built,
as the program that it starts, counts as used.

`heavy`: prints each target that people import to read files or messages and that links a library for it.
"""

import json
import re
import sys
from pathlib import Path

IMPORT = re.compile(r"^(?:@\w+ )*(?:\w+ )?import (?:(?:struct|class|enum|func|var|let|protocol) )?(\w+)", re.M)
LIGHT = ["TapelineHAR", "TapelineHTTP"]
LIBRARIES = {"COpenSSL", "CLibevent", "CNghttp2", "CCompression", "CTapeline"}

targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}


def unused() -> None:
    for target in targets.values():
        if target["module_type"] != "SwiftTarget":
            continue
        imported = {name for file in target["sources"] for name in IMPORT.findall((Path(target["path"]) / file).read_text())}
        declared = {*target.get("target_dependencies", []), *target.get("product_dependencies", [])}
        if target["type"] == "test":
            declared.discard("tapeline")
        for name in sorted(declared - imported):
            print(target["name"], name)


def heavy() -> None:
    for name in LIGHT:
        reached, waiting = set(), [name]
        while waiting:
            reached.add(each := waiting.pop())
            waiting += [need for need in targets[each].get("target_dependencies", []) if need not in reached]
        for library in sorted(reached & LIBRARIES):
            print(name, library)


{"unused": unused, "heavy": heavy}[sys.argv[1]]()
