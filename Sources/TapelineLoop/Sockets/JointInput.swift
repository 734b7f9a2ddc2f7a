/// Takes the input of several channels from the kernel before the first of it is served; see docs/adr/0053.
struct JointInput {
  /// What the channels have taken, in their order.
  private(set) var parts: [Channel.Input] = []

  /// A read is offered as much at least: 64 KiB, which many programs write at once, and a head.
  private static let leastRoom = 72 * 1024

  /// Has the channels take what waits, one behind the other in the loop's buffer, until it has no more room.
  mutating func take(_ channels: some Collection<Channel>) {
    parts.removeAll(keepingCapacity: true)
    var start = 0
    for channel in channels {
      let part = channel.takeInput(at: start)
      parts.append(part)
      switch part {
      case .bytes(let place): start = (place.upperBound + InputBuffer.alignment - 1) & -InputBuffer.alignment
      case .untaken: return
      case .end, .failure, .nothing: break
      }
      if InputBuffer.size - start < Self.leastRoom { return }
    }
  }
}
