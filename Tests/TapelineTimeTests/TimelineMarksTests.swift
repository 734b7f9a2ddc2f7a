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
}
