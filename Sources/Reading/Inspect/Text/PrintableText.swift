internal import TapelineBase

extension String {
  /// This text with every character that could control a terminal replaced by U+FFFD, one for one.
  ///
  /// URLs, field values and messages come from strangers: none of their bytes may move the cursor of a person who reads a log, or
  /// turn the direction of the text so that it looks like something else.
  package var printable: String {
    replacing { $0.isControl || $0.turnsText }
  }

  /// As `printable`, but lines stay lines and tabs stay tabs.
  package var printableLines: String {
    replacing(where: \.isHiddenControl)
  }

  /// A stranger's bytes as lines of text.
  package init(printableLinesOf bytes: [UInt8]) {
    self = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").printableLines
  }

  private func replacing(where isUnwanted: (Unicode.Scalar) -> Bool) -> String {
    if utf8.allSatisfy({ (Byte.space..<Byte.delete).contains($0) }) { return self }
    guard unicodeScalars.contains(where: isUnwanted) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      text.unicodeScalars.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar)
    }
    return text
  }
}

extension Unicode.Scalar {
  /// C0, DEL and C1: characters that a terminal may act on instead of showing them.
  var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value)
  }

  /// Line separators and the explicit formatting of bidirectional text (Unicode Standard Annex 9).
  fileprivate var turnsText: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Characters that must not reach a terminal, in a text whose lines and tabs stay.
  var isHiddenControl: Bool {
    (isControl || turnsText) && self != "\n" && self != "\t"
  }
}

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
    byte == Byte.delete || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
  }

  /// The control character at the start of `bytes` and its length in bytes; `nil` if `bytes` starts with another character.
  private static func hidden(in bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int)? {
    guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first, scalar.isHiddenControl else { return nil }
    return (scalar.value, String(scalar).utf8.count)
  }
}
