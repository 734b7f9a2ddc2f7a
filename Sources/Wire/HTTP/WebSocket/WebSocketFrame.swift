internal import TapelineBase

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

  /// Appends a frame: without further arguments a whole message as a server sends it, not masked (RFC 6455 5.1).
  ///
  /// - Parameters:
  ///   - opcode: what it is; `continuation` for every frame of a message but the first.
  ///   - payload: not masked.
  ///   - output: where it is appended.
  ///   - isFinal: whether it is the message's last.
  ///   - isCompressed: whether the message is; of its first frame.
  ///   - mask: another one for each frame of a client.
  package static func append(
    _ opcode: Opcode, _ payload: Span<UInt8>, to output: inout [UInt8], isFinal: Bool = true, isCompressed: Bool = false,
    mask: Mask? = nil
  ) {
    output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let masked: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case ...125: output.append(masked | UInt8(payload.count))
    case ...0xFFFF: output += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      output.append(masked | 127)
      for shift in stride(from: 56, through: 0, by: -8) { output.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
    }
    guard let mask else { return output.append(bytes: payload) }
    for position in 0..<4 { output.append(mask[UInt64(position)]) }
    output.reserveCapacity(output.count + payload.count)
    for index in payload.indices { output.append(payload[index] ^ mask[UInt64(index)]) }
  }

  /// The four bytes of a masking key (RFC 6455 5.3), the first in the highest place.
  package struct Mask: Sendable, Hashable {
    package let key: UInt32

    package init(key: UInt32) {
      self.key = key
    }

    /// A key that nobody can foresee (RFC 6455 10.3).
    package static func random() -> Mask { Mask(key: .random(in: .min ... .max)) }

    /// The byte of the key to combine with the payload's byte at `position`.
    package subscript(position: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: key >> (24 - 8 * UInt32(position & 3)))
    }
  }
}
