import FoundationEssentials
import TapelineTestSupport
import Testing

/// The pages of `docs/core` say what the core promises. Each promise has a test, and each test that a page names exists.
@Suite struct PromisesTests {
  /// A row of a page: a sentence, and the tests that show it.
  private struct Promise {
    let page: String
    let text: Substring
    /// A suite each, or a test of one: `TimelineTests`, `TimelineTests/value`.
    let tests: [Substring]
  }

  private static func promises() throws -> [Promise] {
    let directory = "\(repositoryRoot)/docs/core"
    return try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0 != "README.md" }.flatMap { page in
      try readText("\(directory)/\(page)").matches(of: /\n\| (?<text>.+) \| (?<tests>[^|]*) \|(?=\n)/)
        .filter { $0.text != "Promise" }
        .map { row in Promise(page: page, text: row.text, tests: row.tests.matches(of: /`(?<test>[^`]+)`/).map(\.test)) }
    }
  }

  /// The tests of every suite of this repository; suites of the same name in several targets count as one.
  private static func suites() throws -> [Substring: Set<Substring>] {
    var suites: [Substring: Set<Substring>] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: "\(repositoryRoot)/Tests") where path.hasSuffix("Tests.swift")
    {
      let text = try readText("\(repositoryRoot)/Tests/\(path)")
      let functions = text.matches(of: /func (?<name>\w+)\(/).map(\.name)
      for suite in text.matches(of: /struct (?<name>\w+Tests)\b/) { suites[suite.name, default: []].formUnion(functions) }
    }
    return suites
  }

  @Test("Every page has promises, and every promise names a test")
  func complete() throws {
    let promises = try Self.promises()
    let pages = try FileManager.default.contentsOfDirectory(atPath: "\(repositoryRoot)/docs/core").filter { $0 != "README.md" }
    #expect(Set(promises.map(\.page)) == Set(pages))
    for promise in promises { #expect(!promise.tests.isEmpty, "\(promise.page): \(promise.text)") }
  }

  @Test("Every test that a promise names exists")
  func namesWhatExists() throws {
    let suites = try Self.suites()
    for promise in try Self.promises() {
      for test in promise.tests {
        let parts = test.split(separator: "/")
        let tests = try #require(suites[parts[0]], "\(promise.page): no suite \(parts[0])")
        if parts.count > 1 { #expect(tests.contains(parts[1]), "\(promise.page): no test \(test)") }
      }
    }
  }
}
