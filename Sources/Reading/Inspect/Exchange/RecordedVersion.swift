package import TapelineHAR

/// A version of HTTP in a log, whose programs spell it in many ways: `HTTP/2`, `HTTP/2.0`, `http/2.0`, `h2`.
package struct RecordedVersion: Hashable, Sendable {
  /// As the log has it.
  let spelling: String
  /// `1`, `1.1`, `2`, `3`; `nil` for what is not a version of HTTP.
  package let number: Double?

  package init(_ spelling: String) {
    self.spelling = spelling
    number = Self.number(spelling.lowercased())
  }

  /// `HTTP/2` for all its spellings; what is not a version stays as it is.
  package var name: String {
    guard let number else { return spelling }
    return number == number.rounded() && number > 1 ? "HTTP/\(Int(number))" : "HTTP/\(fixed(number, decimals: 1))"
  }

  /// The version of the response, else of the request; `nil` if the log has none.
  package init?(_ entry: HAREntry) {
    let versions = [entry.response.httpVersion, entry.request.httpVersion].map { RecordedVersion($0) }
    guard let version = versions.first(where: { $0.number != nil }) else { return nil }
    self = version
  }

  private static func number(_ text: String) -> Double? {
    switch text {
    // ALPN's names (RFC 9113 3.2), as Chrome writes them. Drafts of HTTP/3 had a number: `h3-29`.
    case "h2", "h2c": return 2
    case _ where text == "h3" || text.hasPrefix("h3-"): return 3
    case _: break
    }
    guard text.hasPrefix("http/") else { return nil }
    let digits = text.dropFirst("http/".count)
    guard digits.count <= 3, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
    return Double(digits)
  }
}
