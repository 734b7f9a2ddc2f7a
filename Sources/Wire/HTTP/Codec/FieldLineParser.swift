internal import TapelineBase

/// Reads the field lines of a head or trailer section (RFC 9112 5).
struct FieldLineParser {
  private let bytes: [UInt8]
  private let part: HTTPParseError.Part
  /// The deviations that are understood: mended, or passed on.
  private let allowed: HeadAnomalies
  private let tolerance: Tolerance
  private let lineCount: Int
  private var knownNames = FieldNameSet()
  private(set) var anomalies: HeadAnomalies
  /// Values that were folded, joined by SP; they will follow `bytes`.
  private var unfolded: [UInt8] = []

  /// `bytes` end with an empty line, which the scanner has found.
  init(
    _ bytes: [UInt8], in part: HTTPParseError.Part, allowing allowed: HeadAnomalies, tolerating tolerance: Tolerance = [],
    lineCount: Int, anomalies: HeadAnomalies = []
  ) {
    self.bytes = bytes
    self.part = part
    self.allowed = allowed
    self.tolerance = tolerance
    self.anomalies = anomalies
    self.lineCount = lineCount
  }

  /// Reads all lines from `start` to the empty line.
  mutating func parse(from start: Int) throws(HTTPParseError) -> HeaderFields {
    let bytes = bytes
    var position = start
    var lines: [FieldLine] = []
    lines.reserveCapacity(lineCount)
    while let line = try parseLine(bytes.span, at: &position, isFirst: lines.isEmpty) { lines.append(line) }
    return HeaderFields(bytes: bytes, lines: lines, knownNames: knownNames, more: unfolded)
  }

  /// Moves past the end of the request line, which is there.
  mutating func skipRequestLineEnd(at position: inout Int) throws(HTTPParseError) {
    let bytes = bytes
    guard bytes[position] == Byte.carriageReturn || bytes[position] == Byte.lineFeed else { throw error(.invalidRequestLine) }
    _ = try parseLineEnd(bytes.span, at: &position)
  }

  /// Inlined into the one loop that calls it: a call for each line of a head would pass all of this through memory.
  @inline(__always)
  private mutating func parseLine(
    _ bytes: Span<UInt8>, at position: inout Int, isFirst: Bool
  ) throws(HTTPParseError) -> FieldLine? {
    let nameStart = position
    position = bytes.firstNonToken(from: position)
    var name = nameStart..<position
    var isVerbatim = true
    if bytes[position] != Byte.colon || name.isEmpty {
      if name.isEmpty, bytes[position] == Byte.carriageReturn || bytes[position] == Byte.lineFeed {
        _ = try parseLineEnd(bytes, at: &position)
        return nil
      }
      name = try parseOddName(bytes, at: &position, from: nameStart, isFirst: isFirst)
      isVerbatim = name.upperBound == position
    }
    let isToken = !anomalies.contains(.oddFieldName) || bytes.extracting(name).isToken
    position += 1

    var value = try parseValue(bytes, at: &position)
    if try parseLineEnd(bytes, at: &position) == .bareLineFeed { isVerbatim = false }
    // The following line exists: at worst it is the empty line.
    if Byte.isBlank(bytes[position]) {
      value = try parseFolds(bytes, at: &position, of: value)
      isVerbatim = false
    }
    let knownName = isToken ? FieldName(token: bytes.extracting(name)) : .other
    if knownName == .contentLength, knownNames.contains(.contentLength) { anomalies.insert(.repeatedContentLength) }
    if knownName == .other, part == .request, FieldName.isTakenForFraming(bytes.extracting(name)),
      !tolerance.contains(.underscoreFraming)
    {
      throw error(.underscoreFraming)
    }
    knownNames.insert(knownName)
    return FieldLine(name: name, value: value, knownName: knownName, end: isVerbatim ? position : nil)
  }

