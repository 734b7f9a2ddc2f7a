package import TapelineTime

/// One WebSocket message as it passed, put together from its frames and unmasked (RFC 6455 5).
package struct WebSocketMessage: Sendable {
  package enum Direction: Sendable, Hashable {
    case toServer
    case toClient
  }

  /// When its last byte came.
  package let instant: MonotonicInstant
  package let direction: Direction
  /// The opcode of its first frame: 1 text, 2 binary, 8 close, 9 ping, 10 pong.
  package let opcode: UInt8
  /// Whether the payload, as received, is compressed by permessage-deflate (RFC 7692).
  package let isCompressed: Bool
  /// The first bytes of the payload, up to the capture limit.
  package let bytes: [UInt8]
  /// Bytes of the whole payload, as received.
  package let size: UInt64

  package init(
    instant: MonotonicInstant, direction: Direction, opcode: UInt8, isCompressed: Bool, bytes: [UInt8], size: UInt64
  ) {
    self.instant = instant
    self.direction = direction
    self.opcode = opcode
    self.isCompressed = isCompressed
    self.bytes = bytes
    self.size = size
  }
}
