/// A regular expression from a file of rules.
///
/// The cost of the expression is its author's responsibility, except for long text: the expression sees only pieces of it, so
/// that quadratic time does not become quadratic in the size of a body.
struct UserPattern {
  private let regex: Regex<AnyRegexOutput>

  private static let pieceSize = 1 << 16
  /// The overlap of two pieces: a match up to this length is found anywhere.
  private static let overlap = 1 << 12

  /// - Precondition: a valid expression.
  init(_ pattern: String) {
    do {
      regex = try Regex(pattern)
    } catch {
      preconditionFailure("a pattern is compiled once before it is taken into the rules")
    }
  }

  /// The matches, or their first group; in order. Invalid UTF-8 is read as ISO 8859-1.
  func secrets(in bytes: [UInt8]) -> [Range<Int>] {
    var secrets: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.pieceSize, bytes.count)
      let isLast = end == bytes.count
      let next = isLast ? end : end - Self.overlap
      var matchedEnd = start
      for (match, secret) in matches(in: bytes[start..<end]) where isLast || match.lowerBound < next {
        if !secret.isEmpty { secrets.append(secret) }
        matchedEnd = match.upperBound
      }
      start = max(next, matchedEnd)
    }
    return secrets
  }

  private func matches(in bytes: ArraySlice<UInt8>) -> [(match: Range<Int>, secret: Range<Int>)] {
    let start = bytes.startIndex
    if let text = String(validating: bytes, as: UTF8.self) {
      let utf8 = text.utf8
      return matches(in: text) { start + utf8.distance(from: utf8.startIndex, to: $0) }
    }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    let scalars = text.unicodeScalars
    return matches(in: text) { start + scalars.distance(from: scalars.startIndex, to: $0) }
  }

  private func matches(
    in text: String, place: (String.Index) -> Int
  ) -> [(match: Range<Int>, secret: Range<Int>)] {
    text.matches(of: regex).map { match in
      let secret = match.output.count > 1 ? match.output[1].range ?? match.range : match.range
      return (
        place(match.range.lowerBound)..<place(match.range.upperBound), place(secret.lowerBound)..<place(secret.upperBound)
      )
    }
  }
}
