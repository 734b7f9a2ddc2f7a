/// A response's head: its meaning, and the exact bytes that came.
package struct ResponseHead: Sendable {
  package let status: Int
  package let version: HTTPVersion
  package let fields: HeaderFields
  /// Bytes on the wire, including the final empty line. In HTTP/2: of the header block.
  package let size: Int
  /// Deviations from the grammar that were understood nevertheless.
  package private(set) var anomalies: HeadAnomalies
  private let reasonBytes: ByteRange

  /// `fields` are in the head's bytes, which begin with the version.
  init(
    status: Int, version: HTTPVersion, fields: HeaderFields, size: Int, anomalies: HeadAnomalies, reasonRange: Range<Int>
  ) {
    self.status = status
    self.version = version
    self.fields = fields
    self.size = size
    self.anomalies = anomalies
    reasonBytes = ByteRange(reasonRange)
  }

  /// Makes a head of our own; the phrase is the registered one unless given.
  ///
  /// - Parameter size: on the wire, for a head that came in HTTP/2: that of its header block.
  package init(
    status: Int, reason: String? = nil, version: HTTPVersion = .http11, fields: HeaderFields = HeaderFields(), size: Int? = nil
  ) {
    var startLine: [UInt8] = []
    HeadSerializer.appendStatusLine(status: status, reason: reason, into: &startLine)
    let reasonRange = "HTTP/1.1 200 ".utf8.count..<startLine.count - 2
    let own = HeaderFields(startLine: startLine, fields: fields)
    self.init(
      status: status, version: version, fields: own, size: size ?? own.bytes.count, anomalies: [], reasonRange: reasonRange)
  }

  /// A head that came in HTTP/2, which has no status line: its lines, which have passed the rules of RFC 9113 8.2.
  ///
  /// - Parameter size: of the header block on the wire.
  package init(http2 status: Int, checked fields: HeaderFields, size: Int, anomalies: HeadAnomalies = []) {
    self.init(status: status, version: .http2, fields: fields, size: size, anomalies: anomalies, reasonRange: 0..<0)
  }

  /// The content that followed was ended by a connection without close_notify.
  package mutating func noteMissingCloseNotify() {
    anomalies.insert(.missingCloseNotify)
  }

  /// The head as it came, up to `size`; the bytes beyond belong to the fields.
  var bytes: [UInt8] { fields.bytes }

  var reasonRange: Range<Int> { reasonBytes.range }

  /// The phrase as it came; empty if none came.
  package var reason: String { String(bytes: bytes.span.extracting(reasonRange)) }
}

/// A deviation in a head that was understood nevertheless: mended, or passed on.
package struct HeadAnomalies: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Not the standard library's: to another module that is generic code, hundreds of instructions for `[]`.
  package init(arrayLiteral elements: HeadAnomalies...) {
    rawValue = elements.reduce(0) { $0 | $1.rawValue }
  }

  /// A line ended with only LF (RFC 9112 2.2).
  package static let bareLineFeed = HeadAnomalies(rawValue: 1 << 0)
  /// A value continued over several lines (RFC 9112 5.2); the folds are read as SP.
  package static let lineFolding = HeadAnomalies(rawValue: 1 << 1)
  /// There were blanks between a name and its colon (RFC 9112 5.1).
  package static let blankBeforeColon = HeadAnomalies(rawValue: 1 << 2)
  /// The status line ended right after the status code (RFC 9112 4).
  package static let missingSpaceAfterStatus = HeadAnomalies(rawValue: 1 << 3)
  /// Content that the end of the connection ends was followed by a bare FIN, without close_notify (RFC 9112 9.8).
  package static let missingCloseNotify = HeadAnomalies(rawValue: 1 << 8)

  /// The same length stands in several lines (RFC 9112 6.3); they are passed on.
  package static let repeatedContentLength = HeadAnomalies(rawValue: 1 << 4)
  /// A value of HTTP/2 begins or ends with a blank (RFC 9113 8.2.1); it is passed on.
  package static let blankAroundValue = HeadAnomalies(rawValue: 1 << 5)
  /// A value holds a control byte other than HTAB (RFC 9110 5.5); it is passed on.
  package static let controlInValue = HeadAnomalies(rawValue: 1 << 6)
  /// The name of a field is not a token (RFC 9110 5.1); it is passed on, except to HTTP/2.
  package static let oddFieldName = HeadAnomalies(rawValue: 1 << 7)

  /// The deviations that a response head in HTTP/1 may have: all clients that take it read the same.
  static let inResponses: HeadAnomalies = [.bareLineFeed, .lineFolding, .blankBeforeColon, .controlInValue, .oddFieldName]

  /// One sentence for each.
  package func descriptions(of part: HTTPParseError.Part) -> [String] {
    let message = part == .request ? "request" : "response"
    let texts: [(HeadAnomalies, String)] = [
      (.bareLineFeed, "A line of the \(message) head ended with a bare LF (RFC 9112 2.2)."),
      (.lineFolding, "A field value was folded over several lines (RFC 9112 5.2)."),
      (.blankBeforeColon, "Blanks stood between a field name and its colon (RFC 9112 5.1)."),
      (.missingSpaceAfterStatus, "No space followed the status code (RFC 9112 4)."),
      (.repeatedContentLength, "Content-Length came more than once in the \(message), with one value (RFC 9112 6.3)."),
      (.controlInValue, "A field value of the \(message) held a control character (RFC 9110 5.5)."),
      (.oddFieldName, "The name of a field of the \(message) was no token (RFC 9110 5.1)."),
      (.blankAroundValue, "A field value of the \(message) began or ended with a blank (RFC 9113 8.2.1)."),
      (.missingCloseNotify, "The connection ended without close_notify, so content may be missing (RFC 9112 9.8)."),
    ]
    return texts.filter { contains($0.0) }.map(\.1)
  }
}
