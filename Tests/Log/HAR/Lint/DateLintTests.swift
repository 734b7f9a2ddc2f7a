import Testing

@testable import TapelineHAR

struct DateLintTests {
  @Test func leavesWhatIsRightAndMendsTheRest() {
    var right = "2026-01-02T03:04:05+01:00"
    #expect(DateLint.mend(&right, or: "x") == nil && right == "2026-01-02T03:04:05+01:00")
    var none = "x"
    #expect(DateLint.mend(&none, or: "2026-01-01T00:00:00Z")?.rule == .badDate && none == "2026-01-01T00:00:00Z")
    var optional: String? = "x"
    #expect(DateLint.mend(&optional)?.rule == .badDate && optional == nil)
    #expect(DateLint.mend(&optional) == nil)
  }
}
