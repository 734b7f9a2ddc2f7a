import TapelineHAR
import Testing

struct HARValidatorTests {
  @Test func tellsErrorsOnly() throws {
    let rules = try HARValidator.findings(in: Fixture.bytes("playwright")).map(\.rule)
    #expect(rules == [.urlFragment, .negativePhase, .negativePhase, .negativePhase, .wrongSum])
  }

  @Test func everyRuleHasADistinctNameForScripts() {
    #expect(Set(HARRule.allCases.map(\.rawValue)).count == HARRule.allCases.count)
    #expect(
      HARRule.allCases.allSatisfy { rule in
        rule.rawValue.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) || $0 == 0x36 || $0 == 0x34 }
      })
  }
}
