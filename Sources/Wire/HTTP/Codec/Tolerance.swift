/// The rules that a user has lifted: messages that two readers could take for different ones are refused otherwise.
///
/// The framing of a tolerated message goes on as tapeline has read it.
package struct Tolerance: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Not the standard library's: to another module that is generic code, hundreds of instructions for `[]`.
  package init(arrayLiteral elements: Tolerance...) {
    rawValue = elements.reduce(0) { $0 | $1.rawValue }
  }

  /// Transfer-Encoding beside Content-Length (RFC 9112 6.3): the length does not count, and goes no further.
  package static let bothFramings = Tolerance(rawValue: 1 << 0)
  /// `chunked` named more than once (RFC 9112 6.1): the content is chunked once.
  package static let repeatedChunked = Tolerance(rawValue: 1 << 1)
  /// Transfer-Encoding in HTTP/1.0 (RFC 9112 6.1): it counts.
  package static let transferEncodingInHTTP10 = Tolerance(rawValue: 1 << 2)
  /// Lines of a request, of chunks and of trailers that end with LF alone (RFC 9112 2.2).
  package static let bareLineFeed = Tolerance(rawValue: 1 << 3)
  /// Folded values in requests (RFC 9112 5.2): each fold is a space.
  package static let lineFolding = Tolerance(rawValue: 1 << 4)
  /// Blanks between a name and its colon in requests (RFC 9112 5.1): they are removed.
  package static let blankBeforeColon = Tolerance(rawValue: 1 << 5)
  /// A CR that no LF follows (RFC 9112 2.2): it is a space.
  package static let bareCarriageReturn = Tolerance(rawValue: 1 << 7)
  /// Blanks and bytes beyond ASCII in the names of a response's fields (RFC 9110 5.1): some clients end the head there.
  package static let oddFieldName = Tolerance(rawValue: 1 << 8)
  /// `Content_Length` and `Transfer_Encoding` in requests, which some servers take for the fields with hyphens.
  package static let underscoreFraming = Tolerance(rawValue: 1 << 6)

  /// Each with the refusal that it lifts, whose name is its own.
  package static let all: [(refusal: HTTPParseError.Kind, tolerance: Tolerance)] = [
    (.bothFramings, .bothFramings), (.repeatedChunked, .repeatedChunked),
    (.transferEncodingInHTTP10, .transferEncodingInHTTP10), (.bareLineFeed, .bareLineFeed), (.lineFolding, .lineFolding),
    (.blankBeforeColon, .blankBeforeColon), (.underscoreFraming, .underscoreFraming),
    (.bareCarriageReturn, .bareCarriageReturn), (.oddFieldName, .oddFieldName),
  ]

  /// The rules of these names; `nil` if one of them is not a rule's.
  package init?(names: [String]) {
    self = []
    for name in names {
      guard let rule = Self.all.first(where: { $0.refusal.rawValue == name }) else { return nil }
      insert(rule.tolerance)
    }
  }

  /// The deviations that it allows in the lines of a request's head.
  var allowed: HeadAnomalies {
    var allowed: HeadAnomalies = []
    if contains(.bareLineFeed) { allowed.insert(.bareLineFeed) }
    if contains(.lineFolding) { allowed.insert(.lineFolding) }
    if contains(.blankBeforeColon) { allowed.insert(.blankBeforeColon) }
    return allowed
  }
}
