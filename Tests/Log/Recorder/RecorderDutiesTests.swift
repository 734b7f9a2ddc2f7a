import TapelineTime
import Testing

@testable import TapelineRecorder

struct RecorderDutiesTests {
  private func instant(_ nanoseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

  @Test func nothingToDo() {
    var duties = RecorderDuties(sync: .never, rotationInterval: nil, now: instant(0))
    duties.noteWrite(at: instant(5))
    #expect(duties.next(after: instant(5)) == nil)
    #expect(!duties.isSyncDue(at: instant(100)))
    #expect(!duties.isRotationDue(at: instant(100)))
    #expect(!duties.isUnsynced)
  }

  @Test func memoryOfALargePileIsGivenBackASecondLater() {
    var duties = RecorderDuties(sync: .never, rotationInterval: nil, now: instant(0))
    #expect(!duties.isTrimDue(at: instant(5_000_000_000)))
    duties.noteLargePile(at: instant(5))
    #expect(duties.next(after: instant(5)) != nil)
    #expect(!duties.isTrimDue(at: instant(1_000_000_004)))
    #expect(duties.isTrimDue(at: instant(1_000_000_005)))
    duties.noteTrim()
    #expect(duties.next(after: instant(1_000_000_005)) == nil)
  }

  @Test func eachWriteIsSyncedAtOnce() {
    var duties = RecorderDuties(sync: .eachWrite, rotationInterval: nil, now: instant(0))
    #expect(!duties.isSyncDue(at: instant(5)))
    duties.noteWrite(at: instant(5))
    #expect(duties.isSyncDue(at: instant(5)))
    duties.noteSync()
    #expect(!duties.isSyncDue(at: instant(6)))
  }

  @Test func theOldestWriteDecides() {
    var duties = RecorderDuties(sync: .interval(.nanoseconds(100)), rotationInterval: nil, now: instant(0))
    duties.noteWrite(at: instant(5))
    duties.noteWrite(at: instant(50))
    #expect(!duties.isSyncDue(at: instant(104)))
    #expect(duties.isSyncDue(at: instant(105)))
    #expect(duties.next(after: instant(104)) != nil)
    duties.noteSync()
    #expect(duties.next(after: instant(105)) == nil)
  }

  @Test func rotationComesAgain() {
    var duties = RecorderDuties(sync: .never, rotationInterval: .nanoseconds(100), now: instant(0))
    #expect(!duties.isRotationDue(at: instant(99)))
    #expect(duties.isRotationDue(at: instant(100)))
    duties.noteRotation(at: instant(130))
    #expect(!duties.isRotationDue(at: instant(200)))
    #expect(duties.isRotationDue(at: instant(230)))
  }
}
