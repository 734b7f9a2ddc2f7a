internal import TapelineBase

/// Short text, such as a name, in whatever notation it is.
enum EscapedText {
  /// The text with the escapes of JSON, C and URLs undone, those of a text in a text, too.
  static func unescaped(_ text: Span<UInt8>) -> [UInt8] {
    var result = [UInt8](copying: text)
    for _ in 0..<deepest {
      let plain = once(result.span)
      if plain == result { break }
      result = plain
    }
    return result
  }

  private static let deepest = 3

  private static func once(_ text: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "%"):
        if let value = value(of: index + 1, digits: 2, in: text) {
          output.append(UInt8(truncatingIfNeeded: value))
          index += 3
          continue
        }
        output.append(byte)
      case UInt8(ascii: "\\") where index + 1 < text.count:
        let (size, character) = escape(at: index + 1, in: text)
        output += character
        index += size + 1
        continue
      default:
        output.append(byte)
      }
      index += 1
    }
    return output
  }

  /// The escape whose letter is at `place`: how many bytes it has from there, and what it means.
  private static func escape(at place: Int, in text: Span<UInt8>) -> (size: Int, character: [UInt8]) {
    switch text[place] {
    case UInt8(ascii: "u"):
      if let value = value(of: place + 1, digits: 4, in: text), let scalar = Unicode.Scalar(value) {
        return (5, Array(String(scalar).utf8))
      }
    case UInt8(ascii: "x"):
      if let value = value(of: place + 1, digits: 2, in: text) { return (3, [UInt8(truncatingIfNeeded: value)]) }
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      // A line that goes on.
      return (1, [])
    default: break
    }
    return (1, [text[place]])
  }

  private static func value(of start: Int, digits: Int, in text: Span<UInt8>) -> UInt32? {
    guard start + digits <= text.count else { return nil }
    var value: UInt32 = 0
    for index in start..<start + digits {
      guard let digit = Hexadecimal.value(of: text[index]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
