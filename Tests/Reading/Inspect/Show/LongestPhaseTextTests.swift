import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Longest phase")
struct LongestPhaseTextTests {
  @Test("The handshake is told from the connecting around it")
  func tls() {
    var phases = PhaseDurations()
    phases[.connect] = 100
    phases[.ssl] = 60
    phases[.wait] = 50
    #expect(LongestPhaseText.line(for: phases, total: 150) == "TLS, 60.0ms of 150ms (40 %): the connection's TLS handshake")
  }

  @Test("Nothing took time: there is nothing to say")
  func nothing() {
    #expect(LongestPhaseText.line(for: PhaseDurations(), total: 0) == nil)
    var phases = PhaseDurations()
    phases[.wait] = 0
    #expect(LongestPhaseText.line(for: phases, total: 3) == nil)
  }

  @Test("A total that is less than its parts is no reason for more than a hundred")
  func nonsense() {
    var phases = PhaseDurations()
    phases[.wait] = 10
    #expect(LongestPhaseText.line(for: phases, total: 5)?.contains("(100 %)") == true)
  }
}
