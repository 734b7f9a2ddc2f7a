import TapelineTestSupport
import Testing

/// `docs/core-coverage.md` says, for every row of the core's specification, which tests cover it. It is complete, and what it names exists.
@Suite struct CoverageTests {
  /// A link of the table, and the test functions that are named behind it.
  private struct Reference {
    let name: Substring
    /// From the root of the repository.
    let path: String
    let functions: [Substring]
  }

  private struct Row {
    let id: String
    let references: [Reference]
  }

  /// Everything up to `Tests`.
  private static let repository = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    .joined(separator: "/")

  /// Every row of the specification: the five tables of its inventory and the details, the
  /// design's decisions, the life of a request, the traps, the proxy's use, and what else users expect.
  private static let specified: [String] =
    rows("T", 1...34) + rows("R", 1...44) + rows("I", 1...22) + rows("P", 1...88) + rows("D", 1...33)
    + rows("1.6.", 1...21) + rows("2.1.", 1...30) + rows("2.6.", 1...19) + rows("2.7.", 1...25) + rows("3.", 1...10)
    + rows("4.", 1...17)

  /// `T` has `T01`, `T02` and so on; `2.7.` has `2.7.1`, `2.7.2`.
  private static func rows(_ prefix: String, _ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { number in prefix + (prefix.hasSuffix(".") || number > 9 ? "" : "0") + String(number) }
  }

  private let rows: [Row]

  init() throws {
    let text = try readText(Self.repository + "/docs/core-coverage.md")
    rows = text.split(separator: "\n").compactMap { line in
      guard let id = line.prefixMatch(of: /\| (?<id>[A-Z]\d\d|\d\.[\d.]*\d) \|/)?.id else { return nil }
      return Row(id: String(id), references: Self.references(in: line))
    }
  }

  /// `[Suite](../path)/`function`, `function`` or `[text](path)`.
  private static func references(in line: Substring) -> [Reference] {
    line.matches(of: /\[(?<name>[^\]]+)\]\((?<path>[^)]+)\)(?:\/(?<functions>`\w+`(?:, `\w+`)*))?/).map { match in
      let path = match.path.hasPrefix("../") ? String(match.path.dropFirst(3)) : "docs/\(match.path)"
      let functions = match.functions?.split(separator: ", ").map { $0.dropFirst().dropLast() } ?? []
      return Reference(name: match.name, path: path, functions: functions)
    }
  }

  @Test("Every row of the specification is in the table, once, and says where it is covered")
  func complete() {
    let listed = rows.map(\.id)
    #expect(Set(listed).count == listed.count)
    #expect(Set(Self.specified).subtracting(listed).sorted() == [])
    #expect(Set(listed).subtracting(Self.specified).sorted() == [])
    for row in rows { #expect(!row.references.isEmpty, "\(row.id) names neither a test nor a document") }
  }

  @Test("Every file that the table names exists, and every test, which says in its name which row it covers")
  func namesWhatExists() throws {
    var texts: [String: String] = [:]
    for row in rows {
      for reference in row.references {
        guard fileExists("\(Self.repository)/\(reference.path)") else {
          Issue.record("\(row.id): \(reference.path) does not exist")
          continue
        }
        guard !reference.functions.isEmpty else { continue }
        let text = try texts[reference.path] ?? readText("\(Self.repository)/\(reference.path)")
        texts[reference.path] = text
        #expect(text.contains("struct \(reference.name) "), "\(row.id): no suite \(reference.name) in \(reference.path)")
        for function in reference.functions {
          guard let identifiers = Self.identifiers(of: function, in: text) else {
            Issue.record("\(row.id): no test \(reference.name)/\(function)")
            continue
          }
          #expect(identifiers.contains(row.id[...]), "\(reference.name)/\(function) does not say that it covers \(row.id)")
        }
      }
    }
  }

  /// The words of a test's attribute, row identifiers among them; `nil` without such a test.
  private static func identifiers(of function: Substring, in text: String) -> Set<Substring>? {
    guard let declaration = text.firstRange(of: "func \(function)(") else { return nil }
    let before = text[..<declaration.lowerBound]
    guard let attribute = before.ranges(of: "@Test").last else { return nil }
    return Set(before[attribute.upperBound...].split { !$0.isLetter && !$0.isNumber && $0 != "." })
  }
}
