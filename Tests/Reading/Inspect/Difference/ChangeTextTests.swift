import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Change text")
struct ChangeTextTests {
  @Test("Shares")
  func shares() {
    #expect(ChangeText.percent(18.2) == "+18 %")
    #expect(ChangeText.percent(-0.44) == "-0.4 %")
    #expect(ChangeText.percent(0.01) == "0 %")
    #expect(ChangeText.percent(1_100) == "×12")
    #expect(ChangeText.percent(.infinity) == "×10⁶ and more")
    #expect(ChangeText.share(from: 0, to: 5) == "")
    #expect(ChangeText.share(from: 10, to: 5) == " (-50 %)")
  }

  @Test("Intervals")
  func intervals() {
    #expect(ChangeText.interval(ConfidenceInterval(lower: -1.5, upper: 20)) == "-1.50ms … +20.0ms")
    #expect(ChangeText.interval(nil) == "too few")
  }

  @Test("Long values are cut where they are alike")
  func headers() throws {
    let capture = { (agent: String?) in
      Comparison.profile("a.har", count: 1) { entry, _ in
        entry.request.headers = agent.map { [HARHeader(name: "User-Agent", value: $0)] } ?? []
      }
    }
    let text = { (before: String?, after: String?, width: Int) in
      Difference(before: capture(before), after: capture(after)).headers.first?.valuesText(width: width)
    }
    #expect(text("one", "two", 80) == "one → two")
    #expect(text(nil, "two", 80) == "added: two")
    #expect(text("one", nil, 80) == "removed: one")
    #expect(
      text("Mozilla/5.0 (X11; Linux) Chrome/156.0", "Mozilla/5.0 (X11; Linux) Firefox/153.0", 44)
        == "…ux) Chrome/156.0 → …ux) Firefox/153.0")
    #expect(text("a\u{1B}", "b", 80) == "a\u{FFFD} → b")
  }
}
