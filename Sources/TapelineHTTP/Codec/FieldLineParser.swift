internal import TapelineText

/// Reads the field lines of a head or trailer section (RFC 9112 5).
struct FieldLineParser {
  private let bytes: [UInt8]
  private let part: HTTPParseError.Part
  /// Whether to mend what RFC 9112 lets a recipient mend: in response heads only.
  private let mends: Bool
  private let lineCount: Int
  private var knownNames = FieldNameSet()
  private(set) var anomalies: HeadAnomalies
  /// Values that were folded, joined by SP; they will follow `bytes`.
  private var unfolded: [UInt8] = []

  /// `bytes` end with an empty line, which the scanner has found.
  init(_ bytes: [UInt8], in part: HTTPParseError.Part, mends: Bool, lineCount: Int, anomalies: HeadAnomalies = []) {
    self.bytes = bytes
    self.part = part
    self.mends = mends
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

  private mutating func parseLine(
    _ bytes: Span<UInt8>, at position: inout Int, isFirst: Bool
  ) throws(HTTPParseError) -> FieldLine? {
    let nameStart = position
    position = bytes.firstNonToken(from: position)
    let name = nameStart..<position
    var isVerbatim = true
    if bytes[position] != Byte.colon {
      if name.isEmpty, bytes[position] == Byte.carriageReturn || bytes[position] == Byte.lineFeed {
        _ = try parseLineEnd(bytes, at: &position)
        return nil
      }
      try skipBlanksBeforeColon(bytes, at: &position, name: name, isFirst: isFirst)
      isVerbatim = false
    }
    guard !name.isEmpty else { throw error(.invalidFieldName) }
    position += 1

    var value = try parseValue(bytes, at: &position)
    if try parseLineEnd(bytes, at: &position) == .bareLineFeed { isVerbatim = false }
    // The following line exists: at worst it is the empty line.
    if Byte.isBlank(bytes[position]) {
      value = try parseFolds(bytes, at: &position, of: value)
      isVerbatim = false
    }
    let knownName = FieldName(token: bytes.extracting(name))
    knownNames.insert(knownName)
    return FieldLine(name: name, value: value, knownName: knownName, end: isVerbatim ? position : nil)
  }

  /// At a byte that is neither in a token nor a colon: blanks are mended, anything else is not a field line.
  private mutating func skipBlanksBeforeColon(
    _ bytes: Span<UInt8>, at position: inout Int, name: Range<Int>, isFirst: Bool
  ) throws(HTTPParseError) {
    guard Byte.isBlank(bytes[position]) else { throw error(.invalidFieldName) }
    // Folds are read together with the value before them, so a blank can begin a line only here.
    if name.isEmpty { throw error(isFirst ? .blankBeforeFirstField : .invalidFieldName) }
    guard mends else { throw error(.blankBeforeColon) }
    while Byte.isBlank(bytes[position]) { position += 1 }
    guard bytes[position] == Byte.colon else { throw error(.invalidFieldName) }
    anomalies.insert(.blankBeforeColon)
  }

  /// Leaves `position` at the CR or LF after the value.
  private func parseValue(_ bytes: Span<UInt8>, at position: inout Int) throws(HTTPParseError) -> Range<Int> {
    let start = position
    position = bytes.firstControl(from: position)
    while bytes[position] != Byte.carriageReturn, bytes[position] != Byte.lineFeed {
      // RFC 9110 5.5: NUL is always refused; other controls are kept in responses, where they may be old content.
      guard mends, bytes[position] != 0 else { throw error(.invalidFieldValue) }
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
    guard mends else { throw error(.bareLineFeed) }
    anomalies.insert(.bareLineFeed)
    position += 1
    return .bareLineFeed
  }

  /// RFC 9112 5.2: each fold is replaced by SP. The joined value is kept after the received bytes.
  private mutating func parseFolds(
    _ bytes: Span<UInt8>, at position: inout Int, of value: Range<Int>
  ) throws(HTTPParseError) -> Range<Int> {
    guard mends else { throw error(.lineFolding) }
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
