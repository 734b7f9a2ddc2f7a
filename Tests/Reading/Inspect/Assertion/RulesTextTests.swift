import Testing

@testable import TapelineInspect

@Suite("Rules text")
struct RulesTextTests {
  @Test("A rule a line, comments and empty lines aside, with its place")
  func rules() throws {
    let rules = try RulesText.rules(in: "# times\n\n  p95(wait) < 1s  \r\n\t# more\ncount(error) == 0", of: "ci/rules.txt")
    #expect(rules.map(\.text) == ["p95(wait) < 1s", "count(error) == 0"])
    #expect(rules.map(\.origin?.line) == [3, 5])
    #expect(rules.map(\.origin?.file) == ["ci/rules.txt", "ci/rules.txt"])
    #expect(try RulesText.rules(in: "", of: "a").isEmpty)
  }

  @Test("A bad rule is known by file, line and column")
  func failure() {
    let failure = #expect(throws: RulesText.Failure.self) { try RulesText.rules(in: "none(error)\n  none(eror)\n", of: "a") }
    #expect(failure?.origin == Assertion.Origin(file: "a", line: 2))
    #expect(failure?.text == "none(eror)")
    #expect(failure?.error.column == 6)
  }
}
