/// Reads a HAR of any size from pieces of any size, holding no more than one entry and one piece.
///
/// The caller feeds bytes and takes events until `next` returns `nil`; then it feeds more, or ends the text. `pages`
/// and `entries` may come in any order, a byte order mark is skipped.
///
/// ```swift
/// var reader = HARReader()
/// for piece in pieces {
///   reader.feed(piece.span)
///   while let event = try reader.next() { print(event) }
/// }
/// reader.finish()
/// while let event = try reader.next() { print(event) }
/// ```
///
/// Text without the structure of a log is an error. Within it, an element that is not JSON is reported and passed over. Anything
/// else is read: if a known member does not have the type that HAR 1.2 gives it, the typed property has what can be made of the
/// value (for instance the number 200 of `"200"`), and the value itself is kept in `custom` under its own name, to be written
/// again as it came.
public struct HARReader: Sendable {
  /// A part of the log.
  public enum Event: Sendable, Hashable {
    /// `log.version`.
    case version(String)
    /// `log.creator`.
    case creator(HARCreator)
    /// `log.browser`.
    case browser(HARCreator)
    /// An element of `log.pages`.
    case page(HARPage)
    /// An element of `log.entries`.
    case entry(HAREntry)
    /// `log.comment`.
    case comment(String)
    /// Any other member of `log`, or a known member of another type.
    case member(HARObject.Member)
    /// A member beside `log`.
    case beside(HARObject.Member)
    /// A deviation from HAR 1.2; comes before the element that contains it. Only when the reader was asked to report warnings.
    case warning(HARReadWarning)
    /// An entry or page that is not JSON, or no object, or a member that is not JSON. The reader goes on behind it.
    case unreadable(HARElementReader.Element.Kind, HARReadError)
  }

  private var cursor: HARCursor
  private var parts: HAREntryParts
  private var bodyLimit: Int?
  private var needsBodies: (@Sendable (HAREntry) -> Bool)?
  private let reportsWarnings: Bool
  /// Found before the event that `pending` holds, in the order in which they are reported.
  private var warnings: ArraySlice<HARReadWarning> = []
  private var pending: Event?
  private var pageCount = 0
  private var entryCount = 0
  /// The error in the value at the cursor, whose end is searched for.
  private var suspicion: HARReadError?
  /// The error in the last value, if that was passed over. It may be what is wrong with the text behind it, too.
  private var lastError: HARReadError?
  /// The bytes of the text that hold the last entry.
  package private(set) var entryRange = 0..<0

  /// The end of a value that is not JSON is searched for within this many bytes.
  private static let searchLimit = 64 << 20

  /// - Parameters:
  ///   - parts: the parts of an entry that are wanted; fewer are read faster.
  ///   - reportsWarnings: whether to report deviations from HAR 1.2. This takes a second look at everything. Elements then
  ///     remember which required members they lack, and are written without them.
  ///   - valueSizeLimit: the largest entry, in bytes, that is held in memory.
  public init(parts: HAREntryParts = .all, reportsWarnings: Bool = false, valueSizeLimit: Int = 1 << 30) {
    cursor = HARCursor(valueSizeLimit: valueSizeLimit)
    self.parts = parts
    self.reportsWarnings = reportsWarnings
  }

  /// Reads only these parts of the entries that follow.
  public mutating func limit(to parts: HAREntryParts) {
    self.parts = parts
  }

  /// Reads only the beginning of each body's text in the entries that follow; the rest is only counted, in `unreadText`.
  ///
  /// - Parameters:
  ///   - size: whole characters within this many bytes are read.
  ///   - needsBodies: whether an entry, whose bodies were not read to their ends, is read with all of them.
  package mutating func limit(bodiesTo size: Int, unless needsBodies: (@Sendable (HAREntry) -> Bool)? = nil) {
    bodyLimit = size
    self.needsBodies = needsBodies
  }

  /// Takes the next bytes of the text.
  public mutating func feed(_ bytes: Span<UInt8>) {
    cursor.feed(bytes)
  }

  /// Takes the next bytes of the text.
  public mutating func feed(_ bytes: [UInt8]) {
    cursor.feed(bytes.span)
  }

  /// Ends the text.
  public mutating func finish() {
    cursor.finish()
  }

  /// The number of bytes that are held.
  package var heldCount: Int { cursor.buffer.count }

