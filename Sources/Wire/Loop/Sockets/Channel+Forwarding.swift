internal import TapelineSystem
package import TapelineTime

// Input that nobody needs to see goes on to another channel past this program (`Conduit`).
extension Channel {
  /// Where input goes that is not read. An object, because few channels have one.
  final class Outlet {
    let destination: Channel
    let conduit: Conduit
    var plan: ForwardingPlan

    init(destination: Channel, conduit: Conduit, plan: ForwardingPlan) {
      self.destination = destination
      self.conduit = conduit
      self.plan = plan
    }
  }

  /// Whether large input may go to another channel without being read.
  package var isForwarding: Bool { outlet != nil }

  /// Lets large input go to `destination` without being read, as far as it is among the next `limit` bytes; without a limit until
  /// `endForwarding()`. The handler still gets small input, and the last bytes of each flow; it must pass them on itself. Nothing
  /// happens if that is not worth a pipe, no pipe can be had, or `destination` has one already.
  package func forward(to destination: Channel, atMost limit: UInt64?) {
    loop.assertCurrent()
    precondition(destination.loop === loop, "two channels that share a conduit share a loop")
    guard outlet == nil, limit ?? .max >= ForwardingPlan.worthwhile, machine.deliversInput, destination.machine.acceptsOutput,
      destination.conduit == nil,
      let conduit = Conduit(on: loop)
    else { return }
    destination.conduit = conduit
    outlet = Outlet(destination: destination, conduit: conduit, plan: ForwardingPlan(left: limit))
  }

  /// All input is read from now on. What has gone past is still sent. Idempotent.
  package func endForwarding() {
    guard let outlet = outlet.take() else { return }
    outlet.conduit.endFilling()
    outlet.destination.forgetConduit()
  }

  /// Moves input on. Answers `false` if it is to be read.
  func forwardOnce() throws(SystemCallError) -> Bool {
    guard let outlet else { return false }
    guard !outlet.conduit.isClosed, machine.deliversInput else {
      endForwarding()
      return false
    }
    let destination = outlet.destination
    let waiting = try SystemCalls.bytesWaiting(in: socket)
    switch outlet.plan.step(waiting: waiting, isClear: destination.isClear) {
    case .move(let count):
      return try move(count, to: destination, by: outlet.conduit)
    case .read:
      return false
    case .stop:
      endForwarding()
      return false
    }
  }

  private func move(_ count: Int, to destination: Channel, by conduit: Conduit) throws(SystemCallError) -> Bool {
    let now = MonotonicInstant.now
    loop.attention.willRead(at: now)
    guard let moved = try fill(conduit, atMost: count), moved > 0 else { return false }
    // The kernel does not say when these bytes came.
    judge.didRead(
      moved, until: nil, at: now, filled: true, ArrivalJudge.Knowledge(instant: now, served: loop.attention.served))
    outlet?.plan.didTake(moved)
    destination.didFillConduit()
    handler?.channelDidForward(moved, at: judge.arrival.last)
    return true
  }

  /// `nil` if the input is to be read: nothing has come, or somebody forbids this program the call.
  private func fill(_ conduit: Conduit, atMost limit: Int) throws(SystemCallError) -> Int? {
    do throws(SystemCallError) {
      return switch try conduit.fill(from: socket, atMost: limit) {
      case .done(let moved): moved
      case .wouldBlock: nil
      }
    } catch  where ErrorCode.meansRefusedCall(error.code) {
      endForwarding()
      return nil
    }
  }

  // MARK: The destination

  /// Whether what comes next would be the next to be written.
  private var isClear: Bool { machine.acceptsOutput && !isBlocked && bufferedBytes == 0 }

  /// Bytes for us wait in the conduit. They leave at once, as a large write does.
  private func didFillConduit() {
    flush()
    if isAboveHighWater { hasReachedHighWater = true }
  }

  func forgetConduit() {
    if conduit?.isClosed == true { conduit = nil }
  }
}

extension ChannelHandler {
  /// For a handler whose channel forwards nothing.
  package func channelDidForward(_ count: Int, at instant: MonotonicInstant) {
    preconditionFailure("a channel forwarded input for a handler that had not asked for it")
  }
}
