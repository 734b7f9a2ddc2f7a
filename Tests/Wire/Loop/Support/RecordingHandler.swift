import TapelineTime

@testable import TapelineLoop

/// Writes down what a channel reports, in order, and does what the test hooks in.
final class RecordingHandler: ChannelHandler {
  enum Event: Equatable {
    case received(Int)
    case forwarded(Int)
    case end
    case wrote(Int)
    case drained
    case failed(LoopError.Kind)
  }

  /// Whose handler this is.
  weak var channel: Channel?
  private(set) var events: [Event] = []
  private(set) var received: [UInt8] = []
  private(set) var instants: [MonotonicInstant] = []
  /// How many times it was told that the kernel takes no more.
  private(set) var blocks = 0
  var onEvent: (Channel, Event) -> Void = { _, _ in }

  var written: Int {
    events.reduce(0) { sum, event in
      if case .wrote(let count) = event { sum + count } else { sum }
    }
  }

  var failures: [LoopError.Kind] {
    events.compactMap { event in
      if case .failed(let kind) = event { kind } else { nil }
    }
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    for index in bytes.indices { received.append(bytes[index]) }
    instants.append(instant)
    note(.received(bytes.count))
  }

  func channelDidForward(_ count: Int, at instant: MonotonicInstant) {
    instants.append(instant)
    note(.forwarded(count))
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    instants.append(instant)
    note(.end)
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    instants.append(instant)
    note(.wrote(count))
  }

  func channelIsBlocked() { blocks += 1 }

  func channelDidDrain() {
    note(.drained)
  }

  func channelDidFail(_ error: LoopError) {
    note(.failed(error.kind))
  }

  private func note(_ event: Event) {
    events.append(event)
    if let channel { onEvent(channel, event) }
  }
}
