internal import TapelineSystem
internal import TapelineTime

/// Has the output of a turn leave by one call of the kernel, where it allows that; see docs/adr/0047.
struct JointOutput {
  /// `nil` if it is refused: each channel sends for itself.
  private var ring: SendRing?
  private var pace = SendingPace()
  /// Those that have joined, in the order of their results.
  private var joined: [Channel] = []

  init(ring: SendRing? = SendRing()) {
    self.ring = ring
  }

  /// Sends what the channels have to say, as far as it is little. Nobody is told: each channel reports it when it is attended to.
  mutating func send(_ channels: some Collection<Channel>) {
    guard channels.count > 1, let ring else { return }
    for channel in channels where channel.join(ring) { joined.append(channel) }
    guard !joined.isEmpty else { return }
    let called = MonotonicInstant.now
    if !ring.send() { self.ring = nil }
    let returned = MonotonicInstant.now
    let share = pace.share(of: returned.nanoseconds(since: called), among: joined.count)
    for (place, channel) in joined.enumerated() {
      do throws(SystemCallError) {
        channel.didSend(
          try ring.result(at: place), began: called.advanced(byNanoseconds: share * Int64(place)), nanoseconds: share,
          returned: returned)
      } catch {
        channel.failLater(error)
      }
    }
    joined.removeAll(keepingCapacity: true)
    ring.removeAll()
  }
}