  /// The next event; `nil` when more bytes are needed or, after `finish()`, when all is read.
  public mutating func next() throws(HARReadError) -> Event? {
    if let warning = warnings.popFirst() { return .warning(warning) }
    if let event = pending {
      pending = nil
      return event
    }
    while let value = try advance() {
      switch value {
      case .entry:
        guard reportsWarnings else { return try readEntry() }
        return try readSuspiciously(at: HARPath.log["entries"][entryCount], .object(.entry), isEntry: true)
      case .page:
        guard reportsWarnings else { return try readFramed() }
        return try readSuspiciously(at: HARPath.log["pages"][pageCount], .object(.page))
      case .member:
        guard reportsWarnings else { return try readFramed() }
        return try readSuspiciously(at: HARPath.log[cursor.name], HARShape.log.member(cursor.name)?.type)
      case .foreign: return try readFramed()
      }
    }
    return nil
  }

  /// Moves to the next value.
  private mutating func advance() throws(HARReadError) -> HARCursor.Value? {
    do throws(HARReadError) {
      return try cursor.advance()
    } catch {
      throw lastError ?? error
    }
  }

  /// The range of the value at the cursor, once its end has come.
  private mutating func frame() throws(HARReadError) -> Range<Int>? {
    do throws(HARReadError) {
      if let range = try cursor.frame() { return range }
    } catch {
      throw cause(of: error)
    }
    if let suspicion, cursor.buffer.count - cursor.position > Self.searchLimit { throw suspicion }
    return nil
  }

  /// A value whose end did not come may have been broken much earlier.
  private func cause(of error: HARReadError) -> HARReadError {
    guard error.kind == .unexpectedEnd else { return error }
    do throws(HARReadError) {
      _ = try parse(cursor.position..<cursor.buffer.count, parts: .all) { (parser) throws(HARReadError) in try parser.readValue()
      }
      return error
    } catch let cause {
      return cause
    }
  }

  /// Whether an array `pages` has begun.
  package var hasPages: Bool { cursor.hasPages }

  /// Whether an entry has begun whose end has not come.
  package var isInsideEntry: Bool { cursor.isWaiting }

  /// The next entry's figures, if it is the next value, all of it has come, and the scan does not refuse it; otherwise `nil`, and
  /// `next` reads on.
  ///
  /// The parts to read are `figures` at most, and the reader reports no warnings.
  package mutating func nextFigures() throws(HARReadError) -> ScannedEntry? {
    guard case .entry = try advance() else { return nil }
    if cursor.isWaiting, try frame() == nil { return nil }
    do throws(HARReadError) {
      let range = cursor.position..<cursor.buffer.count
      let (figures, end) = try parse(range, parts: parts.union(.figures)) { (parser) throws(HARReadError) in
        (try ScannedEntry(figuresFrom: &parser), parser.position)
      }
      guard let figures else { return nil }
      takeEntry(cursor.position..<end)
      lastError = nil
      return figures
    } catch {
      // If its end has not come, it is worth no other attempt before that.
      if error.kind == .unexpectedEnd, !cursor.isFinished { _ = try frame() }
      return nil
    }
  }

  /// Reads an entry in one go, without first looking for its end, if all of it has come: nearly always.
  private mutating func readEntry() throws(HARReadError) -> Event? {
    guard !cursor.isWaiting else { return try readFramed() }
    do throws(HARReadError) {
      let needsBodies = needsBodies
      let (entry, end) = try parse(cursor.position..<cursor.buffer.count, parts: parts) { (parser) throws(HARReadError) in
        (try parser.readEntry(withBodies: needsBodies), parser.position)
      }
      takeEntry(cursor.position..<end)
      lastError = nil
      return .entry(entry)
    } catch {
      if error.kind != .unexpectedEnd { suspicion = error }
      return try readFramed()
    }
  }

  /// Reads a value once all of it has come, or passes it over if it is not JSON.
  private mutating func readFramed() throws(HARReadError) -> Event? {
    guard let value = try advance(), let range = try frame() else { return nil }
    let name = cursor.name
    let event: Event
    let needsBodies = needsBodies
    do throws(HARReadError) {
      event = try parse(range, parts: value == .entry ? parts : .all) { (parser) throws(HARReadError) in
        let event = try Self.event(value, name, withBodies: needsBodies, from: &parser)
        try parser.expectEnd()
        return event
      }
      lastError = nil
    } catch {
      event = .unreadable(Self.kind(of: value, name), error)
      lastError = error
    }
    suspicion = nil
    switch value {
    case .entry: takeEntry(range)
    case .page:
      pageCount += 1
      cursor.take(upTo: range.upperBound)
    case .member, .foreign: cursor.take(upTo: range.upperBound)
    }
    return event
  }

  /// Moves past the entry in `range` of the buffer.
  private mutating func takeEntry(_ range: Range<Int>) {
    entryCount += 1
    entryRange = cursor.origin + range.lowerBound..<cursor.origin + range.upperBound
    cursor.take(upTo: range.upperBound)
  }

