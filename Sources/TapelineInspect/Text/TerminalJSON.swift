internal import TapelineText

/// JSON text in which no character drives a terminal: what JSON allows unescaped, and a terminal acts upon, is written as `\\u00XX`. The
/// value is the same.
package enum TerminalJSON {
  /// - Parameter json: whole characters: outside of strings, JSON has none of those.
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

  /// What begins one of the characters.
  private static func isSuspicious(_ byte: UInt8) -> Bool {
    byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
  }

  /// The character that drives a terminal, and how many bytes it has; `nil` where none stands at the start of `bytes`.
  private static func hidden(in bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int)? {
    guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first, scalar.isHiddenControl else { return nil }
    return (scalar.value, String(scalar).utf8.count)
  }
}
