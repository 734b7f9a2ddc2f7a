import tempfile
import unittest
from pathlib import Path

from lab.library import declarations


def found(text):
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "A.swift").write_text(text, encoding="utf-8")
        return [place.partition(": ")[2] for place in declarations.undocumented([directory])]


class Declarations(unittest.TestCase):
    def test_what_is_public_needs_a_comment(self):
        self.assertEqual(
            found("public struct A {\n  var b = 1\n  public var c = 2\n}\n"), ["public struct A {", "public var c = 2"]
        )

    def test_a_comment_may_stand_above_attributes(self):
        self.assertEqual(found("/// A.\n@frozen\n@discardableResult\npublic func a() -> Int { 1 }\n"), [])

    def test_cases_and_requirements_are_as_public_as_their_type(self):
        self.assertEqual(found("/// A.\npublic enum A {\n  case b\n  /// C.\n  case c\n}\n"), ["case b"])
        self.assertEqual(found("/// A.\npublic protocol A {\n  func b()\n  /// C.\n  func c()\n}\n"), ["func b()"])
        self.assertEqual(found("enum A {\n  case b\n}\n"), [])

    def test_a_case_of_a_switch_is_none(self):
        self.assertEqual(
            found(
                "/// A.\npublic enum A {\n  /// B.\n  case b\n  var c: Int {\n    switch self {\n    case .b: 1\n    }\n  }\n}\n"
            ),
            [],
        )

    def test_witnesses_and_overrides_inherit(self):
        protocol = "/// A.\npublic protocol A {\n  /// B.\n  func b<T>(_ x: Result<T, any Error>, to y: () -> Int)\n}\n"
        witness = "/// C.\npublic struct C: A {\n  public func b<T>(\n    _ x: Result<T, any Error>, to y: () -> Int\n  ) {}\n}\n"
        self.assertEqual(found(protocol + witness), [])
        self.assertEqual(found(protocol + witness.replace("to y", "at y")), ["public func b<T>("])
        self.assertEqual(found("open override func a() {}\n"), [])

    def test_requirements_of_swift_are_documented(self):
        self.assertEqual(found('public var description: String { "" }\npublic func hash(into hasher: inout Hasher) {}\n'), [])


if __name__ == "__main__":
    unittest.main()
