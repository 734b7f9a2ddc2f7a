internal import TapelineBase

/// Reads a complete head: the start line here, the fields with `FieldLineParser`, then the rules that connect them.
enum HeadParser {
  /// `bytes` are one request head, from the first byte of its method to its empty line (RFC 9112 3).
  static func request(
    _ bytes: [UInt8], lineCount: Int, needsHost: Bool = true, tolerating tolerance: Tolerance = []
  ) throws(HTTPParseError) -> RequestHead {
    let line = bytes.span
    let methodEnd = line.firstNonToken(from: 0)
    guard line[methodEnd] == Byte.space else {
      throw HTTPParseError(isLineEnd(line[methodEnd]) ? .invalidRequestLine : .invalidMethod, in: .request)
    }
    guard methodEnd > 0 else { throw HTTPParseError(.invalidMethod, in: .request) }

    let targetStart = methodEnd + 1
    var targetEnd = targetStart
    while isTargetByte(line[targetEnd]) { targetEnd += 1 }
    guard line[targetEnd] == Byte.space, targetEnd > targetStart else {
      let isLineTooShort = targetEnd == targetStart || isLineEnd(line[targetEnd])
      throw HTTPParseError(isLineTooShort ? .invalidRequestLine : .invalidTarget, in: .request)
    }

    var position = targetEnd + 1
    guard let version = version(line, at: &position) else { throw HTTPParseError(.invalidVersion, in: .request) }
    guard version.major == 1 else { throw HTTPParseError(.unsupportedVersion, in: .request) }
    let method = HTTPMethod(token: line.extracting(0..<methodEnd))
    // CONNECT has no content and its head ends here: no other reader sees its lines.
    let allowed = method == .connect ? tolerance.allowed.union(.bareLineFeed) : tolerance.allowed
    var parser = FieldLineParser(
      bytes, in: .request, allowing: allowed.union(.controlInValue), tolerating: tolerance, lineCount: lineCount)
    try parser.skipRequestLineEnd(at: &position)
    let target = try RequestTargetParser.parse(bytes, targetStart..<targetEnd, method: method)
    let fields = try parser.parse(from: position)
    try checkHost(fields, isRequired: needsHost && version >= .http11)
    return RequestHead(
      method: method, target: target, version: version, fields: fields, size: bytes.count,
      targetRange: targetStart..<targetEnd, anomalies: parser.anomalies)
  }

  /// `bytes` are one response head, from its version to its empty line (RFC 9112 4).
  static func response(
    _ bytes: [UInt8], lineCount: Int, tolerating tolerance: Tolerance = []
  ) throws(HTTPParseError) -> ResponseHead {
    let line = bytes.span
    var anomalies: HeadAnomalies = []
    var position = 0
    guard let version = version(line, at: &position) else { throw HTTPParseError(.invalidVersion, in: .response) }
    guard version.major == 1 else { throw HTTPParseError(.unsupportedVersion, in: .response) }
    guard line[position] == Byte.space, let status = status(line, at: position + 1) else {
      throw HTTPParseError(.invalidStatusLine, in: .response)
    }
    position += 4

    if line[position] == Byte.space {
      position += 1
    } else if isLineEnd(line[position]) {
      anomalies.insert(.missingSpaceAfterStatus)
    } else {
      throw HTTPParseError(.invalidStatusLine, in: .response)
    }
    let reasonStart = position
    position = line.firstControl(from: position)
    let reason = reasonStart..<position
    if line[position] == Byte.carriageReturn {
      guard line[position + 1] == Byte.lineFeed else { throw HTTPParseError(.bareCarriageReturn, in: .response) }
      position += 2
    } else {
      guard line[position] == Byte.lineFeed else { throw HTTPParseError(.invalidStatusLine, in: .response) }
      anomalies.insert(.bareLineFeed)
      position += 1
    }

    var parser = FieldLineParser(
      bytes, in: .response, allowing: .inResponses, tolerating: tolerance, lineCount: lineCount, anomalies: anomalies)
    let fields = try parser.parse(from: position)
    return ResponseHead(
      status: status, version: version, fields: fields, size: bytes.count, anomalies: parser.anomalies,
      reasonRange: reason)
  }

  /// `bytes` are a trailer section with at least one field (RFC 9112 7.1.2). The parser is strict on both sides, but for what is
  /// tolerated.
  static func trailers(
    _ bytes: [UInt8], lineCount: Int, in part: HTTPParseError.Part, tolerating tolerance: Tolerance = []
  ) throws(HTTPParseError) -> HeaderFields {
    var parser = FieldLineParser(bytes, in: part, allowing: tolerance.allowed, tolerating: tolerance, lineCount: lineCount)
    return try parser.parse(from: 0)
  }

  /// RFC 9112 3.2: one Host in HTTP/1.1, at most one in 1.0; it must always be valid.
  private static func checkHost(_ fields: HeaderFields, isRequired: Bool) throws(HTTPParseError) {
    guard let first = fields.firstIndex(of: .host) else {
      if isRequired { throw HTTPParseError(.missingHost, in: .request) }
      return
    }
    for index in first + 1..<fields.count where fields.knownName(at: index) == .host {
      throw HTTPParseError(.severalHosts, in: .request)
    }
    guard let authority = AuthorityParts(in: fields.bytes.span, fields.valueRange(at: first)), !authority.hasUserinfo else {
      throw HTTPParseError(.invalidHost, in: .request)
    }
  }

  private static func isTargetByte(_ byte: UInt8) -> Bool {
    byte > Byte.space && byte != Byte.delete
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == Byte.carriageReturn || byte == Byte.lineFeed
  }

  /// `HTTP/` DIGIT `.` DIGIT, case-sensitive (RFC 9112 2.3). Leaves `position` after it.
  private static func version(_ bytes: Span<UInt8>, at position: inout Int) -> HTTPVersion? {
    let prefix = "HTTP/".utf8.span
    guard position + 8 <= bytes.count, bytes.extracting(position..<position + 5).equals(prefix),
      Byte.isDigit(bytes[position + 5]), bytes[position + 6] == UInt8(ascii: "."), Byte.isDigit(bytes[position + 7])
    else { return nil }
    let zero = UInt8(ascii: "0")
    let version = HTTPVersion(major: bytes[position + 5] - zero, minor: bytes[position + 7] - zero)
    position += 8
    return version
  }

  /// Three digits, at least 100 (RFC 9110 15). Codes above 599, which some origins send, are forwarded.
  private static func status(_ bytes: Span<UInt8>, at start: Int) -> Int? {
    guard start + 3 < bytes.count else { return nil }
    var status = 0
    for index in start..<start + 3 {
      guard Byte.isDigit(bytes[index]) else { return nil }
      status = status * 10 + Int(bytes[index] - UInt8(ascii: "0"))
    }
    return status >= 100 ? status : nil
  }
}
