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
  /// The bytes of the text that hold the last entry.
  package private(set) var entryRange = 0..<0

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

  /// Whether an entry has begun whose end has not come.
  package var isInsideEntry: Bool { cursor.isWaiting }

  /// The next entry's figures, if it is the next value, ordinary, and all of it has come; otherwise `nil`, and `next` reads on.
  ///
  /// The parts to read are `figures` at most, and the reader reports no warnings.
  package mutating func nextFigures() throws(HARReadError) -> EntryFigures? {
    guard case .entry = try cursor.advance() else { return nil }
    if cursor.isWaiting, try cursor.frame() == nil { return nil }
    do throws(HARReadError) {
      let (figures, end) = try parse(cursor.position..<cursor.buffer.count) { (parser) throws(HARReadError) in
        (try parser.readFigures(), parser.position)
      }
      takeEntry(cursor.position..<end)
      return figures
    } catch {
      // If its end has not come, it is worth no other attempt before that.
      if error.kind == .unexpectedEnd, !cursor.isFinished { _ = try cursor.frame() }
      return nil
    }
  }

  /// Reads an entry in one go, without first looking for its end, if all of it has come: nearly always.
  private mutating func readEntry() throws(HARReadError) -> Event? {
    guard !cursor.isWaiting else { return try readFramed() }
    do throws(HARReadError) {
      let (entry, end) = try parse(cursor.position..<cursor.buffer.count) { (parser) throws(HARReadError) in
        guard let entry: HAREntry = try parser.readRecord() else { throw parser.failure(.expected("an object in entries")) }
        return (entry, parser.position)
      }
      takeEntry(cursor.position..<end)
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
      guard let page: HARPage = try parser.readRecord() else { throw parser.failure(.expected("an object in pages")) }
      return .page(page)
    case .entry:
      guard let entry: HAREntry = try parser.readRecord() else { throw parser.failure(.expected("an object in entries")) }
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

/// Which parts of an entry are read. The others are skipped, at a multiple of the speed, and count as absent.
///
/// Dates, method, URL, status, sizes and timings are always read, and so are the members `_error`, `_ended`, `_inFlight`,
/// `_tunnel`, `_localStatus` and `_grpc`, the client's part of `_blocked` if it is not 0, the `_pseudo` of a CONNECT that follows
/// its method, and the bodies and response headers that may say that an operation failed.
public struct HAREntryParts: OptionSet, Sendable, Hashable {
  /// A bit for each part.
  public let rawValue: UInt8

  /// Parts by their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `text`, `encoding` and `params` of `content` and `postData`.
  public static let bodies = HAREntryParts(rawValue: 1)
  /// Headers, cookies and the query's parameters.
  public static let fields = HAREntryParts(rawValue: 2)
  /// Members that the format does not define.
  public static let custom = HAREntryParts(rawValue: 4)

  /// The title of the entry's page, for readers of whole logs: it is elsewhere in the log.
  package static let pageTitle = HAREntryParts(rawValue: 8)
  /// What a row of a page needs: the request's headers, and a few of the members that the format does not define.
  package static let row = HAREntryParts(rawValue: 16)
  /// What is counted of the members that the format does not define: the proxy's own time, and the number of the connection.
  package static let figures = HAREntryParts(rawValue: 32)

  /// Everything: an entry that was read can be written again without loss.
  public static let all: HAREntryParts = [.bodies, .fields, .custom]
  /// The parts that a table of exchanges needs.
  public static let overview: HAREntryParts = []
}

/// Why bytes are not a HAR, and where.
public struct HARReadError: Error, Sendable, Hashable {
  /// What is wrong.
  public enum Kind: Sendable, Hashable {
    /// The text ended inside of a value.
    case unexpectedEnd
    /// Something else is where this was expected.
    case expected(String)
    /// A string holds a control character or an escape that JSON does not have.
    case invalidString
    /// Text that starts like a number but is not a number.
    case invalidNumber
    /// Values are nested deeper than in any sane text.
    case tooDeep
    /// One value is larger than the reader's limit.
    case tooLarge(limit: Int)
    /// JSON, but without an object `log`.
    case missingLog
  }

  /// What is wrong.
  public let kind: Kind
  /// Bytes from the start of the text.
  public let offset: Int

  /// Makes an error.
  public init(kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}

extension HARReadError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    "\(reason) at byte \(offset)"
  }

  private var reason: String {
    switch kind {
    case .unexpectedEnd: "the text ends in the middle of a value"
    case .expected(let what): "expected \(what)"
    case .invalidString: "a string holds a control character or an unknown escape"
    case .invalidNumber: "malformed number"
    case .tooDeep: "values are nested too deeply"
    case .tooLarge(let limit): "one value is larger than \(limit) bytes"
    case .missingLog: "no object \"log\": this is not a HAR"
    }
  }
}
