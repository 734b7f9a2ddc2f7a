import TapelineLoop
import TapelineTLS
import TapelineTime
import TapelineTransport

/// Writes down what a secure channel reports, in order, and does what the test hooks in.
final class SecureRecordingHandler: SecureChannelHandler {
  enum Event: Equatable {
    case secured
    case session
    case received(Int)
    case end
    case wrote(Int)
    case drained
    case failed(TransportError.Kind)
  }

  private(set) var events: [Event] = []
  private(set) var received: [UInt8] = []
  private(set) var parameters: TLSParameters?
  private(set) var securedAt: MonotonicInstant?
  var onEvent: (Event) -> Void = { _ in }

  var written: Int {
    events.reduce(0) { sum, event in
      if case .wrote(let count) = event { sum + count } else { sum }
    }
  }

  /// Without sessions, which come when the server likes, and without the counting of writes.
  var story: [Event] {
    events.filter { event in
      switch event {
      case .session, .wrote: false
      case .secured, .received, .end, .drained, .failed: true
      }
    }
  }

  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    self.parameters = parameters
    securedAt = instant
    note(.secured)
  }

  func channelDidReceive(session: TLSSession) { note(.session) }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    unsafe bytes.withUnsafeBufferPointer { unsafe received.append(contentsOf: $0) }
    note(.received(bytes.count))
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) { note(.end) }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) { note(.wrote(count)) }

  func channelDidDrain() { note(.drained) }

  func channelDidFail(_ error: TransportError) { note(.failed(error.kind)) }

  private func note(_ event: Event) {
    events.append(event)
    onEvent(event)
  }
}
