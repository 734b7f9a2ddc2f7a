import Testing

@testable import TapelineTime

@Suite struct TimelineMarksTests {
  private let early = MonotonicInstant(nanoseconds: 10)
  private let late = MonotonicInstant(nanoseconds: 20)

  @Test func everyMarkHasItsOwnSlot() {
    for mark in TimelineMark.allCases {
      var marks = TimelineMarks()
      marks.stamp(mark, at: early)
      for other in TimelineMark.allCases {
        #expect(marks[other] == (other == mark ? early : nil))
      }
    }
  }

  @Test func theFirstStampWins() {
    var marks = TimelineMarks()
    marks.stamp(.sentFirst, at: early)
    marks.stamp(.sentFirst, at: late)
    #expect(marks[.sentFirst] == early)
  }

  @Test func aMovingMarkMoves() {
    var marks = TimelineMarks()
    marks.move(.sentLast, to: early)
    marks.move(.sentLast, to: late)
    #expect(marks[.sentLast] == late)
  }

  @Test func adoptingAnAttemptReplacesOnlyItsSide() {
    var exchange = TimelineMarks()
    exchange.stamp(.requestHeadEnd, at: early)
    exchange.stamp(.dnsStart, at: early)
    var attempt = TimelineMarks()
    attempt.stamp(.sentFirst, at: late)
    exchange.adopt(.queued ... .responseLastByte, from: attempt)
    #expect(exchange[.requestHeadEnd] == early)
    #expect(exchange[.dnsStart] == nil)
    #expect(exchange[.sentFirst] == late)
  }

  // MARK: Clocks

  @Test func aMarkKnowsItsClock() {
    var marks = TimelineMarks()
    marks.stamp(.requestFirstByte, at: early.byLoop)
    marks.stamp(.responseFirstByte, at: MonotonicInstant(nanoseconds: 10, clock: .wire))
    #expect(marks[.requestFirstByte]?.clock == .loop)
    #expect(marks[.responseFirstByte]?.clock == .wire)
    #expect(marks.arrivalClocks == (wire: 1, loop: 1))
    marks.stamp(.responseFirstByte, at: late)
    #expect(marks[.responseFirstByte]?.clock == .wire, "the first stamp wins, with its clock")
    marks.move(.responseFirstByte, to: late)
    #expect(marks[.responseFirstByte]?.clock == .loop)
    #expect(marks.arrivalClocks == (wire: 0, loop: 2))
  }

  @Test func aClockSaysNothingOfTheOrder() {
    let wire = MonotonicInstant(nanoseconds: 10, clock: .wire)
    #expect(wire == early)
    #expect(wire.hashValue == early.hashValue)
    #expect(wire.advanced(byNanoseconds: 0).clock == .loop)
  }

  @Test func anAttemptBringsItsClocks() {
    let wire = MonotonicInstant(nanoseconds: 10, clock: .wire)
    var exchange = TimelineMarks()
    exchange.stamp(.requestHeadEnd, at: wire)
    exchange.stamp(.responseFirstByte, at: wire)
    exchange.stamp(.failed, at: wire)
    var attempt = TimelineMarks()
    attempt.stamp(.queued, at: wire)
    attempt.stamp(.responseFirstByte, at: late)
    attempt.stamp(.responseLastByte, at: wire)
    attempt.stamp(.requestHeadEnd, at: late)
    exchange.adopt(.queued ... .responseLastByte, from: attempt)
    let clocks = [.requestHeadEnd, .queued, .responseFirstByte, .responseLastByte, .failed].map { exchange[$0]?.clock }
    #expect(clocks == [.wire, .wire, .loop, .wire, .wire])
  }

  @Test func aMarkIsBoundByWhatFollowsIt() {
    var marks = TimelineMarks()
    marks.bound(.sentFirst, by: early)
    #expect(marks[.sentFirst] == nil)
    marks.stamp(.sentFirst, at: late)
    marks.bound(.sentFirst, by: MonotonicInstant(nanoseconds: 10, clock: .wire))
    #expect(marks[.sentFirst] == early)
    #expect(marks[.sentFirst]?.clock == .loop)
    marks.bound(.sentFirst, by: late)
    #expect(marks[.sentFirst] == early)
  }

  @Test func theLongestWaitInTheKernelCounts() {
    let wire = MonotonicInstant(nanoseconds: 10, clock: .wire)
    var marks = TimelineMarks()
    marks.noteQueue(from: early, to: late)
    #expect(marks.queue == nil, "only the kernel knows")
    marks.noteQueue(from: wire, to: late)
    marks.noteQueue(from: wire, to: wire)
    #expect(marks.queue == 10)
    var exchange = TimelineMarks()
    exchange.noteQueue(from: wire, to: MonotonicInstant(nanoseconds: 15))
    exchange.adopt(.queued ... .responseLastByte, from: marks)
    #expect(exchange.queue == 10)
    exchange.adopt(.queued ... .responseLastByte, from: TimelineMarks())
    #expect(exchange.queue == 10)
  }
}
