/// Reads the field lines of a head or trailer section (RFC 9112 5).
struct FieldLineParser {
  private let octets: [UInt8]
  private let part: HTTPParseError.Part
  /// Whether what RFC 9112 lets a recipient mend is mended: in response heads only.
  private let mends: Bool
  private let lineCount: Int
  private var knownNames = FieldNameSet()
  private(set) var anomalies: HeadAnomalies
  /// Values that were folded, joined by SP; they will lie behind `octets`.
  private var unfolded: [UInt8] = []

  /// `octets` end with an empty line, which the scanner has seen.
  init(_ octets: [UInt8], in part: HTTPParseError.Part, mends: Bool, lineCount: Int, anomalies: HeadAnomalies = []) {
    self.octets = octets
    self.part = part
    self.mends = mends
    self.anomalies = anomalies
    self.lineCount = lineCount
  }

  /// Reads all lines from `start` to the empty one.
  mutating func parse(from start: Int) throws(HTTPParseError) -> HeaderFields {
    let octets = octets
    var position = start
    let lines = try [FieldLine](capacity: lineCount) { lines throws(HTTPParseError) in
      while let line = try parseLine(octets.span, at: &position, isFirst: lines.isEmpty) { lines.append(line) }
    }
    return HeaderFields(octets: octets, lines: lines, knownNames: knownNames, more: unfolded)
  }

  private mutating func parseLine(
    _ octets: Span<UInt8>, at position: inout Int, isFirst: Bool
  ) throws(HTTPParseError) -> FieldLine? {
    let nameStart = position
    position = octets.firstNonToken(from: position)
    let name = nameStart..<position
    var isVerbatim = true
    if octets[position] != Octet.colon {
      if name.isEmpty, octets[position] == Octet.carriageReturn || octets[position] == Octet.lineFeed {
        _ = try parseLineEnd(octets, at: &position)
        return nil
      }
      try skipBlanksBeforeColon(octets, at: &position, name: name, isFirst: isFirst)
      isVerbatim = false
    }
    guard !name.isEmpty else { throw error(.invalidFieldName) }
    position += 1

    var value = try parseValue(octets, at: &position)
    if try parseLineEnd(octets, at: &position) == .bareLineFeed { isVerbatim = false }
    // The line that follows exists: at worst it is the empty one.
    if Octet.isBlank(octets[position]) {
      value = try parseFolds(octets, at: &position, of: value)
      isVerbatim = false
    }
    let knownName = FieldName(token: octets.extracting(name))
    knownNames.insert(knownName)
    return FieldLine(name: name, value: value, knownName: knownName, end: isVerbatim ? position : nil)
  }

  /// At an octet that is neither token nor colon: blanks are mended, anything else is no field line.
  private mutating func skipBlanksBeforeColon(
    _ octets: Span<UInt8>, at position: inout Int, name: Range<Int>, isFirst: Bool
  ) throws(HTTPParseError) {
    guard Octet.isBlank(octets[position]) else { throw error(.invalidFieldName) }
    // Folds are met behind a value, so a blank can begin a line only here.
    if name.isEmpty { throw error(isFirst ? .blankBeforeFirstField : .invalidFieldName) }
    guard mends else { throw error(.blankBeforeColon) }
    while Octet.isBlank(octets[position]) { position += 1 }
    guard octets[position] == Octet.colon else { throw error(.invalidFieldName) }
    anomalies.insert(.blankBeforeColon)
  }

  /// Leaves `position` at the CR or LF behind the value.
  private func parseValue(_ octets: Span<UInt8>, at position: inout Int) throws(HTTPParseError) -> Range<Int> {
    let start = position
    position = octets.firstControl(from: position)
    while octets[position] != Octet.carriageReturn, octets[position] != Octet.lineFeed {
      // RFC 9110 5.5: NUL is always refused; other controls are kept where they may be old content, in responses.
      guard mends, octets[position] != 0 else { throw error(.invalidFieldValue) }
      position = octets.firstControl(from: position + 1)
    }
    return octets.trimmed(start..<position)
  }

  private enum LineEnd {
    case standard
    case bareLineFeed
  }

  private mutating func parseLineEnd(_ octets: Span<UInt8>, at position: inout Int) throws(HTTPParseError) -> LineEnd {
    if octets[position] == Octet.carriageReturn {
      guard octets[position + 1] == Octet.lineFeed else { throw error(.bareCarriageReturn) }
      position += 2
      return .standard
    }
    guard mends else { throw error(.bareLineFeed) }
    anomalies.insert(.bareLineFeed)
    position += 1
    return .bareLineFeed
  }

  /// RFC 9112 5.2: each fold is replaced by SP. The joined value is kept behind the octets that came.
  private mutating func parseFolds(
    _ octets: Span<UInt8>, at position: inout Int, of value: Range<Int>
  ) throws(HTTPParseError) -> Range<Int> {
    guard mends else { throw error(.lineFolding) }
    anomalies.insert(.lineFolding)
    let start = octets.count + unfolded.count
    unfolded.append(octets: octets.extracting(value))
    while Octet.isBlank(octets[position]) {
      let more = try parseValue(octets, at: &position)
      _ = try parseLineEnd(octets, at: &position)
      guard !more.isEmpty else { continue }
      if octets.count + unfolded.count > start { unfolded.append(Octet.space) }
      unfolded.append(octets: octets.extracting(more))
    }
    return start..<octets.count + unfolded.count
  }

  private func error(_ kind: HTTPParseError.Kind) -> HTTPParseError {
    HTTPParseError(kind, in: part)
  }
}