  /// At a byte that does not follow a token as a colon does. Leaves `position` at the colon.
  ///
  /// Blanks before the colon are removed. Names of visible ASCII, even none, are one to all readers, though not of a field that
  /// they know. At other bytes, or without a colon, some readers end the head (Python's, for one).
  private mutating func parseOddName(
    _ bytes: Span<UInt8>, at position: inout Int, from start: Int, isFirst: Bool
  ) throws(HTTPParseError) -> Range<Int> {
    // Folds are read together with the value before them, so a blank can begin a line only here.
    if Byte.isBlank(bytes[start]) { throw error(isFirst ? .blankBeforeFirstField : .invalidFieldName) }
    let tokenEnd = position
    while bytes[position] != Byte.colon {
      guard bytes[position] > Byte.space && bytes[position] != Byte.delete || Byte.isBlank(bytes[position]) else {
        throw error(.invalidFieldName)
      }
      position += 1
    }
    let name = bytes.trimmed(start..<position)
    if name.upperBound > tokenEnd || name.isEmpty {
      let isVisible = name.allSatisfy { bytes[$0] > Byte.space && bytes[$0] < Byte.delete }
      guard allowed.contains(.oddFieldName) else { throw error(.invalidFieldName) }
      guard isVisible || tolerance.contains(.oddFieldName) else { throw error(.oddFieldName) }
      anomalies.insert(.oddFieldName)
    }
    if name.upperBound < position {
      guard allowed.contains(.blankBeforeColon) else { throw error(.blankBeforeColon) }
      anomalies.insert(.blankBeforeColon)
    }
    return name
  }

  /// Leaves `position` at the CR or LF after the value.
  private mutating func parseValue(_ bytes: Span<UInt8>, at position: inout Int) throws(HTTPParseError) -> Range<Int> {
    let start = position
    position = bytes.firstControl(from: position)
    while bytes[position] != Byte.carriageReturn, bytes[position] != Byte.lineFeed {
      // RFC 9110 5.5: NUL is always refused; other controls end no value, and may be old content.
      guard allowed.contains(.controlInValue), bytes[position] != 0 else { throw error(.invalidFieldValue) }
      anomalies.insert(.controlInValue)
      position = bytes.firstControl(from: position + 1)
    }
    return bytes.trimmed(start..<position)
  }

  private enum LineEnd {
    case standard
    case bareLineFeed
  }

  private mutating func parseLineEnd(_ bytes: Span<UInt8>, at position: inout Int) throws(HTTPParseError) -> LineEnd {
    if bytes[position] == Byte.carriageReturn {
      guard bytes[position + 1] == Byte.lineFeed else { throw error(.bareCarriageReturn) }
      position += 2
      return .standard
    }
    guard allowed.contains(.bareLineFeed) else { throw error(.bareLineFeed) }
    anomalies.insert(.bareLineFeed)
    position += 1
    return .bareLineFeed
  }

  /// RFC 9112 5.2: each fold is replaced by SP. The joined value is kept after the received bytes.
  private mutating func parseFolds(
    _ bytes: Span<UInt8>, at position: inout Int, of value: Range<Int>
  ) throws(HTTPParseError) -> Range<Int> {
    guard allowed.contains(.lineFolding) else { throw error(.lineFolding) }
    anomalies.insert(.lineFolding)
    let start = bytes.count + unfolded.count
    unfolded.append(bytes: bytes.extracting(value))
    while Byte.isBlank(bytes[position]) {
      let more = try parseValue(bytes, at: &position)
      _ = try parseLineEnd(bytes, at: &position)
      guard !more.isEmpty else { continue }
      if bytes.count + unfolded.count > start { unfolded.append(Byte.space) }
      unfolded.append(bytes: bytes.extracting(more))
    }
    return start..<bytes.count + unfolded.count
  }

  private func error(_ kind: HTTPParseError.Kind) -> HTTPParseError {
    HTTPParseError(kind, in: part)
  }
}
