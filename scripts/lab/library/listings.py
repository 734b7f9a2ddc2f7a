"""Code in documents that is not, line for line, code that is compiled."""

from pathlib import Path


def strays(documents, sources):
    """Where listings begin that occur in no source, as `file:line: text`. Indentation and empty lines do not count."""
    compiled = ["\n".join(code(path)) for path in sorted(Path(sources).rglob("*.swift"))]
    for document in documents:
        for number, listing in listings(document):
            if not any(f"\n{listing}\n" in f"\n{text}\n" for text in compiled):
                yield f"{document}:{number}: {listing.splitlines()[0]}"


def code(path):
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def listings(document):
    """The Swift in a document in Markdown, or in the comments of a source."""
    begun = None
    for number, line in enumerate(Path(document).read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if Path(document).suffix == ".swift":
            # In the comment of a declaration.
            text = text.removeprefix("///").strip() if text.startswith("///") else ""
        if begun is None:
            if text == "```swift":
                begun, lines = number + 1, []
        elif text == "```":
            yield begun, "\n".join(lines)
            begun = None
        elif text:
            lines.append(text)
