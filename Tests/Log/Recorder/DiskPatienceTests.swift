import TapelineTime
import Testing

@testable import TapelineRecorder

struct DiskPatienceTests {
  private final class Script {
    var now = MonotonicInstant(nanoseconds: 0)
    var isOpen = true
    var events: [String] = []

    func patience(_ limit: Duration) -> DiskPatience {
      DiskPatience(
        limit, clock: { self.now },
        rest: {
          self.now = self.now.advanced(by: .seconds(1))
          self.events.append("rest")
          return self.isOpen
        }, whenItBegins: { self.events.append($0.reason) }, whenItEnds: { self.events.append("end") })
    }
  }

  private let full = RecorderError.writeFailed(path: "a.har", code: 28)
  private let script = Script()

  @Test func aDiskIsTriedAgainUntilPatienceIsOverAndThenNoMore() {
    let patience = script.patience(.seconds(3))
    let answers = (0..<5).map { _ in patience.permitsAnotherAttempt(after: full) }
    #expect(answers == [true, true, true, false, false])
    #expect(script.events == ["writing failed: No space left on device", "rest", "rest", "rest", "end"])
  }

  @Test func eachSuccessGivesItBackButItIsToldOnce() {
    let patience = script.patience(.seconds(2))
    for _ in 0..<3 {
      #expect(patience.permitsAnotherAttempt(after: full))
      #expect(patience.permitsAnotherAttempt(after: full))
      patience.noteSuccess()
    }
    #expect(script.events.filter { $0 != "rest" } == ["writing failed: No space left on device"])
  }

  @Test func whoIsToEndWaitsForNoDisk() {
    let patience = script.patience(.seconds(100))
    script.isOpen = false
    #expect(!patience.permitsAnotherAttempt(after: full))
    #expect(script.events.last == "end")
  }

  @Test func aFileThatWasRemovedDoesNotComeBack() {
    #expect(!script.patience(.seconds(100)).permitsAnotherAttempt(after: .removed(path: "a.har")))
    #expect(script.events.isEmpty)
  }
}
