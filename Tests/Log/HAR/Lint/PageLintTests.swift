import Testing

@testable import TapelineHAR

struct PageLintTests {
  @Test func addsWhatEntriesReferTo() {
    var pages = PageLint()
    var found: [HARRule] = []
    pages.refer(to: "b", from: 0, date: "nonsense")
    pages.refer(to: "a", from: 1, date: "2026-01-02T03:04:05Z")
    pages.append(HARPage(startedDateTime: "2026-01-02T03:04:05Z", id: "a", title: "A"), substituteDate: "") { rule, _, _ in
      found.append(rule)
    }
    pages.refer(to: nil, from: 2, date: "2026-01-02T03:04:05Z")
    pages.finish { rule, _, _ in found.append(rule) }
    #expect(found == [.danglingPageref, .missingPageref])
    #expect(pages.pages.map(\.id) == ["a", "b"] && pages.pages.last?.startedDateTime == "1970-01-01T00:00:00.000000Z")
    #expect(pages.defaultID == "a")
  }
}
