import TapelineBase
import Testing

@Suite("Phases")
struct PhaseTests {
  @Test("Each phase has a place of its own in a table")
  func table() {
    #expect(Phase.allCases.map(\.rawValue) == Array(0..<Phase.Table<Int>(repeating: 0).count))
  }

  @Test("HAR has all phases but the parts of blocked, and those that it requires happen in each exchange")
  func har() {
    #expect(Set(Phase.ofHAR) == Set(Phase.allCases.filter(\.isOfTotal)) && Phase.ofHAR.count == 7)
    #expect(Phase.allCases.filter(\.isRequired).map(\.name) == ["send", "wait", "receive"])
  }
}
