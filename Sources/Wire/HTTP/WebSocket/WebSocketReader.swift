internal import TapelineBase

/// Reads what a server sends on a WebSocket connection, as its client must: puts messages together, and keeps every rule of
/// RFC 6455 5. It holds one message, up to a limit.
package struct WebSocketReader: Sendable {
  package enum Event: Hashable, Sendable {
    /// Compressed, the payload is as it came: whether a text is UTF-8 can only be said when it is inflated.
    case message(isText: Bool, isCompressed: Bool, payload: [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// No code: the server gave none (1005).
    case close(code: UInt16?, reason: String)
  }

  /// The most bytes that a message may have as it comes.
  private let limit: Int
  private let allowsCompression: Bool
  private var parser = WebSocketFrameParser()
  private var frame: WebSocketFrame?
  /// The first frame's head of the message in progress: control frames may come between its frames.
  private var opening: WebSocketFrame?
  private var message: [UInt8] = []
  private var control: [UInt8] = []

  /// - Parameters:
  ///   - limit: the most bytes that a message may have as it comes.
  ///   - allowsCompression: whether permessage-deflate was agreed on.
  package init(limit: Int, allowsCompression: Bool) {
    self.limit = limit
    self.allowsCompression = allowsCompression
  }

  /// The next event in `input`, or `nil` when all of it is used up. Moves `offset` past the bytes of the event.
  package mutating func next(_ input: Span<UInt8>, from offset: inout Int) throws(WebSocketError) -> Event? {
    while let element = try parser.next(input, from: &offset) {
      switch element {
      case .head(let frame): try begin(frame)
      case .payload(let range): receive(input.extracting(range))
      case .end: if let event = try end() { return event }
      }
    }
    return nil
  }

  private mutating func begin(_ frame: WebSocketFrame) throws(WebSocketError) {
    guard frame.mask == nil else { throw .masked }
    guard allowsCompression || !frame.isCompressed else { throw .unknownExtension }
    self.frame = frame
    switch frame.opcode {
    case .continuation:
      guard opening != nil else { throw .invalidFragmentation }
      guard !frame.isCompressed else { throw .unknownExtension }
    case .text, .binary:
      guard opening == nil else { throw .invalidFragmentation }
      opening = frame
    case .close, .ping, .pong: return
    }
    guard frame.payloadLength <= UInt64(limit - message.count) else { throw .tooLong }
  }

  private mutating func receive(_ bytes: Span<UInt8>) {
    if frame?.opcode.isControl == true { control.append(bytes: bytes) } else { message.append(bytes: bytes) }
  }

  /// The frame is complete. Returns what it ended.
  private mutating func end() throws(WebSocketError) -> Event? {
    guard let frame = frame.take() else { preconditionFailure("a frame ends that has begun") }
    if frame.opcode.isControl {
      defer { control = [] }
      return switch frame.opcode {
      case .ping: .ping(control)
      case .pong: .pong(control)
      case .close, .continuation, .text, .binary: try Self.close(control)
      }
    }
    guard frame.isFinal, let opening = opening.take() else { return nil }
    defer { message = [] }
    let isText = opening.opcode == .text
    if isText, !opening.isCompressed, !message.span.isUTF8 { throw .invalidText }
    return .message(isText: isText, isCompressed: opening.isCompressed, payload: message)
  }

  /// RFC 6455 5.5.1 and 7.4.
  private static func close(_ payload: [UInt8]) throws(WebSocketError) -> Event {
    guard payload.count != 1 else { throw .invalidClose }
    guard payload.count >= 2 else { return .close(code: nil, reason: "") }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    guard mayBeSent(code) else { throw .invalidClose }
    let reason = payload[2...]
    guard payload.span.extracting(droppingFirst: 2).isUTF8 else { throw .invalidText }
    return .close(code: code, reason: String(decoding: reason, as: UTF8.self))
  }

  /// Whether a close frame may have the code: 1004 to 1006 and 1015 only stand for closes without one.
  package static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
    default: false
    }
  }
}
