import TapelineTime

@testable import TapelineLoop

/// Writes down what a channel reports, in order, and does what the test hooks in.
final class RecordingHandler: ChannelHandler {
  enum Event: Equatable {
    case received(Int)
    case end
    case wrote(Int)
    case drained
    case failed(TransportError.Kind)
  }

  private(set) var events: [Event] = []
  private(set) var received: [UInt8] = []
  private(set) var instants: [MonotonicInstant] = []
  var onEvent: (Channel, Event) -> Void = { _, _ in }

  var written: Int {
    events.reduce(0) { sum, event in
      if case .wrote(let count) = event { sum + count } else { sum }
    }
  }

  var failures: [TransportError.Kind] {
    events.compactMap { event in
      if case .failed(let kind) = event { kind } else { nil }
    }
  }

  func channel(_ channel: Channel, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) {
    for index in bytes.indices { received.append(bytes[index]) }
    instants.append(instant)
    note(channel, .received(bytes.count))
  }

  func channelDidReceiveEnd(_ channel: Channel, at instant: MonotonicInstant) {
    instants.append(instant)
    note(channel, .end)
  }

  func channel(_ channel: Channel, didWrite count: Int, at instant: MonotonicInstant) {
    instants.append(instant)
    note(channel, .wrote(count))
  }

  func channelDidDrain(_ channel: Channel) {
    note(channel, .drained)
  }

  func channel(_ channel: Channel, didFail error: TransportError) {
    note(channel, .failed(error.kind))
  }

  private func note(_ channel: Channel, _ event: Event) {
    events.append(event)
    onEvent(channel, event)
  }
}
