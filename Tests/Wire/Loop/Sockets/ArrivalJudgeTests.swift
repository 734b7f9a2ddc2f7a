import TapelineTime
import Testing

@testable import TapelineLoop

/// Instants in microseconds: `wire` by the kernel, `at` by the loop.
private func wire(_ microseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: microseconds * 1_000, clock: .wire)
}

private func at(_ microseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: microseconds * 1_000) }

@Suite("When the bytes of a read came")
struct ArrivalJudgeTests {
  /// A read at 20 ms of a connection that was read to its end at 0.
  private static func arrival(
    askedAt asked: Int64 = 20_000, served: Int64 = 0, leavingBytes: Bool = false, waiting: UInt32? = nil,
    first: Int64? = nil, end: Int64?, readAt read: Int64 = 20_000
  ) -> Arrival {
    var judge = ArrivalJudge(now: at(0), floor: at(0))
    judge.didRead(1, until: wire(0), at: at(0), filled: false, Self.known(at: 0, waiting: 1))
    if leavingBytes { judge.didLeaveBytes() }
    let known = ArrivalJudge.Knowledge(
      instant: at(asked), served: at(served), waiting: waiting, first: first.map(wire))
    judge.didRead(1, until: end.map(wire), at: at(read), filled: false, known)
    return judge.arrival
  }

  private static func known(at instant: Int64, served: Int64 = 0, waiting: UInt32? = nil) -> ArrivalJudge.Knowledge {
    ArrivalJudge.Knowledge(instant: at(instant), served: at(served), waiting: waiting)
  }

  private static func isByWire(_ instant: MonotonicInstant, _ microseconds: Int64) -> Bool {
    instant == at(microseconds) && instant.clock == .wire
  }

  private static func isByLoop(_ instant: MonotonicInstant, _ microseconds: Int64) -> Bool {
    instant == at(microseconds) && instant.clock == .loop
  }

  @Test("One segment came when its stamp says, however late it is read")
  func alone() {
    let arrival = Self.arrival(waiting: 1, end: 100)
    #expect(Self.isByWire(arrival.first, 100) && Self.isByWire(arrival.last, 100) && Self.isByWire(arrival.within, 100))
    #expect(arrival.read == at(20_000))
  }

  @Test("Several segments that may be merged: the last came when the stamp says, and the loop answers for the others")
  func merged() {
    for waiting: UInt32 in [2, 3, 9] {
      let arrival = Self.arrival(waiting: waiting, first: 900, end: 900)
      #expect(Self.isByLoop(arrival.first, 900) && Self.isByLoop(arrival.within, 900) && Self.isByWire(arrival.last, 900))
    }
  }

  @Test("Two segments with two stamps are not merged: the first came at its own")
  func unmerged() {
    let arrival = Self.arrival(waiting: 2, first: 100, end: 900)
    #expect(Self.isByWire(arrival.first, 100) && Self.isByLoop(arrival.within, 900) && Self.isByWire(arrival.last, 900))
    #expect(Self.isByLoop(arrival.ofUnits.first, 900), "a record may lie in both")
  }

  @Test("Of three segments with two stamps, two are merged, and nobody knows which")
  func partlyMerged() {
    let arrival = Self.arrival(waiting: 3, first: 100, end: 900)
    #expect(Self.isByLoop(arrival.first, 100) && Self.isByLoop(arrival.within, 900) && Self.isByWire(arrival.last, 900))
  }

  @Test("Segments that came at once have one time")
  func close() {
    let arrival = Self.arrival(waiting: 2, first: 860, end: 900)
    #expect(Self.isByWire(arrival.first, 860) && Self.isByWire(arrival.within, 900))
  }

  @Test("A segment that came after the question may have been merged with the one that was counted")
  func afterTheQuestion() {
    let arrival = Self.arrival(askedAt: 20_000, waiting: 1, end: 20_004, readAt: 20_005)
    #expect(Self.isByLoop(arrival.first, 20_004) && Self.isByWire(arrival.last, 20_004))
  }

