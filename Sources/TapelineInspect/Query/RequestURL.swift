internal import TapelineText

/// The parts of an absolute URL that queries ask for, without unescaping anything.
package struct RequestURL: Hashable, Sendable {
  /// In lower case.
  package let scheme: String
  /// In lower case, without brackets and userinfo; otherwise unchanged.
  package let host: String
  private let writtenPort: UInt16?
  private let pathText: Substring

  /// `nil` when the text is not an absolute URL, or is ambiguous.
  ///
  /// Accepts bytes that a URI must percent-encode: other programs log them.
  package init?(_ text: String) {
    let ranges = URIRanges(text)
    guard let scheme = ranges.scheme, let range = ranges.authority,
      let authority = Authority(text.utf8.span, in: range, leniency: .unencodedBytes)
    else { return nil }
    self.scheme = text[utf8: scheme].withoutCapitals
    host = authority.host
    writtenPort = authority.port
    pathText = text[utf8: ranges.path]
  }

  /// The written port, else the default port of the scheme.
  package var port: Int? { writtenPort.map { Int($0) } ?? Self.defaultPorts[scheme] }
  /// The part before the query; `/` when empty.
  package var path: String { pathText.isEmpty ? "/" : String(pathText) }

  private static let defaultPorts = ["http": 80, "ws": 80, "https": 443, "wss": 443]
}
