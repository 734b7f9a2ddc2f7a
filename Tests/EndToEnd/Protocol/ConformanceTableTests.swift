import Foundation
import TapelineTestSupport
import Testing

/// The pages of `docs/conformance` say for every rule that a proxy owes clients and origins what tapeline does, and which test
/// shows it. Every test that is named for a section of an RFC is in their tables, and every test in the tables exists.
@Suite struct ConformanceTableTests {
  private struct Row {
    let chapter: String
    let rule: String
    let reference: String
    let tests: [String]
  }

  /// The pages with tables, without `.md`: the rules of a forward proxy, then those of what tapeline offers besides.
  private static let chapters = [
    "targets", "fields", "request-framing", "response-framing", "exchanges", "limits", "local-pages", "upstream-proxy",
    "library", "rfc9113", "ways-in",
  ]

  private let rows: [Row]

  init() throws {
    rows = try Self.chapters.flatMap { chapter in
      Self.rows(of: try readText("\(repositoryRoot)/docs/conformance/\(chapter).md"), chapter: chapter)
    }
  }

  /// The tables with four columns, whose last names tests, one on a line of the cell.
  private static func rows(of text: String, chapter: String) -> [Row] {
    text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("| ") else { return nil }
      let cells = cells(of: line)
      guard cells.count == 4, cells[0] != "Rule" else { return nil }
      return Row(chapter: chapter, rule: cells[0], reference: cells[1], tests: cells[3].components(separatedBy: "<br>"))
    }
  }

  /// A bar with a backslash before it is part of a cell.
  private static func cells(of line: Substring) -> [String] {
    line.replacing("\\|", with: "\u{1}").split(separator: "|").map {
      $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces)
    }
  }

  /// The display names of all tests of this repository.
  private static func displayNames() throws -> Set<String> {
    let files = try #require(FileManager.default.enumerator(atPath: repositoryRoot + "/Tests"))
    var names: Set<String> = []
    for case let path as String in files where path.hasSuffix(".swift") {
      let text = try readText("\(repositoryRoot)/Tests/\(path)")
      for match in text.matches(of: /@Test\(\s*"(?<name>(?:[^"\\]|\\.)*)"/) {
        names.insert(String(match.name.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")))
      }
    }
    return names
  }

  @Test("Each chapter has rules, and each rule a section of an RFC and a test")
  func complete() {
    #expect(Set(rows.map(\.chapter)) == Set(Self.chapters))
    for row in rows {
      let sections = row.reference.wholeMatch(of: /RFC \d{4}( \d[\d.]*)?(, (RFC \d{4}|\d[\d.]*|RFC \d{4} \d[\d.]*))*/)
      #expect(sections != nil, "\(row.rule): \(row.reference) is no section of an RFC")
      #expect(!row.tests.contains(""), "\(row.rule): names no test")
    }
  }

  @Test("The tests that the table names exist, and are named for the section that their rule is from")
  func namesWhatExists() throws {
    let existing = try Self.displayNames()
    for row in rows {
      #expect(Set(row.tests).subtracting(existing).sorted() == [], "\(row.rule): no such test")
      for test in row.tests where Self.namesSection(test) {
        #expect(Self.names(row.reference, in: test), "\(row.rule) is said to be from \(row.reference): \(test)")
      }
    }
  }

  @Test("Every test that is named for a section of an RFC is in the table")
  func listsWhatExists() throws {
    let listed = Set(rows.flatMap(\.tests))
    #expect(try Self.displayNames().filter(Self.namesSection).subtracting(listed).sorted() == [])
  }

  private static func namesSection(_ test: String) -> Bool {
    test.prefixMatch(of: /RFC \d{4}[ ,\dRFC.]*:/) != nil
  }

  /// A rule is from the section that the test is named for, or from one that encloses it; further sections may follow.
  private static func names(_ reference: String, in test: String) -> Bool {
    test.hasPrefix(reference) && test.dropFirst(reference.count).prefixMatch(of: /[:.,]/) != nil
  }
}
