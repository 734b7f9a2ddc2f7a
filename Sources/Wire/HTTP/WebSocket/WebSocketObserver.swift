/// Assembles the messages that pass in one direction of a WebSocket connection, without touching them (RFC 6455 5.4).
///
/// It keeps a bounded amount and continues counting beyond it. Bytes that are not frames stop it for good; the relay continues.
package struct WebSocketObserver: Sendable {
  package struct Limits: Sendable {
    /// The most messages kept. A close does not count and is always kept.
    package var messages = 1_000
    /// The most bytes kept of all messages together.
    package var bytes = 1 << 20
    /// The most bytes kept of one text message, and of one other message.
    package var bytesPerText = 1 << 20
    package var bytesPerBinary = 1 << 20

    package init() {}
  }

  package struct Message: Sendable, Hashable {
    /// The opcode of its first frame.
    package let opcode: WebSocketFrame.Opcode
    package let isCompressed: Bool
    /// Unmasked, from the payload's start.
    package fileprivate(set) var bytes: [UInt8] = []
    /// Bytes of the whole payload.
    package fileprivate(set) var size: UInt64 = 0
    /// Whether `bytes` has its content, as far as the limits go.
    package let isKept: Bool
  }

  private let limits: Limits
  private var parser = WebSocketFrameParser()
  private var frame: WebSocketFrame?
  /// Bytes of the frame's payload so far: the position in its mask.
  private var framePosition: UInt64 = 0
  /// The message in progress; control frames may come between its frames.
  private var message: Message?
  private var control: Message?
  private var keptMessages = 0
  private var keptBytes = 0
  /// Messages that have ended, kept or not.
  package private(set) var messageCount: UInt64 = 0
  /// The error in the bytes; nothing is observed after it.
  package private(set) var failure: WebSocketError?

  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Observes bytes of the connection, in pieces of any size. `deliver` gets each message when it has ended, kept or not.
  package mutating func receive(_ input: Span<UInt8>, deliver: (Message) -> Void) {
    guard failure == nil else { return }
    var offset = 0
    do throws(WebSocketError) {
      while let element = try parser.next(input, from: &offset) {
        switch element {
        case .head(let frame):
          try begin(frame)
        case .payload(let range):
          receivePayload(input.extracting(range))
        case .end:
          if let ended = end() {
            messageCount += 1
            deliver(ended)
          }
        }
      }
    } catch {
      failure = error
      message = nil
      control = nil
    }
  }

  private mutating func begin(_ frame: WebSocketFrame) throws(WebSocketError) {
    self.frame = frame
    framePosition = 0
    switch frame.opcode {
    case .continuation:
      guard message != nil, !frame.isCompressed else { throw .invalidFragmentation }
    case .text, .binary:
      guard message == nil else { throw .invalidFragmentation }
      message = newMessage(frame)
    case .close, .ping, .pong:
      control = newMessage(frame)
    }
  }

  private mutating func newMessage(_ frame: WebSocketFrame) -> Message {
    let isKept = keptMessages < limits.messages || frame.opcode == .close
    if isKept { keptMessages += 1 }
    return Message(opcode: frame.opcode, isCompressed: frame.isCompressed, isKept: isKept)
  }

  private mutating func receivePayload(_ bytes: Span<UInt8>) {
    guard let frame else { preconditionFailure("a payload belongs to a frame") }
    if frame.opcode.isControl {
      control = extended(control.take(), by: bytes, of: frame)
    } else {
      message = extended(message.take(), by: bytes, of: frame)
    }
    framePosition += UInt64(bytes.count)
  }

  private mutating func extended(_ message: consuming Message?, by bytes: Span<UInt8>, of frame: WebSocketFrame) -> Message {
    guard var message else { preconditionFailure("a frame belongs to a message") }
    message.size += UInt64(bytes.count)
    guard message.isKept else { return message }
    let count = max(0, min(room(for: message), bytes.count))
    keptBytes += count
    message.bytes.reserveCapacity(message.bytes.count + count)
    for index in 0..<count {
      message.bytes.append(frame.mask.map { bytes[index] ^ $0[framePosition + UInt64(index)] } ?? bytes[index])
    }
    return message
  }

  /// A control frame is short, and a close tells why the connection ended: they are kept whole.
  private func room(for message: Message) -> Int {
    let limit: Int
    switch message.opcode {
    case .close, .ping, .pong: return Int.max
    case .binary: limit = limits.bytesPerBinary
    case .text, .continuation: limit = limits.bytesPerText
    }
    return min(limits.bytes - keptBytes, limit - message.bytes.count)
  }

  /// The frame is complete. Returns the message that it ended, if any.
  private mutating func end() -> Message? {
    guard let frame = frame.take() else { preconditionFailure("a frame ends that has begun") }
    guard frame.isFinal else { return nil }
    return frame.opcode.isControl ? control.take() : message.take()
  }
}
