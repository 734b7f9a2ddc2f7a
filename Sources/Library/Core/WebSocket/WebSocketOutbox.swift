internal import TapelineCoding
internal import TapelineHTTP

/// The messages that wait to be sent on a WebSocket connection, in order; frames that are due now go between theirs. A value
/// without sockets.
struct WebSocketOutbox: ~Copyable {
  /// Called once, with what became of a message.
  typealias Done = @Sendable (Result<Void, WebSocketRequest.SendError>) -> Void

  private struct Waiting {
    let opcode: WebSocketFrame.Opcode
    let payload: [UInt8]
    let done: Done?
  }

  /// A message of which frames are still to come.
  private struct Current {
    let opcode: WebSocketFrame.Opcode
    let payload: [UInt8]
    let isCompressed: Bool
    let done: Done?
    var sent = 0
  }

  /// The next frame.
  struct Frame {
    let bytes: [UInt8]
    /// Called when the frame is on its way, if it is the last of its message.
    let done: Done?
    let isClose: Bool
  }

  /// Longer messages are sent in fragments, so that a pong need not wait for them (RFC 6455 5.4).
  private static let fragmentSize = 64 * 1024
  /// Shorter messages grow when they are compressed.
  private static let leastCompressed = 64

  private var waiting = PieceQueue<Waiting>()
  private var current: Current?
  /// Only the newest ping needs an answer (RFC 6455 5.5.3).
  private var pong: [UInt8]?
  private var pings: [[UInt8]] = []
  private var deflater: MessageDeflater?
  /// Nothing is sent after a close.
  private(set) var isClosed = false
  private let mask: () -> WebSocketFrame.Mask

  init(mask: @escaping () -> WebSocketFrame.Mask = WebSocketFrame.Mask.random) {
    self.mask = mask
  }

  mutating func agree(to compression: MessageCompression?) {
    deflater = compression.flatMap { MessageDeflater(windowBits: $0.clientWindowBits, forgets: $0.clientForgets) }
  }

  mutating func put(_ message: WebSocketRequest.Message, _ done: @escaping Done) {
    switch message {
    case .string(let text): waiting.append(Waiting(opcode: .text, payload: Array(text.utf8), done: done))
    case .data(let data): waiting.append(Waiting(opcode: .binary, payload: Array(data), done: done))
    }
  }

  /// A close, behind all messages that wait.
  mutating func putClose(_ payload: [UInt8]) {
    waiting.append(Waiting(opcode: .close, payload: payload, done: nil))
  }

  mutating func putPong(_ payload: [UInt8]) { pong = payload }

  mutating func putPing(_ payload: [UInt8]) { pings.append(payload) }

  /// A close now, and nothing after it. Returns those whose messages are not sent.
  mutating func close(_ payload: [UInt8]) -> (frame: [UInt8]?, unsent: [Done]) {
    let unsent = drop()
    guard !isClosed else { return (nil, unsent) }
    isClosed = true
    return (frame(.close, payload.span), unsent)
  }

  /// Returns those whose messages are not sent.
  mutating func drop() -> [Done] {
    let dropped = [current?.done].compactMap { $0 } + waiting.takeAll().compactMap(\.done)
    current = nil
    pong = nil
    pings = []
    return dropped
  }

  /// The next frame to send; `nil` when nothing waits.
  mutating func next() -> Frame? {
    guard !isClosed else { return nil }
    if let payload = pong.take() { return Frame(bytes: frame(.pong, payload.span), done: nil, isClose: false) }
    if !pings.isEmpty {
      let payload = pings.removeFirst()
      return Frame(bytes: frame(.ping, payload.span), done: nil, isClose: false)
    }
    if current == nil {
      guard let next = waiting.popFirst() else { return nil }
      if next.opcode == .close {
        isClosed = true
        return Frame(bytes: frame(.close, next.payload.span), done: nil, isClose: true)
      }
      current = begin(next)
    }
    return fragment()
  }

  private func begin(_ message: Waiting) -> Current {
    guard let deflater, message.payload.count >= Self.leastCompressed else {
      return Current(opcode: message.opcode, payload: message.payload, isCompressed: false, done: message.done)
    }
    return Current(
      opcode: message.opcode, payload: deflater.deflate(message.payload.span), isCompressed: true, done: message.done)
  }

  private mutating func fragment() -> Frame? {
    guard var message = current.take() else { return nil }
    let start = message.sent
    let end = min(message.payload.count, start + Self.fragmentSize)
    message.sent = end
    let isFinal = end == message.payload.count
    let bytes = frame(
      start == 0 ? message.opcode : .continuation, message.payload.span.extracting(start..<end), isFinal: isFinal,
      isCompressed: start == 0 && message.isCompressed)
    if !isFinal { current = message }
    return Frame(bytes: bytes, done: isFinal ? message.done : nil, isClose: false)
  }

  private func frame(
    _ opcode: WebSocketFrame.Opcode, _ payload: Span<UInt8>, isFinal: Bool = true, isCompressed: Bool = false
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketFrame.append(opcode, payload, to: &bytes, isFinal: isFinal, isCompressed: isCompressed, mask: mask())
    return bytes
  }
}
