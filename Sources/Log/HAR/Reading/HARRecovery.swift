internal import TapelineBase

/// Takes every complete entry from a damaged HAR, and makes a HAR of them; memory holds one entry and the pages.
///
/// A file is damaged by a power failure, a full disk, killing a program that does not write as we do, or an interrupted download:
/// nearly always its end is missing. If the damage is in the middle, and each entry has its own line, as ours do, the entries
/// after the damage are found by their lines: in JSON a line break never occurs inside of a string.
///
/// The sink gets nothing when the text holds no entry and is not a HAR.
public struct HARRecovery<Failure: Error>: ~Copyable {
  /// The result of a recovery.
  public struct Outcome: Sendable, Hashable {
    /// The number of complete entries.
    public var entries = 0
    /// The first place at which the text is wrong; `nil` when nothing is wrong with it.
    public var damage: HARReadError?
    /// Bytes from the damage on that belong to no complete element.
    public var lost = 0
    /// Pages that had to be made up, because entries refer to them but the text lacks them.
    public var missingPages = 0

    /// Makes an outcome.
    public init(entries: Int = 0, damage: HARReadError? = nil, lost: Int = 0, missingPages: Int = 0) {
      self.entries = entries
      self.damage = damage
      self.lost = lost
      self.missingPages = missingPages
    }
  }

  private let sink: (Span<UInt8>) throws(Failure) -> Void
  private var reader: HARElementReader
  /// Begun with the first entry.
  private var writer: HARWriter<Failure>?
  private var log = HARLog(creator: HARCreator(name: "unknown", version: ""))
  /// Members of the log that come after entries have been written.
  private var lateMembers = HARObject()
  private var beside = HARObject()
  private var pages = PageLint()
  private var outcome = Outcome()
  /// After the damage: the bytes of the current line so far.
  private var line: [UInt8] = []
  /// Bytes of that line that were not kept, because the line cannot be an entry.
  private var skipped = 0
  private let valueSizeLimit: Int

  /// - Parameters:
  ///   - valueSizeLimit: the largest entry, in bytes, that is held in memory; a larger one is lost.
  ///   - sink: takes the bytes of the new text.
  public init(valueSizeLimit: Int = 256 << 20, sink: @escaping (Span<UInt8>) throws(Failure) -> Void) {
    self.valueSizeLimit = valueSizeLimit
    self.sink = sink
    reader = HARElementReader(valueSizeLimit: valueSizeLimit)
  }

  /// The number of bytes that are held.
  package var heldCount: Int { max(reader.heldCount, line.count) }

  /// Takes the next bytes of the damaged text.
  public mutating func feed(_ bytes: Span<UInt8>) throws(Failure) {
    if outcome.damage != nil { return try gather(bytes) }
    // JSON has no NUL, but a hole in the file, which was never written, reads as NULs. A value never continues across a hole.
    guard let hole = bytes.firstNUL else {
      reader.feed(bytes)
      return try readElements()
    }
    reader.feed(bytes.extracting(first: hole))
    try readElements()
    if outcome.damage == nil {
      try abandon(HARReadError(kind: .expected("no NUL"), offset: reader.end), from: reader.offset)
    }
    try gather(bytes.extracting(droppingFirst: hole))
  }

  /// Ends the text, and completes the output.
  public consuming func finish() throws(Failure) -> Outcome {
    if outcome.damage == nil {
      reader.finish()
      try readElements()
    }
    if outcome.damage != nil { try takeLine() }
    guard outcome.entries > 0 || outcome.damage == nil else { return outcome }
    beginIfNeeded()
    let known = pages.pages.count
    pages.finish { _, _, _ in }
    outcome.missingPages = pages.pages.count - known
    if let writer = consume writer { try writer.finish(pages: pages.pages, custom: lateMembers, beside: beside) }
    return outcome
  }

  // MARK: Up to the damage

  private mutating func readElements() throws(Failure) {
    while true {
      let element: HARElementReader.Element
      do throws(HARReadError) {
        guard let next = try reader.next() else { return }
        element = next
      } catch {
        return try abandon(error, from: reader.offset)
      }
      if let error = try take(element) { return try abandon(error, from: element.range.lowerBound) }
    }
  }

  /// From now on reads line by line, beginning with the bytes from `offset` on.
  private mutating func abandon(_ error: HARReadError, from offset: Int) throws(Failure) {
    let rest = reader.withRest(from: offset) { rest in [UInt8](copying: rest) }
    outcome.damage = Self.cause(error, in: rest, at: offset)
    reader = HARElementReader(valueSizeLimit: valueSizeLimit)
    try gather(rest.span)
  }

