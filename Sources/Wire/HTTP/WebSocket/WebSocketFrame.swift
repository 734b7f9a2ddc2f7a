internal import TapelineText

/// The head of a WebSocket frame (RFC 6455 5.2).
package struct WebSocketFrame: Sendable, Hashable {
  package enum Opcode: UInt8, Sendable, Hashable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames may come between the frames of a message (RFC 6455 5.5).
    package var isControl: Bool {
      switch self {
      case .continuation, .text, .binary: false
      case .close, .ping, .pong: true
      }
    }
  }

  package let opcode: Opcode
  /// The last frame of its message.
  package let isFinal: Bool
  /// RSV1: the message is compressed (RFC 7692 6). Only on a message's first frame.
  package let isCompressed: Bool
  package let payloadLength: UInt64
  /// The masking key, combined with the bytes of the payload in turn; `nil` when the payload is not masked.
  package let mask: Mask?

  package init(opcode: Opcode, isFinal: Bool, isCompressed: Bool, payloadLength: UInt64, mask: Mask?) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.payloadLength = payloadLength
    self.mask = mask
  }

  /// Appends a whole message in one frame, as a server sends it: not masked (RFC 6455 5.1).
  package static func append(_ opcode: Opcode, _ payload: Span<UInt8>, to output: inout [UInt8]) {
    output.append(0x80 | opcode.rawValue)
    switch payload.count {
    case ...125: output.append(UInt8(payload.count))
    case ...0xFFFF: output += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      output.append(127)
      for shift in stride(from: 56, through: 0, by: -8) { output.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
    }
    output.append(bytes: payload)
  }

  /// The four bytes of a masking key (RFC 6455 5.3), the first in the highest place.
  package struct Mask: Sendable, Hashable {
    package let key: UInt32

    package init(key: UInt32) {
      self.key = key
    }

    /// The byte of the key to combine with the payload's byte at `position`.
    package subscript(position: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: key >> (24 - 8 * UInt32(position & 3)))
    }
  }
}
