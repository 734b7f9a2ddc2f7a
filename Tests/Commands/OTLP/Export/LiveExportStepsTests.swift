import TapelineTime
import Testing

@testable import TapelineOTLP

/// Time is moved by hand, in milliseconds; nothing is taken and nothing is sent.
struct LiveExportStepsTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private static func at(_ milliseconds: Int64) -> MonotonicInstant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  /// Steps, and what they need to know.
  private struct Script {
    private var steps = LiveExportSteps(lastPatience: .seconds(5))
    /// When the delivery wants to be asked again, and whether it can do with spans.
    var due: Int64?
    var hasRoom = true

    /// What is to be done at `now`, in short.
    mutating func next(at now: Int64, rest: Int64 = 0) -> String {
      switch steps.next(at: at(now), due: due.map(at), hasRoom: hasRoom, rest: .milliseconds(rest)) {
      case .take(let until, .any): "take any until \(text(until))"
      case .take(let until, .many(let pause)): "take many until \(text(until)), any from \(text(pause))"
      case .take(let until, .none): "take none until \(text(until))"
      case .read: "read"
      case .finish(let deadline): "finish by \(text(deadline))"
      }
    }

    private func text(_ instant: MonotonicInstant?) -> String {
      instant.map { "\($0.nanoseconds(since: start) / 1_000_000)" } ?? "something comes"
    }

    mutating func take(_ wish: ExportInbox.Wish, entries: Bool = false, last: Bool = false, at now: Int64) {
      steps.didTake(wish, hasEntries: entries, isLast: last, at: LiveExportStepsTests.at(now))
    }

    mutating func read(areLeft: Bool = false, at now: Int64) {
      steps.didRead(areLeft: areLeft, at: LiveExportStepsTests.at(now))
    }
  }

  @Test("Entries are read a few at a time, and answers are looked for in between; afterwards others may come together")
  func reads() {
    var script = Script()
    #expect(script.next(at: 0) == "take any until something comes")
    script.take(.any, entries: true, at: 10)
    #expect(script.next(at: 10) == "read")
    script.read(areLeft: true, at: 11)
    #expect(script.next(at: 11) == "take none until 11")
    script.take(.none, at: 11)
    #expect(script.next(at: 12) == "read")
    script.read(at: 13)
    script.due = 1_010
    #expect(script.next(at: 13) == "take many until 1010, any from 63")
    script.take(.many(until: Self.at(63)), entries: true, at: 70)
    #expect(script.next(at: 70) == "read")
    script.read(at: 71)
    // An answer came alone. The next entry is wanted at once.
    script.take(.many(until: Self.at(121)), at: 80)
    #expect(script.next(at: 80) == "take any until 1010")
  }

  @Test("While there is no room for spans, entries stay where they are")
  func waitsForRoom() {
    var script = Script()
    script.hasRoom = false
    script.due = 400
    #expect(script.next(at: 0) == "take none until 400")
    script.take(.none, at: 400)
    script.hasRoom = true
    script.due = nil
    #expect(script.next(at: 400) == "take any until something comes")
  }

  @Test("Entries that were taken are read even without room: their spans are dropped and counted")
  func readsWithoutRoom() {
    var script = Script()
    script.take(.any, entries: true, at: 0)
    script.hasRoom = false
    #expect(script.next(at: 0) == "read")
  }

  @Test("A rest is held, with answers and what is due, whatever waits; then the work goes on where it was")
  func rests() {
    var script = Script()
    script.take(.any, entries: true, at: 0)
    script.read(areLeft: true, at: 1)
    #expect(script.next(at: 1, rest: 24) == "take none until 25")
    // An answer comes meanwhile.
    script.take(.none, at: 5)
    #expect(script.next(at: 6, rest: 19) == "take none until 25")
    script.due = 20
    #expect(script.next(at: 7, rest: 18) == "take none until 20")
    script.take(.none, at: 20)
    script.due = nil
    // What was due has made work, which owes more.
    #expect(script.next(at: 21, rest: 24) == "take none until 45")
    script.take(.none, at: 45)
    #expect(script.next(at: 45) == "read")
  }

  @Test("After the end nothing is owed to others: what was taken is read, then what waited, and spans are sent until a deadline")
  func ends() {
    var script = Script()
    script.take(.any, entries: true, at: 0)
    script.read(areLeft: true, at: 1)
    #expect(script.next(at: 1, rest: 100) == "take none until 101")
    script.take(.none, last: true, at: 50)
    #expect(script.next(at: 50, rest: 100) == "read")
    script.read(at: 51)
    script.hasRoom = false
    #expect(script.next(at: 51) == "take any until 51")
    // The inbox says again that it is closed; the deadline stays.
    script.take(.any, entries: true, last: true, at: 52)
    #expect(script.next(at: 52) == "read")
    script.read(at: 53)
    #expect(script.next(at: 53) == "take any until 53")
    script.take(.any, last: true, at: 53)
    #expect(script.next(at: 53) == "finish by 5050")
    script.due = 5_050
    #expect(script.next(at: 54) == "take none until 5050")
    script.take(.none, last: true, at: 100)
    #expect(script.next(at: 100, rest: 7) == "take none until 5050")
  }

  @Test("An end that comes while no entries are wanted is no proof that none wait")
  func endsWithoutRoom() {
    var script = Script()
    script.hasRoom = false
    #expect(script.next(at: 0) == "take none until something comes")
    script.take(.none, last: true, at: 3)
    #expect(script.next(at: 3) == "take any until 3")
    script.take(.any, last: true, at: 3)
    #expect(script.next(at: 3) == "finish by 5003")
  }
}
