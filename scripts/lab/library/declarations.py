"""Public declarations that nobody has documented."""

import re
from pathlib import Path

ATTRIBUTES = r"(@\S+ +)*"
PUBLIC = re.compile(rf"^ *{ATTRIBUTES}(public|open) (?!import\b|extension\b|[-+=])")
# A type whose members are as public as it is, without saying so.
TYPE = re.compile(rf"^(?P<indent> *){ATTRIBUTES}public (indirect )?(?P<kind>enum|protocol)\b.*\{{$")
MEMBERS = {
    "enum": re.compile(r"^(indirect )?case\b"),
    "protocol": re.compile(rf"^{ATTRIBUTES}(static |mutating )*(func|var|init|subscript|associatedtype|typealias)\b"),
}
NAME = re.compile(r"\b(?:func|var|let|typealias) (?P<name>[^\s(:<=]+|==)|\b(?P<special>init|subscript)\b")
# Requirements of Swift's own protocols. They have documentation, which a witness inherits, as it does from our own protocols.
STANDARD = {"init(rawValue:)", "rawValue", "description", "debugDescription", "hash(into:)", "init(from:)", "encode(to:)"}
STANDARD |= {"startIndex", "endIndex", "init(arrayLiteral:)", "init(dictionaryLiteral:)", "init(stringLiteral:)"}


def undocumented(directories):
    """Where they are, as `file:line: text`."""
    files = {}
    for directory in directories:
        for path in sorted(Path(directory).rglob("*.swift")):
            files[path] = path.read_text(encoding="utf-8").splitlines()
    found = [(path, number, *rest) for path, lines in files.items() for number, *rest in declarations(lines)]
    inherited = STANDARD | {
        name(files[path], number) for path, number, is_requirement in found if is_requirement and has_comment(files[path], number)
    }
    for path, number, is_requirement in found:
        lines = files[path]
        is_witness = not is_requirement and name(lines, number) in inherited
        if not (has_comment(lines, number) or is_witness or re.search(r"\boverride\b", lines[number])):
            yield f"{path}:{number + 1}: {lines[number].strip()}"


def declarations(lines):
    """The lines that declare something public, and whether it is a protocol's requirement. The sources are formatted, so that
    indentation tells what is a member of what."""
    indent = kind = None
    for number, line in enumerate(lines):
        if kind and line == indent + "}":
            kind = None
        if PUBLIC.match(line):
            yield number, False
        elif kind and re.match(rf"{indent}  \S", line) and MEMBERS[kind].match(line.strip()):
            yield number, kind == "protocol"
        if opened := TYPE.match(line):
            indent, kind = opened["indent"], opened["kind"]


def name(lines, number):
    """As documentation names it: `evaluate(_:forHost:)`."""
    text = " ".join(line.strip() for line in lines[number : number + 12])
    found = NAME.search(text)
    if not found:
        return None
    base = found["name"] or found["special"]
    rest = re.sub(r"^<.*?>(?=\()", "", text[found.end() :])
    if not rest.startswith("("):
        return base
    labels, depth, begins = [], 0, False
    for position, character in enumerate(rest):
        if character in "([{<":
            depth += 1
            begins = depth == 1
        elif character in ")]}>" and rest[position - 1] != "-":
            depth -= 1
            if depth == 0:
                break
        elif character == "," and depth == 1:
            begins = True
        elif begins and character != " ":
            labels.append(re.match(r"[^\s:]+", rest[position:])[0])
            begins = False
    return f"{base}({''.join(label + ':' for label in labels)})"


def has_comment(lines, number):
    above = number - 1
    while above >= 0 and lines[above].strip().startswith("@"):
        above -= 1
    return above >= 0 and lines[above].strip().startswith("///")