  @Test("Two that were counted may be merged, if the last stamp is that of a third that came after the question")
  func thirdAfterTheQuestion() {
    let arrival = Self.arrival(askedAt: 20_000, waiting: 2, first: 19_970, end: 20_004, readAt: 20_005)
    #expect(Self.isByLoop(arrival.first, 19_970) && Self.isByLoop(arrival.within, 20_004) && Self.isByWire(arrival.last, 20_004))
  }

  @Test("Nobody asked: nobody knows when the first byte came")
  func unasked() { #expect(Self.isByLoop(Self.arrival(end: 19_990).first, 19_990)) }

  @Test("Bytes cannot have waited for longer than since the loop looked for the last time, and found none")
  func looked() {
    #expect(Self.isByWire(Self.arrival(served: 19_945, end: 19_995).first, 19_995))
    #expect(Self.isByLoop(Self.arrival(served: 19_944, end: 19_995).first, 19_995), "earlier bytes may be merged with the last")
    #expect(Self.isByLoop(Self.arrival(served: 19_996, end: 19_995).first, 19_995), "they were there, and were not served")
    #expect(Self.isByLoop(Self.arrival(served: 19_945, leavingBytes: true, end: 19_995).first, 19_995), "it left some")
  }

  @Test("Bytes that are read right after the last ones cannot have waited")
  func rightAfter() {
    let arrival = Self.arrival(askedAt: 40, end: 30, readAt: 41)
    #expect(Self.isByWire(arrival.first, 30) && Self.isByWire(arrival.within, 30))
  }

  @Test("Bytes that came while the last ones were read may have waited since then")
  func whileReading() {
    var judge = ArrivalJudge(now: at(0), floor: at(0))
    judge.isInterleaved = true
    judge.didRead(1, until: wire(90), at: at(160), filled: false, Self.known(at: 100, waiting: 1))
    judge.didRead(1, until: wire(155), at: at(190), filled: false, Self.known(at: 180))
    #expect(Self.isByLoop(judge.arrival.first, 155) && Self.isByWire(judge.arrival.last, 155))
    #expect(judge.wantsCount(Self.known(at: 231)))
    #expect(!judge.wantsCount(Self.known(at: 230)), "the next ones, since the second read began")
  }

  @Test("Without a stamp the loop's instant stands for all")
  func unstamped() {
    let arrival = Self.arrival(waiting: 1, end: nil)
    for instant in [arrival.first, arrival.within, arrival.last] { #expect(Self.isByLoop(instant, 20_000)) }
  }

  @Test("Bytes that somebody kept came no later than it says, and the loop answers for that")
  func kept() {
    let arrival = Self.arrival(waiting: 1, end: 100)
    #expect(Self.isByWire(arrival.within(upTo: wire(100)), 100))
    #expect(Self.isByLoop(arrival.within(upTo: wire(50)), 50))
  }

  @Test("A message begins with the first read after a write, or anywhere if messages are interleaved")
  func beginnings() {
    var judge = ArrivalJudge(now: at(0), floor: at(0))
    let later = Self.known(at: 1_000)
    #expect(judge.wantsCount(later), "a client begins")
    judge.didRead(1, until: wire(1), at: at(2), filled: false, Self.known(at: 1, waiting: 1))
    #expect(!judge.wantsCount(later))
    var helps = judge.didWrite()
    #expect(!helps, "all segments are counted")
    #expect(judge.wantsCount(later))
    #expect(!judge.wantsCount(Self.known(at: 51)), "the read before tells enough")
    #expect(!judge.wantsCount(Self.known(at: 1_000, served: 950)), "the loop has looked")
    judge.isInterleaved = true
    judge.didRead(1, until: wire(3), at: at(4), filled: false, Self.known(at: 3))
    #expect(judge.wantsCount(later))
    helps = judge.didWrite()
    #expect(!helps, "other segments may wait")
    judge.isInterleaved = false
    #expect(!judge.wantsCount(later), "a read was not counted, so the count would be too great")
    helps = judge.didWrite()
    #expect(helps)
    judge.didCount(3, bytes: 3)
    helps = judge.didWrite()
    #expect(helps, "a byte waits, and with it a segment")
    judge.didCount(2, bytes: 2)
    helps = judge.didWrite()
    #expect(!helps && judge.wantsCount(later))
  }
}

extension SegmentCount {
  /// A read after a question.
  fileprivate mutating func take(of total: UInt32, filled: Bool = false) -> UInt32 {
    let count = waiting(of: total)
    didRead(filled: filled, isCounted: true)
    return count
  }

  fileprivate mutating func takeUncounted() { didRead(filled: false, isCounted: false) }
}

@Suite("How many segments wait")
struct SegmentCountTests {
  @Test("The kernel's count less those that were read, over the wrap of its counter")
  func ordinary() {
    for start: UInt32 in [0, .max - 3] {
      var count = SegmentCount()
      count.noneWaits(of: start)
      var total = start
      var found: [UInt32] = []
      let waiting: [UInt32] = [1, 1, 3, 1, 2, 1]
      for number in waiting {
        total &+= number
        found.append(count.take(of: total))
      }
      #expect(found == waiting)
      #expect(!count.isBehind)
    }
  }

  @Test("After reads that nobody counted there may seem to be more, but never fewer; the next count is right")
  func behind() {
    var count = SegmentCount()
    count.takeUncounted()
    #expect(count.isBehind)
    let found = [count.take(of: 6), count.take(of: 7)]
    #expect(found == [5, 1], "the uncounted read may have taken up to five")
    #expect(!count.isBehind)
  }

  @Test("It helps to be told that none waits")
  func told() {
    var count = SegmentCount()
    count.takeUncounted()
    count.noneWaits(of: 5)
    #expect(!count.isBehind)
    let found = count.take(of: 6)
    #expect(found == 1)
  }

  @Test("A read that filled its buffer may have left a part of a segment: it is not counted as read")
  func cut() {
    var count = SegmentCount()
    let found = [count.take(of: 2, filled: true), count.take(of: 2), count.take(of: 3)]
    #expect(found == [2, 1, 1], "the second has the rest")
  }

  @Test("A readiness without a segment, such as the peer's end, changes nothing")
  func end() {
    var count = SegmentCount()
    let found = [count.take(of: 1), count.waiting(of: 1), count.take(of: 2)]
    #expect(found == [1, 0, 1])
  }
}

@Suite("Until when a loop has served what had come")
struct AttentionTests {
  private static func turn(_ attention: inout Attention, wokeAt woke: Int64, reads: Int) {
    attention.wake(at: at(woke))
    for read in 0..<reads { attention.willRead(at: at(woke + 1 + Int64(read))) }
    attention.willWait()
  }

  @Test("What had come when a turn began has been served when the next begins")
  func served() {
    var attention = Attention()
    attention.willWait()
    attention.wake(at: at(100))
    #expect(attention.served == at(0))
    attention.willWait()
    #expect(attention.served == at(100))
    attention.willWait()
    #expect(attention.served == at(100), "nothing says when the turn between them began")
    Self.turn(&attention, wokeAt: 200, reads: 15)
    #expect(attention.served == at(200))
  }

  @Test("A wait may not bring everything if there is very much")
  func left() {
    var attention = Attention()
    Self.turn(&attention, wokeAt: 100, reads: 16)
    #expect(attention.served == at(0))
    Self.turn(&attention, wokeAt: 500, reads: 1)
    #expect(attention.served == at(500))
  }
}

@Suite("The ration of questions")
struct QuestionAllowanceTests {
  @Test("64 at once, then one in 400 µs, and what was not used is not kept")
  func ration() {
    var allowance = QuestionAllowance()
    for now: Int64 in [0, 1_000_000] {
      var moments = [Int64](repeating: now, count: 200)
      moments += [1, 400, 401, 800].map { now + $0 }
      let taken = moments.map { allowance.take(at: at($0)) }
      #expect(taken == Array(repeating: true, count: 64) + Array(repeating: false, count: 136) + [false, true, false, true])
      let later = (1...100).map { allowance.take(at: at(now + 800 + 40 * $0)) }
      #expect(later.count { $0 } == 10)
    }
  }
}
