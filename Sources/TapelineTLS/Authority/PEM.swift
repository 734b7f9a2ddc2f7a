internal import TapelineText

/// The text form of certificates and keys (RFC 7468).
enum PEM {
  private static let lineLength = 64
  private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
  private static let end = Array("-----END CERTIFICATE-----".utf8)

  static func text(label: String, der: [UInt8]) -> String {
    var text = "-----BEGIN \(label)-----\n"
    var rest = Base64.encode(der)[...]
    while !rest.isEmpty {
      text += rest.prefix(lineLength) + "\n"
      rest = rest.dropFirst(lineLength)
    }
    return text + "-----END \(label)-----\n"
  }

  /// The certificates in `text`, each from its BEGIN line to its END line without the final line break; comments, keys and
  /// unterminated certificates are left out.
  static func certificates(in text: [UInt8]) -> [ArraySlice<UInt8>] {
    var certificates: [ArraySlice<UInt8>] = []
    var start: Int?
    var position = 0
    while position < text.count {
      let lineEnd = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      let line = text[position..<lineEnd]
      if line.starts(with: begin) {
        start = position
      } else if let first = start, line.starts(with: end) {
        certificates.append(text[first..<(position + end.count)])
        start = nil
      }
      position = lineEnd + 1
    }
    return certificates
  }
}
