import TapelineTime
import Testing

@testable import TapelineOffline

@Suite("Progress")
struct ProgressLineTests {
  private let begin = MonotonicInstant(nanoseconds: 0)

  private func after(milliseconds: Int64) -> MonotonicInstant {
    begin.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  @Test("After a second, five times a second, over all passes, and cleared at the end")
  func drawn() {
    var line = ProgressLine("report", passes: 2, begin: begin)
    #expect(line.text(at: after(milliseconds: 999), 0.5) == nil)
    #expect(line.clearing() == nil)
    #expect(line.text(at: after(milliseconds: 1_000), 0.5) == "\r\u{1B}[Ktapeline: report: 25 %")
    #expect(line.text(at: after(milliseconds: 1_100), 0.6) == nil)
    line.beginPass()
    #expect(line.text(at: after(milliseconds: 1_200), 0.5) == "\r\u{1B}[Ktapeline: report: 75 %")
    #expect(line.text(at: after(milliseconds: 1_400), nil) == "\r\u{1B}[Ktapeline: report: reading …")
    #expect(line.clearing() == "\r\u{1B}[K")
    #expect(line.clearing() == nil)
  }
}