  private static func kind(of value: HARCursor.Value, _ name: String) -> HARElementReader.Element.Kind {
    switch value {
    case .entry: .entry
    case .page: .page
    case .member: .member(name)
    case .foreign: .beside(name)
    }
  }

  /// First looks at a value as a tree, for deviations from `type`, then reads it.
  ///
  /// - Parameter type: `nil` for a member that the format does not define.
  private mutating func readSuspiciously(at path: HARPath, _ type: HARType?, isEntry: Bool = false) throws(HARReadError) -> Event?
  {
    guard let range = try frame() else { return nil }
    if isEntry, isPlain(range) { return try readFramed() }
    let found: [HARReadWarning]
    do throws(HARReadError) {
      found = try deviations(in: range, at: path, type)
    } catch {
      // It is passed over.
      return try readFramed()
    }
    let lacking = found.filter { $0.kind == .missing }.map { HARPath(steps: Array($0.path.steps.dropFirst(path.steps.count))) }
    pending = try readFramed().map { Self.event($0, lacking: lacking) }
    warnings = found[...]
    return try next()
  }

  /// Whether the entry in `range` has no deviation, as nearly every entry.
  private func isPlain(_ range: Range<Int>) -> Bool {
    ScannedEntry(checking: cursor.buffer.span.extracting(range)) != nil
  }

  private func deviations(
    in range: Range<Int>, at path: HARPath, _ type: HARType?
  ) throws(HARReadError) -> [HARReadWarning] {
    let bytes = cursor.buffer.span.extracting(range)
    var found: [HARReadWarning] = []
    try bytes.findOddities(at: path) { found.append($0) }
    var tree = try HARValue(odd: bytes)
    type?.conform(&tree, at: path) { found.append($0) }
    return found
  }

  /// The event with an element that remembers what it lacks.
  private static func event(_ event: Event, lacking: [HARPath]) -> Event {
    switch event {
    case .entry(var entry):
      entry.lacking = lacking
      return .entry(entry)
    case .page(var page):
      page.lacking = lacking
      return .page(page)
    case .creator(var creator):
      creator.lacking = lacking
      return .creator(creator)
    case .browser(var browser):
      browser.lacking = lacking
      return .browser(browser)
    case .version, .comment, .member, .beside, .warning, .unreadable: return event
    }
  }

  /// - Parameter parts: of an entry; pages and other members are read completely.
  private func parse<Result>(
    _ range: Range<Int>, parts: HAREntryParts, _ body: (inout JSONParser) throws(HARReadError) -> Result
  ) throws(HARReadError) -> Result {
    try cursor.buffer.span.withParser(range: range, origin: cursor.origin, parts: parts, bodyLimit: bodyLimit, body)
  }

  private static func event(
    _ value: HARCursor.Value, _ name: String, withBodies: ((HAREntry) -> Bool)?, from parser: inout JSONParser
  ) throws(HARReadError) -> Event {
    switch value {
    case .page:
      guard let page: HARPage = try parser.readRecord() else { throw parser.failure(.expected("an object in pages")) }
      return .page(page)
    case .entry: return .entry(try parser.readEntry(withBodies: withBodies))
    case .member: return try memberEvent(name, from: &parser)
    case .foreign: return .beside(HARObject.Member(name: name, value: try parser.readValue()))
    }
  }

  private static func memberEvent(_ name: String, from parser: inout JSONParser) throws(HARReadError) -> Event {
    switch name {
    case "version":
      var text = ""
      if try parser.read(&text) { return .version(text) }
    case "comment":
      var text = ""
      if try parser.read(&text) { return .comment(text) }
    case "creator":
      var creator = HARCreator()
      if try parser.read(&creator) { return .creator(creator) }
    case "browser":
      var browser = HARCreator()
      if try parser.read(&browser) { return .browser(browser) }
    default: break
    }
    return .member(HARObject.Member(name: name, value: try parser.readValue()))
  }
}

extension JSONParser {
  /// Takes an entry; with all of its bodies if parts of them were left out and `needsBodies` says so.
  fileprivate mutating func readEntry(withBodies needsBodies: ((HAREntry) -> Bool)?) throws(HARReadError) -> HAREntry {
    let start = self
    guard let entry: HAREntry = try readRecord() else { throw failure(.expected("an object in entries")) }
    let isCut = entry.response.content.unreadText > 0 || (entry.request.postData?.unreadText ?? 0) > 0
    guard isCut, needsBodies?(entry) == true else { return entry }
    restore(to: start)
    bodyLimit = nil
    return try readEntry(withBodies: nil)
  }
}
