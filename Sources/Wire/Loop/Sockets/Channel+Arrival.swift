internal import TapelineSystem
internal import TapelineTime

// When bytes came; see `ArrivalJudge`.
extension Channel {
  /// When the bytes that the handler got last came.
  package var arrival: Arrival { judge.arrival }

  /// Bytes of several messages may come in any order, and not only as answers.
  package func expectInterleavedInput() {
    loop.assertCurrent()
    judge.isInterleaved = true
  }

  /// What can be known of the bytes that wait, before a read takes them to `start` in the loop's buffer.
  func askAboutInput(at start: Int) throws(SystemCallError) -> ArrivalJudge.Knowledge {
    let now = MonotonicInstant.now
    loop.attention.willRead(at: now)
    var known = ArrivalJudge.Knowledge(instant: now, served: loop.attention.served)
    // Nobody wants to know when bytes came that are thrown away.
    guard loop.clock == .wire, machine.deliversInput, judge.wantsCount(known), loop.allowance.take(at: now),
      let total = SystemCalls.segmentsReceived(on: socket)
    else { return known }
    let waiting = judge.waiting(of: total.count)
    known.waiting = waiting
    if waiting > 1, loop.allowance.take(at: now) {
      let stamp = try loop.inputBuffer.stampOfFirstByte(in: socket, at: start)
      known.first = loop.wireClock.instant(ofStamp: stamp, readAt: .now, notBefore: judge.floor)
    }
    return known
  }

  /// A read brought `count` bytes; `stamp`: the kernel's, of the last of them; `filled`: there may be more.
  func noteArrival(of count: Int, stamp: Int64, filled: Bool, _ known: ArrivalJudge.Knowledge) {
    let now = MonotonicInstant.now
    let end = loop.wireClock.instant(ofStamp: stamp, readAt: now, notBefore: judge.floor)
    judge.didRead(count, until: end, at: now, filled: filled, known)
  }

  /// The kernel took bytes of ours, and the call returned at `now`.
  func noteDeparture(at now: MonotonicInstant) {
    guard loop.clock == .wire, judge.didWrite(), loop.allowance.take(at: now),
      let total = SystemCalls.segmentsReceived(on: socket)
    else { return }
    judge.didCount(total.count, bytes: total.bytes)
  }
}
