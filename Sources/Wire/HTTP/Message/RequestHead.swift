internal import TapelineBase

/// A request's head: its meaning, and the exact bytes that came.
package struct RequestHead: Sendable {
  package let method: HTTPMethod
  package let target: RequestTarget
  package let version: HTTPVersion
  /// Deviations from the grammar that were understood nevertheless. Beside the version there is room for them: a head of more
  /// than 128 bytes is copied by a call.
  package let anomalies: HeadAnomalies
  package let fields: HeaderFields
  /// Bytes on the wire, including the final empty line and excluding an empty line before the head. In HTTP/2: of the header
  /// block.
  package let size: Int
  private let targetBytes: ByteRange

  /// `fields` are in the head's bytes, which begin with the method.
  init(
    method: HTTPMethod, target: RequestTarget, version: HTTPVersion, fields: HeaderFields, size: Int, targetRange: Range<Int>,
    anomalies: HeadAnomalies = []
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    self.size = size
    self.anomalies = anomalies
    targetBytes = ByteRange(targetRange)
  }

  /// Makes a head of our own. It passes the checks of a received head, except for `Host`, which is added when it is forwarded.
  package init(
    method: HTTPMethod, target: String, version: HTTPVersion = .http11, fields: HeaderFields = HeaderFields()
  ) throws(HTTPParseError) {
    try self.init(method: method, target: Array(target.utf8), version: version, fields: fields)
  }

  /// A head that came in HTTP/2, whose lines have passed the rules of RFC 9113 8.2: these are stricter than those of HTTP/1.1, so
  /// only the target is read. It has no request line.
  ///
  /// - Parameters: - target: its place in the bytes of `fields`, after the lines. - size: of the header block on the wire.
  package init(
    http2 method: HTTPMethod, checked fields: HeaderFields, target: Range<Int>, size: Int, anomalies: HeadAnomalies = []
  ) throws(HTTPParseError) {
    let bytes = fields.bytes
    guard bytes.span.extracting(target).isVisible else { throw HTTPParseError(.invalidTarget, in: .request) }
    // An extended CONNECT has the target of any other method (RFC 8441 4).
    let isExtendedConnect = method == .connect && bytes.span.extracting(target).first(of: Byte.slash) != nil
    let parsed = try RequestTargetParser.parse(bytes, target, method: isExtendedConnect ? .get : method)
    self.init(
      method: method, target: parsed, version: .http2, fields: fields, size: size, targetRange: target, anomalies: anomalies)
  }

  /// The same with the bytes of a target, which need not be UTF-8.
  ///
  /// - Parameter size: on the wire, for a head that came in HTTP/2: that of its header block.
  package init(
    method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HeaderFields = HeaderFields(), size: Int? = nil
  ) throws(HTTPParseError) {
    guard method.rawValue.utf8.allSatisfy(ByteSet.token.contains) else { throw HTTPParseError(.invalidMethod, in: .request) }
    guard target.span.isVisible else { throw HTTPParseError(.invalidTarget, in: .request) }
    // The parser reads HTTP/1. An extended CONNECT has the target of any other method (RFC 8441 4).
    let isExtendedConnect = version >= .http2 && method == .connect && target.contains(Byte.slash)
    let parsedMethod = isExtendedConnect ? HTTPMethod.get : method
    let parsedVersion = min(version, .http11)
    let startLine = Array("\(parsedMethod.rawValue) ".utf8) + target + Array(" \(parsedVersion.text)\r\n".utf8)
    let bytes = HeaderFields(startLine: startLine, fields: fields).bytes
    let parsed = try HeadParser.request(bytes, lineCount: fields.count + 2, needsHost: false)
    self.init(
      method: method, target: parsed.target, version: version, fields: parsed.fields, size: size ?? parsed.size,
      targetRange: parsed.targetRange)
  }

  /// The head as it came, up to `size`; the bytes beyond belong to the fields.
  var bytes: [UInt8] { fields.bytes }

  private var targetRange: Range<Int> { targetBytes.range }

  /// The target exactly as it came, userinfo and fragment included: not for logs.
  package var targetText: String { String(bytes: bytes.span.extracting(targetRange)) }

  /// The same in its bytes.
  package func withTarget<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(targetRange))
  }

  /// Appends the target for the origin: origin-form of what came, or `*`.
  package func appendOriginForm(into output: inout [UInt8]) {
    switch target {
    case .absolute(let absolute): absolute.appendOriginForm(method: method, into: &output)
    case .origin:
      let fragment = targetRange.first { bytes[$0] == UInt8(ascii: "#") }
      output.append(targetRange.lowerBound..<(fragment ?? targetRange.upperBound), of: bytes)
    case .authority, .asterisk: output.append(targetRange, of: bytes)
    }
  }

  /// The host that the request names, without brackets: its target's, otherwise that of `Host` (RFC 9110 7.2), or `nil`.
  package var namedHost: String? {
    switch target {
    case .absolute(let target): return target.host
    case .authority(let host, _): return host
    case .origin, .asterisk:
      guard let index = fields.firstIndex(of: .host),
        let authority = AuthorityParts(in: fields.bytes.span, fields.valueRange(at: index))
      else { return nil }
      return String(bytes: fields.bytes.span.extracting(authority.host))
    }
  }

  /// How many more proxies may forward this TRACE or OPTIONS request (RFC 9110 7.6.2); `nil` if the field has no meaning or its
  /// value is not a number. A value beyond 64 bits counts as the largest that we can hold.
  package var maxForwards: UInt64? {
    guard method == .trace || method == .options, let index = fields.firstIndex(of: .maxForwards) else { return nil }
    let digits = fields.bytes.span.extracting(fields.valueRange(at: index))
    guard !digits.isEmpty else { return nil }
    var hops: UInt64 = 0
    for index in digits.indices {
      guard Byte.isDigit(digits[index]) else { return nil }
      hops = hops > (UInt64.max - 9) / 10 ? .max : hops * 10 + UInt64(digits[index] - UInt8(ascii: "0"))
    }
    return hops
  }

  /// The expectation of the client before it sends the body (RFC 9110 10.1.1). HTTP/1.0 has none: the field is ignored there.
  package var expectation: Expectation {
    guard version >= .http11, fields.contains(.expect) else { return .none }
    let values = fields.values(of: .expect)
    return values.count == 1 && values[0].lowercased() == "100-continue" ? .continue : .unknown
  }

  package enum Expectation: Hashable, Sendable {
    case none
    case `continue`
    /// An unknown expectation: 417.
    case unknown
  }
}
