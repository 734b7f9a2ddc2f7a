@testable import TapelineHTTP

/// Frames as a peer would send them.
enum WebSocketFrames {
  static func frame(
    _ opcode: UInt8, _ payload: String, isFinal: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = nil
  ) -> [UInt8] {
    frame(opcode, Array(payload.utf8), isFinal: isFinal, reserved: reserved, mask: mask)
  }

  static func frame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = nil
  ) -> [UInt8] {
    var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
    let masked: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case 0..<126:
      bytes.append(masked | UInt8(payload.count))
    case 126..<65_536:
      bytes += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    case _:
      bytes.append(masked | 127)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }
}
