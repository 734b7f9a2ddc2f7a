package import TapelineHTTP
internal import TapelineBase

/// A response's head, interim or final, that has passed the rules of RFC 9113 8.2 and 8.3. An object, as a request's head is.
package final class HTTP2ResponseHead: Sendable {
  package let status: Int
  /// The lines that are not pseudo-fields, as they came.
  package let fields: HeaderFields
  package let contentLength: UInt64?
  /// All lines as they came.
  package let list: HTTP2HeaderList
  /// Bytes of the header block on the wire: compressed, without padding and frame headers.
  package let wireSize: Int
  /// Deviations from the rules that were understood nevertheless.
  let anomalies: HeadAnomalies

  package init(_ list: HTTP2HeaderList, wireSize: Int = 0) throws(HTTP2Violation.Malformation) {
    var rules = HTTP2FieldRules(.response)
    try rules.read(list)
    anomalies = rules.anomalies
    guard let digits = rules.value(of: .status, in: list) else { throw .missingPseudoField }
    guard let status = Self.status(list.bytes.span.extracting(digits)) else { throw .invalidStatus }
    // RFC 9113 8.6: HTTP/2 has no upgrade.
    guard status != 101 else { throw .switchingProtocols }
    self.status = status
    fields = rules.fields
    contentLength = try HTTP2FieldRules.contentLength(of: fields, in: .response)
    self.list = list
    self.wireSize = wireSize
  }

  package var isInterim: Bool { HTTPStatus.isInformational(status) }

  /// Three digits, at least 100.
  private static func status(_ digits: Span<UInt8>) -> Int? {
    guard digits.count == 3 else { return nil }
    var status = 0
    for index in digits.indices {
      guard Byte.isDigit(digits[index]) else { return nil }
      status = status * 10 + Int(digits[index] - UInt8(ascii: "0"))
    }
    return status >= 100 ? status : nil
  }
}

/// A trailer section that has passed the rules of RFC 9113 8.2: no pseudo-fields, no framing, no routing.
package struct HTTP2Trailers: Sendable {
  package let fields: HeaderFields
  /// All lines as they came.
  package let list: HTTP2HeaderList
  /// Bytes of the header block on the wire: compressed, without padding and frame headers.
  package let wireSize: Int

  package init(
    _ list: HTTP2HeaderList, wireSize: Int = 0, tolerating tolerance: Tolerance = []
  ) throws(HTTP2Violation.Malformation) {
    var rules = HTTP2FieldRules(.trailers, tolerating: tolerance)
    try rules.read(list)
    fields = rules.fields
    self.list = list
    self.wireSize = wireSize
  }
}
