internal import TapelineText

/// JSON text without terminal control characters: those that JSON allows unescaped are written as `\\u00XX`.
/// The value is the same.
package enum TerminalJSON {
  /// - Parameter json: whole characters. Outside of strings, JSON has no such control characters.
  package static func escaped(_ json: [UInt8]) -> [UInt8] {
    guard let first = json.firstIndex(where: isSuspicious) else { return json }
    var escaped = Array(json[..<first])
    escaped.reserveCapacity(json.count + 64)
    var index = first
    while index < json.count {
      if isSuspicious(json[index]), let (scalar, length) = hidden(in: json[index...].prefix(3)) {
        escaped += Array("\\u\(Hexadecimal.text(of: scalar, digits: 4))".utf8)
        index += length
      } else {
        escaped.append(json[index])
        index += 1
      }
    }
    return escaped
  }

  /// Whether the byte can start one of these characters.
  private static func isSuspicious(_ byte: UInt8) -> Bool {
    byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
  }

  /// The control character at the start of `bytes` and its length in bytes; `nil` if `bytes` starts with another character.
  private static func hidden(in bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int)? {
    guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first, scalar.isHiddenControl else { return nil }
    return (scalar.value, String(scalar).utf8.count)
  }
}
