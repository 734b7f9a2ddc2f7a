/// Bytes that are not WebSocket frames (RFC 6455 5.2).
package enum WebSocketError: Error, Hashable {
  /// RSV2 or RSV3 is set, or RSV1 where compression has no meaning: an unknown extension.
  case unknownExtension
  case reservedOpcode(UInt8)
  /// The highest bit of a 64-bit length is set.
  case invalidLength
  /// A control frame is fragmented or longer than 125 bytes (RFC 6455 5.5).
  case invalidControlFrame
  /// A continuation without a message, or a message that begins inside another (RFC 6455 5.4).
  case invalidFragmentation
  /// A server must not mask its frames (RFC 6455 5.1).
  case masked
  /// A message is longer than the receiver takes.
  case tooLong
  /// A text, or the reason of a close, is not UTF-8 (RFC 6455 8.1).
  case invalidText
  /// A close with half a code, or with a code that must not be sent (RFC 6455 7.4).
  case invalidClose
  /// The data of a compressed message is wrong (RFC 7692 7.2.2).
  case invalidCompression

  /// The code by which the peer is told.
  package var closeCode: UInt16 {
    switch self {
    case .invalidText: 1_007
    case .tooLong: 1_009
    case .unknownExtension, .reservedOpcode, .invalidLength, .invalidControlFrame, .invalidFragmentation, .masked, .invalidClose,
      .invalidCompression:
      1_002
    }
  }
}

/// Reads the frames of one direction of a WebSocket connection.
///
/// It holds no payload: it yields ranges of the input.
package struct WebSocketFrameParser: Sendable {
  package enum Element: Hashable {
    case head(WebSocketFrame)
    /// Bytes of the payload, masked as they came.
    case payload(Range<Int>)
    /// The frame is complete.
    case end
  }

  private enum State {
    case head
    case payload(remaining: UInt64)
  }

  private var state = State.head
  /// The bytes of the head so far: at most 2 + 8 + 4.
  private var head = InlineArray<14, UInt8>(repeating: 0)
  private var headCount = 0

  package init() {}

  /// The next element of `input`, or `nil` when all of it is used up. Moves `offset` past the bytes of the element.
  package mutating func next(_ input: Span<UInt8>, from offset: inout Int) throws(WebSocketError) -> Element? {
    switch state {
    case .head:
      while headCount < headLength {
        guard offset < input.count else { return nil }
        head[headCount] = input[offset]
        headCount += 1
        offset += 1
      }
      let frame = try parseHead()
      headCount = 0
      state = .payload(remaining: frame.payloadLength)
      return .head(frame)
    case .payload(0):
      state = .head
      return .end
    case .payload(let remaining):
      guard offset < input.count else { return nil }
      let count = Int(min(remaining, UInt64(input.count - offset)))
      let payload = offset..<offset + count
      offset += count
      state = .payload(remaining: remaining - UInt64(count))
      return .payload(payload)
    }
  }

  /// The length of the head, as far as the bytes so far tell.
  private var headLength: Int {
    guard headCount >= 2 else { return 2 }
    return 2 + extendedLengthSize + (isMasked ? 4 : 0)
  }

  private var isMasked: Bool { head[1] & 0x80 != 0 }

  private var extendedLengthSize: Int {
    switch head[1] & 0x7F {
    case 126: 2
    case 127: 8
    default: 0
    }
  }

  private func parseHead() throws(WebSocketError) -> WebSocketFrame {
    guard let opcode = WebSocketFrame.Opcode(rawValue: head[0] & 0x0F) else { throw .reservedOpcode(head[0] & 0x0F) }
    let isFinal = head[0] & 0x80 != 0
    let isCompressed = head[0] & 0x40 != 0
    guard head[0] & 0x30 == 0 else { throw .unknownExtension }
    let size = extendedLengthSize
    let length = size == 0 ? UInt64(head[1] & 0x7F) : bigEndian(2..<2 + size)
    guard length <= UInt64(Int64.max) else { throw .invalidLength }
    if opcode.isControl {
      guard isFinal, length <= 125 else { throw .invalidControlFrame }
      guard !isCompressed else { throw .unknownExtension }
    }
    let mask = isMasked ? WebSocketFrame.Mask(key: UInt32(bigEndian(2 + size..<6 + size))) : nil
    return WebSocketFrame(opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, payloadLength: length, mask: mask)
  }

  private func bigEndian(_ range: Range<Int>) -> UInt64 {
    range.reduce(0) { value, index in value << 8 | UInt64(head[index]) }
  }
}
