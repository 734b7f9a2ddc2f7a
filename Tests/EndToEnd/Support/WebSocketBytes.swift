/// RFC 6455 by hand: as much as a script needs.
enum WebSocketBytes {
  static let request = [
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ]
  /// The answer to that key (RFC 6455 1.3).
  static let accepted =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

  /// A text of less than 126 bytes.
  static func text(_ text: String, isMasked: Bool = false) -> [UInt8] { frame(0x81, Array(text.utf8), isMasked) }
  static func close(_ code: UInt16 = 1000, isMasked: Bool = false) -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)], isMasked)
  }

  /// The mask of a client is 0: it changes nothing, and is one.
  private static func frame(_ first: UInt8, _ payload: [UInt8], _ isMasked: Bool) -> [UInt8] {
    [first, UInt8(payload.count) | (isMasked ? 0x80 : 0)] + (isMasked ? [0, 0, 0, 0] : []) + payload
  }
}
