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

  /// Learns what the kernel knows of the bytes that wait, before a read takes them.
  func askAboutInput() throws(SystemCallError) -> ArrivalJudge.Knowledge {
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
      let stamp = try loop.inputBuffer.stampOfFirstByte(in: socket)
      known.first = loop.wireClock.instant(ofStamp: stamp, readAt: .now, notBefore: judge.floor)
    }
    return known
  }

  /// A read brought `count` bytes; `stamp`: the kernel's, of the last of them.
  func noteArrival(of count: Int, stamp: Int64, _ known: ArrivalJudge.Knowledge) {
    let now = MonotonicInstant.now
    let end = loop.wireClock.instant(ofStamp: stamp, readAt: now, notBefore: judge.floor)
    judge.didRead(count, until: end, at: now, filled: count == InputBuffer.size, known)
  }

  /// The kernel took bytes of ours, and the call returned at `now`.
  func noteDeparture(at now: MonotonicInstant) {
    guard loop.clock == .wire, judge.didWrite(), loop.allowance.take(at: now),
      let total = SystemCalls.segmentsReceived(on: socket)
    else { return }
    judge.didCount(total.count, bytes: total.bytes)
  }
}
