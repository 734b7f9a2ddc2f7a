/// A line of `Tests/Fixtures/urls/authorities.tsv`: a URL, and the destination that it names.
package struct CorpusURL: Sendable {
  /// The destination of a request for a URL.
  package struct Place: Sendable, Hashable, CustomStringConvertible {
    /// In lower case, without brackets.
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
      self.host = host
      self.port = port
    }

    package var description: String { "\(host) at \(port)" }
  }

  package let text: String
  /// `nil` if the URL does not name a host that a request can be sent to.
  package let place: Place?

  /// All lines.
  package static func all() throws(TestSupportError) -> [CorpusURL] {
    let lines = try readText("\(repositoryRoot)/Tests/Fixtures/urls/authorities.tsv").split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    return lines.map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map { Self.unescaped($0) }
      guard columns.count == 3, let port = Int(columns[2]) else { return CorpusURL(text: columns[0], place: nil) }
      return CorpusURL(text: columns[0], place: Place(host: columns[1], port: port))
    }
  }

  /// The text between `://` and the next slash, question mark or number sign.
  package var authority: String? {
    guard let start = text.utf8.firstRange(of: "://".utf8)?.upperBound else { return nil }
    return String(text[start...].unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) })
  }

  /// `\x41` is a byte, `\\` a backslash, and a lone `\x` is empty.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      guard kind == UInt8(ascii: "x") else {
        bytes.append(kind)
        continue
      }
      if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
