internal import TapelineHAR
internal import TapelineBase

/// The ways to write a secret where it is repeated: as it is, in a URL, in a JSON string, in markup, in base64.
enum EchoSpellings {
  /// `secret` and its unescaped form, each in every spelling that differs from it.
  static func all(of secret: [UInt8]) -> [[UInt8]] {
    var spellings: [[UInt8]] = []
    for plain in readings(of: secret) {
      add(plain, to: &spellings)
      guard plain.count <= longest else { continue }
      if plain.contains(where: { !isPlain($0) }) { addEscaped(plain, to: &spellings) }
      addBase64(plain, to: &spellings)
      addOtherLetters(plain, to: &spellings)
    }
    return spellings
  }

  /// Longer secrets are searched for only as they are.
  private static let longest = 4096

  private static func add(_ spelling: [UInt8], to spellings: inout [[UInt8]]) {
    if spelling.count >= EchoMatcher.shortest, !spellings.contains(spelling) { spellings.append(spelling) }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    TokenShapes.isWord(byte) || byte == UInt8(ascii: ".")
  }

  // MARK: What was found

  /// The secret, and its unescaped form if it was escaped.
  private static func readings(of secret: [UInt8]) -> [[UInt8]] {
    var readings = [secret]
    if secret.contains(UInt8(ascii: "%")) || secret.contains(UInt8(ascii: "+")) {
      var decoded: [UInt8] = []
      PercentEncoding.append(decoding: secret.span, isForm: true, to: &decoded)
      readings.append(decoded)
    }
    if secret.contains(UInt8(ascii: "\\")), let text = unescaped(secret) { readings.append(text) }
    return readings
  }

  private static func unescaped(_ secret: [UInt8]) -> [UInt8]? {
    let quote = [UInt8(ascii: "\"")]
    guard case .string(let text)? = try? HARValue(json: (quote + secret + quote).span) else { return nil }
    return Array(text.utf8)
  }

  // MARK: Escapes

  private static func addEscaped(_ plain: [UInt8], to spellings: inout [[UInt8]]) {
    var encoded: [UInt8] = []
    PercentEncoding.append(plain.span, keeping: .unreserved, to: &encoded)
    add(encoded, to: &spellings)
    add(
      encoded.map { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) ? $0 | 0x20 : $0 }, isPercentEncoded: encoded,
      to: &spellings)
    // `encodeURIComponent` and forms leave some punctuation unescaped.
    add(percentEncoded(plain, keeping: .unreserved.union("!'()*"), blank: "%20"), to: &spellings)
    add(percentEncoded(plain, keeping: .unreserved.union("*"), blank: "+"), to: &spellings)
    add(percentEncoded(plain, keeping: .uri, blank: "%20"), to: &spellings)
    let json = jsonEscaped(plain, escapes: [])
    add(json, to: &spellings)
    add(jsonEscaped(plain, escapes: Array("/".utf8)), to: &spellings)
    add(jsonEscaped(plain, escapes: Array("<>&".utf8)), to: &spellings)
    add(jsonEscaped(json, escapes: []), to: &spellings)
    if let text = String(validating: plain, as: UTF8.self) {
      add(Array(ascii(text).utf8), to: &spellings)
    }
    add(markup(plain, apostrophe: "&#39;", quote: "&quot;"), to: &spellings)
    add(markup(plain, apostrophe: "&#x27;", quote: "&#34;"), to: &spellings)
  }

  /// Lower-case digits after each `%`, other letters unchanged.
  private static func add(_ lowered: [UInt8], isPercentEncoded encoded: [UInt8], to spellings: inout [[UInt8]]) {
    var result = encoded
    for index in encoded.indices where encoded[index] == UInt8(ascii: "%") {
      for place in index + 1..<min(index + 3, encoded.count) { result[place] = lowered[place] }
    }
    add(result, to: &spellings)
  }

  private static func percentEncoded(_ plain: [UInt8], keeping kept: ByteSet, blank: StaticString) -> [UInt8] {
    var output: [UInt8] = []
    for byte in plain {
      if byte == 0x20 {
        output += blank.description.utf8
      } else {
        PercentEncoding.append([byte].span, keeping: kept, to: &output)
      }
    }
    return output
  }

  private static func jsonEscaped(_ plain: [UInt8], escapes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    for byte in plain {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0x0A: output += Array("\\n".utf8)
      case 0x0D: output += Array("\\r".utf8)
      case 0x09: output += Array("\\t".utf8)
      case UInt8(ascii: "/") where escapes.contains(byte): output += Array("\\/".utf8)
      case _ where escapes.contains(byte):
        output += Array("\\u00".utf8)
        output.append(Hexadecimal.digit(byte >> 4))
        output.append(Hexadecimal.digit(byte & 0xF))
      default: output.append(byte)
      }
    }
    return output
  }

  /// Characters beyond ASCII as `\u00e9`, as Python writes JSON.
  private static func ascii(_ text: String) -> String {
    var output = ""
    for unit in text.utf16 {
      if unit < 0x80, let scalar = Unicode.Scalar(UInt32(unit)) {
        output.unicodeScalars.append(scalar)
      } else {
        output += "\\u" + Hexadecimal.text(of: unit, digits: 4)
      }
    }
    return output
  }

  private static func markup(_ plain: [UInt8], apostrophe: StaticString, quote: StaticString) -> [UInt8] {
    var output: [UInt8] = []
    for byte in plain {
      switch byte {
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case UInt8(ascii: "\""): output += quote.description.utf8
      case UInt8(ascii: "'"): output += apostrophe.description.utf8
      default: output.append(byte)
      }
    }
    return output
  }

  // MARK: Other letters

  /// In capitals, in small letters, and in hexadecimal digits.
  private static func addOtherLetters(_ plain: [UInt8], to spellings: inout [[UInt8]]) {
    let small = plain.map { Byte.lowercased($0) }
    add(small, to: &spellings)
    add(plain.map { Byte.isLowercase($0) ? $0 & ~0x20 : $0 }, to: &spellings)
    let digits = Array(Hexadecimal.text(of: plain).utf8)
    add(digits, to: &spellings)
    add(digits.map { Byte.isLowercase($0) ? $0 & ~0x20 : $0 }, to: &spellings)
  }

  // MARK: Base64

  /// The base64 letters that depend on the secret alone, for each of the three offsets within a group at which it may begin.
  private static func addBase64(_ plain: [UInt8], to spellings: inout [[UInt8]]) {
    for shift in 0..<3 {
      let letters = Array(Base64.encode(([UInt8](repeating: 0, count: shift) + plain).span).utf8)
      let first = (8 * shift + 5) / 6
      let end = 8 * (shift + plain.count) / 6
      let inner = Array(letters[first..<end])
      add(inner, to: &spellings)
      add(
        inner.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 },
        to: &spellings)
    }
  }
}
