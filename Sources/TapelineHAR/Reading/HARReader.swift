/// Reads a HAR of any size from pieces of any size, holding no more than one entry and one piece.
///
/// The caller feeds bytes and takes events until `next` returns `nil`; then it feeds more, or ends the text. `pages`
/// and `entries` may come in any order, a byte order mark is skipped, members beside `log` are left out.
///
/// ```swift
/// var reader = HARReader()
/// while let piece = try file.read() {
///   reader.feed(piece)
///   while let event = try reader.next() { … }
/// }
/// reader.finish()
/// while let event = try reader.next() { … }
/// ```
///
/// Text that is not JSON is an error. Anything else is read: if a known member does not have the type that HAR 1.2 gives it, the
/// typed property has what can be made of the value (for instance the number 200 of `"200"`), and the value itself is kept in
/// `custom` under its own name, to be written again as it came.
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
    /// A deviation from HAR 1.2; comes before the element that contains it. Only when the reader was asked to report warnings.
    case warning(HARReadWarning)
  }

  private var cursor: HARCursor
  private var parts: HAREntryParts
  private var bodyLimit: Int?
  private let reportsWarnings: Bool
  /// Found before the event that `pending` holds, in the order in which they are reported.
  private var warnings: ArraySlice<HARReadWarning> = []
  private var pending: Event?
  private var pageCount = 0
  private var entryCount = 0

  /// - Parameters:
  ///   - parts: the parts of an entry that are wanted; fewer are read faster.
  ///   - reportsWarnings: whether to report deviations from HAR 1.2. This takes a second look at everything.
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
  /// - Parameter size: whole characters within this many bytes are read.
  package mutating func limit(bodiesTo size: Int) {
    bodyLimit = size
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
  var heldCount: Int { cursor.buffer.count }

  /// The next event; `nil` when more bytes are needed or, after `finish()`, when all is read.
  public mutating func next() throws(HARReadError) -> Event? {
    if let warning = warnings.popFirst() { return .warning(warning) }
    if let event = pending {
      pending = nil
      return event
    }
    while let value = try cursor.advance() {
      switch value {
      case .entry:
        guard reportsWarnings else { return try readEntry() }
        return try readSuspiciously(at: HARPath.log["entries"][entryCount], .object(.entry))
      case .page:
        guard reportsWarnings else { return try readFramed() }
        return try readSuspiciously(at: HARPath.log["pages"][pageCount], .object(.page))
      case .member:
        guard reportsWarnings, let shape = HARShape.log.member(cursor.name)?.type else { return try readFramed() }
        return try readSuspiciously(at: HARPath.log[cursor.name], shape)
      case .foreign:
        guard let range = try cursor.frame() else { return nil }
        // It is left out, but it must be JSON.
        _ = try parse(range) { (parser) throws(HARReadError) in try parser.readValue() }
        cursor.take(upTo: range.upperBound)
      }
    }
    return nil
  }

  /// Reads an entry in one go, without first looking for its end, if all of it has come: nearly always.
  private mutating func readEntry() throws(HARReadError) -> Event? {
    guard !cursor.isWaiting else { return try readFramed() }
    do throws(HARReadError) {
      let (entry, end) = try parse(cursor.position..<cursor.buffer.count) { (parser) throws(HARReadError) in
        var entry = HAREntry()
        guard try parser.read(&entry) else { throw parser.failure(.expected("an object in entries")) }
        return (entry, parser.position)
      }
      cursor.take(upTo: end)
      entryCount += 1
      return .entry(entry)
    } catch {
      guard error.kind == .unexpectedEnd, !cursor.isFinished else { throw error }
      return try readFramed()
    }
  }

  /// Reads a value once all of it has come.
  private mutating func readFramed() throws(HARReadError) -> Event? {
    guard let value = try cursor.advance(), let range = try cursor.frame() else { return nil }
    let name = cursor.name
    let event = try parse(range) { (parser) throws(HARReadError) in
      let event = try Self.event(value, name, from: &parser)
      try parser.expectEnd()
      return event
    }
    cursor.take(upTo: range.upperBound)
    switch value {
    case .page: pageCount += 1
    case .entry: entryCount += 1
    case .member, .foreign: break
    }
    return event
  }

  /// First looks at a value as a tree, for deviations from `type`, then reads it.
  private mutating func readSuspiciously(at path: HARPath, _ type: HARType) throws(HARReadError) -> Event? {
    guard let range = try cursor.frame() else { return nil }
    var tree = try parse(range) { (parser) throws(HARReadError) in try parser.readValue() }
    var found: [HARReadWarning] = []
    type.conform(&tree, at: path) { found.append($0) }
    pending = try readFramed()
    warnings = found[...]
    return try next()
  }

  private func parse<Result>(
    _ range: Range<Int>, _ body: (inout JSONParser) throws(HARReadError) -> Result
  ) throws(HARReadError) -> Result {
    try cursor.buffer.span.withParser(range: range, origin: cursor.origin, parts: parts, bodyLimit: bodyLimit, body)
  }

  private static func event(
    _ value: HARCursor.Value, _ name: String, from parser: inout JSONParser
  ) throws(HARReadError) -> Event {
    switch value {
    case .page:
      var page = HARPage()
      guard try parser.read(&page) else { throw parser.failure(.expected("an object in pages")) }
      return .page(page)
    case .entry:
      var entry = HAREntry()
      guard try parser.read(&entry) else { throw parser.failure(.expected("an object in entries")) }
      return .entry(entry)
    case .member, .foreign:
      return try memberEvent(name, from: &parser)
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
