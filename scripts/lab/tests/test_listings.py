import tempfile
import unittest
from pathlib import Path

from lab.library import listings

SOURCE = "func a() {\n  let b = 1\n\n  print(b)\n}\n"


def strays(document):
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "A.swift").write_text(SOURCE, encoding="utf-8")
        page = Path(directory) / "page.md"
        page.write_text(document, encoding="utf-8")
        return [place.removeprefix(f"{page}:") for place in listings.strays([page], directory)]


class Listings(unittest.TestCase):
    def test_lines_in_a_row_are_known_whatever_their_indentation(self):
        self.assertEqual(strays("```swift\nlet b = 1\nprint(b)\n```\n"), [])

    def test_a_changed_line_is_a_stray(self):
        self.assertEqual(strays("Text.\n\n```swift\nlet b = 2\nprint(b)\n```\n"), ["4: let b = 2"])

    def test_a_part_of_a_line_is_a_stray(self):
        self.assertEqual(strays("```swift\nprint\n```\n"), ["2: print"])

    def test_other_languages_are_left_alone(self):
        self.assertEqual(strays("```sh\necho\n```\n\n```\nlet c = 3\n```\n"), [])


if __name__ == "__main__":
    unittest.main()
