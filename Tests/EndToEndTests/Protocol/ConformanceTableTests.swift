import Foundation
import TapelineTestSupport
import Testing

/// `docs/http-conformance.md` says for every rule that we owe clients and origins what we do, and which test shows it. A test that is named for a
/// section of an RFC is in the table, and what the table names exists.
@Suite struct ConformanceTableTests {
  private struct Row {
    let section: String
    let rule: String
    let reference: String
    let tests: [String]
  }

  /// Everything up to `Tests`.
  private static let repository = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    .joined(separator: "/")

  /// What a forward proxy owes both sides, in the order of the specification; then what is ours to offer.
  private static let sections = [
    "Targets and routing", "Fields", "Framing of requests", "Framing of responses", "Exchange rules",
    "Limits, patience, pressure", "Local pages and access", "The upstream proxy",
  ]

  private let rows: [Row]

  init() throws {
    rows = Self.rows(of: try readText(Self.repository + "/docs/http-conformance.md"))
  }

  /// The tables with four columns, whose last names tests, one on a line of the cell.
  private static func rows(of text: String) -> [Row] {
    var section = ""
    var rows: [Row] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
      guard sections.contains(section), line.hasPrefix("| ") else { continue }
      let cells = cells(of: line)
      guard cells.count == 4, cells[0] != "Rule" else { continue }
      rows.append(Row(section: section, rule: cells[0], reference: cells[1], tests: cells[3].components(separatedBy: "<br>")))
    }
    return rows
  }

  /// A bar with a backslash before it is part of a cell.
  private static func cells(of line: Substring) -> [String] {
    line.replacing("\\|", with: "\u{1}").split(separator: "|").map {
      $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces)
    }
  }

  /// Of every test of this repository.
  private static func displayNames() throws -> Set<String> {
    let files = try #require(FileManager.default.enumerator(atPath: repository + "/Tests"))
    var names: Set<String> = []
    for case let path as String in files where path.hasSuffix(".swift") {
      let text = try readText("\(repository)/Tests/\(path)")
      for match in text.matches(of: /@Test\(\s*"(?<name>(?:[^"\\]|\\.)*)"/) {
        names.insert(String(match.name.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")))
      }
    }
    return names
  }

  @Test("Each section of the specification has rules, and each rule a section of an RFC and a test")
  func complete() {
    #expect(Set(rows.map(\.section)) == Set(Self.sections))
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