  /// A value whose end did not come may have been broken much earlier.
  private static func cause(_ error: HARReadError, in rest: [UInt8], at offset: Int) -> HARReadError {
    guard error.kind == .unexpectedEnd, rest.first.map(JSONBytes.beginsValue) == true else { return error }
    do throws(HARReadError) {
      _ = try HARValue(json: rest.span)
      return error
    } catch let cause {
      return HARReadError(kind: cause.kind, offset: offset + cause.offset)
    }
  }

  /// Keeps an element, or returns the error in it.
  private mutating func take(_ element: HARElementReader.Element) throws(Failure) -> HARReadError? {
    let bytes = reader.withBytes(of: element) { bytes in [UInt8](copying: bytes) }
    do throws(HARReadError) {
      let value = try HARValue(odd: bytes.span)
      switch element.kind {
      case .entry:
        guard case .object = value else { return nil }
      case .page:
        keep(try HARPage(json: bytes.span))
        return nil
      case .member(let name):
        keep(HARObject.Member(name: name, value: value))
        return nil
      case .beside(let name):
        beside.members.append(HARObject.Member(name: name, value: value))
        return nil
      }
    } catch {
      return HARReadError(kind: error.kind, offset: element.range.lowerBound + error.offset)
    }
    try keep(entry: bytes)
    return nil
  }

  // MARK: Behind the damage

  private mutating func gather(_ bytes: Span<UInt8>) throws(Failure) {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") {
        try takeLine()
      } else if skipped > 0 || byte == 0 || line.count >= valueSizeLimit {
        skip()
      } else {
        line.append(byte)
      }
    }
  }

  /// Counts bytes that cannot be part of an entry, in constant memory.
  private mutating func skip() {
    skipped += line.count + 1
    line = []
  }

  /// Keeps a line if it is an entry or the end of a log; otherwise it is lost.
  private mutating func takeLine() throws(Failure) {
    defer { line.removeAll(keepingCapacity: true) }
    outcome.lost += skipped
    skipped = 0
    let isPunctuation = { (byte: UInt8) in JSONBytes.isWhiteSpace(byte) || byte == UInt8(ascii: ",") }
    guard let start = line.firstIndex(where: { !isPunctuation($0) }), let end = line.lastIndex(where: { !isPunctuation($0) })
    else {
      return
    }
    let text = Array(line[start...end])
    if isEntry(text) { return try keep(entry: text) }
    if !keep(closing: text) { outcome.lost += text.count }
  }

  private func isEntry(_ text: [UInt8]) -> Bool {
    do throws(HARReadError) {
      let value = try HARValue(odd: text.span)
      return value["startedDateTime"]?.string != nil && value["request"]?.object != nil
    } catch {
      return false
    }
  }

  /// Whether `text` is the end of a log, after the last entry; keeps what it says of the log.
  private mutating func keep(closing text: [UInt8]) -> Bool {
    guard text.first == UInt8(ascii: "]") else { return false }
    do throws(HARReadError) {
      let rest = try HARLog(json: Array("{\"log\":{\"entries\":[".utf8) + text)
      rest.pages.forEach { keep($0) }
      rest.custom.members.forEach { keep($0) }
      beside.members += rest.beside.members
      return true
    } catch {
      return false
    }
  }

  // MARK: What is kept

  private mutating func keep(_ page: HARPage) {
    pages.append(page, substituteDate: InternetDate.epoch.text) { _, _, _ in }
  }

  private mutating func keep(_ member: HARObject.Member) {
    guard writer == nil else {
      // The writer has already written the known members.
      if HARShape.log.member(member.name) == nil { lateMembers.members.append(member) }
      return
    }
    switch (member.name, member.value) {
    case ("version", .string(let text)): log.version = text
    case ("comment", .string(let text)): log.comment = text
    case ("creator", .object): log.creator = HARCreator(object: member.value)
    case ("browser", .object): log.browser = HARCreator(object: member.value)
    default:
      if HARShape.log.member(member.name) == nil { log.custom.members.append(member) }
    }
  }

  private mutating func keep(entry bytes: [UInt8]) throws(Failure) {
    let overview: HAREntry
    var bytes = bytes
    do throws(HARReadError) {
      overview = try HAREntry(json: bytes.span, parts: .overview)
      var isStrict = true
      try bytes.span.findOddities(at: .log) { _ in isStrict = false }
      if !isStrict { bytes = try HARValue(odd: bytes.span).json }
    } catch {
      outcome.lost += bytes.count
      return
    }
    beginIfNeeded()
    pages.refer(to: overview.pageref, from: outcome.entries, date: overview.startedDateTime)
    outcome.entries += 1
    try writer?.write(json: bytes.span)
  }

  private mutating func beginIfNeeded() {
    if writer == nil { writer = HARWriter(log, withPages: false, sink: sink) }
  }
}

extension Span<UInt8> {
  fileprivate var firstNUL: Int? {
    for index in indices where self[index] == 0 { return index }
    return nil
  }
}
