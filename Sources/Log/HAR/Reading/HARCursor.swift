internal import TapelineBase

/// The position of the reader in the text of a HAR. It knows the structure around pages, entries and members, and leaves their
/// values to its callers.
struct HARCursor: Sendable {
  /// The kind of the value that starts at the position.
  enum Value: Sendable {
    case page
    case entry
    /// The value of a member of `log` that has another name, or is not the array that it should be.
    case member
    /// The value of a member beside `log`.
    case foreign
  }

  /// Where in the structure the position is.
  private enum Place: Sendable {
    case start
    case root(Container)
    case log(Container)
    case pages(Container)
    case entries(Container)
    case end
  }

  /// The place in an object or array.
  private enum Container: Sendable {
    /// The first member or element, or the end.
    case first
    /// A comma or the end.
    case separator
    /// A member or element: a comma came before it.
    case next
    /// A value, which the reader has not taken yet.
    case value
  }

  /// Bytes fed and not yet passed; `position` is the next byte to look at.
  private(set) var buffer: [UInt8] = []
  private(set) var position = 0
  /// Bytes of the text before `buffer`.
  private(set) var origin = 0
  private(set) var isFinished = false
  /// The name of the member whose value is at the position.
  private(set) var name = ""
  /// Which of the two arrays have begun.
  private(set) var hasPages = false
  private(set) var hasEntries = false
  private var place = Place.start
  private var hasLog = false
  /// The search for the end of the value at `position`, if that value was incomplete.
  private var scanner: ValueScanner?
  private let valueSizeLimit: Int
  private var pageCount = 0
  /// Members of the log and beside it.
  private var memberCount = 0

  /// Readers keep all pages and members in memory.
  private static let (pageLimit, memberLimit) = (65_536, 4_096)

  init(valueSizeLimit: Int) {
    self.valueSizeLimit = valueSizeLimit
  }

  /// Continues after an entry that ends at `offset` of the text.
  init(valueSizeLimit: Int, behindEntryAt offset: Int) {
    self.init(valueSizeLimit: valueSizeLimit)
    origin = offset
    place = .entries(.separator)
    hasLog = true
    hasEntries = true
  }

  mutating func feed(_ bytes: Span<UInt8>) {
    if position > 0 {
      origin += position
      buffer.removeFirst(position)
      position = 0
    }
    buffer.append(bytes: bytes)
  }

  mutating func finish() {
    isFinished = true
  }

  /// Moves to the next value; `nil` when more bytes are needed or, after `finish()`, at the end of the text.
  ///
  /// Until that value is taken, it is the next one again.
  mutating func advance() throws(HARReadError) -> Value? {
    while true {
      switch place {
      case .start: guard try stepStart() else { return nil }
      case .root(.value):
        guard let byte = try nextByte() else { return nil }
        guard name == "log" else { return .foreign }
        guard byte == UInt8(ascii: "{") else { throw failure(.missingLog) }
        position += 1
        hasLog = true
        place = .log(.first)
      case .root(let container): guard try stepMember(container, Place.root, end: .end) else { return nil }
      case .log(.value):
        guard let byte = try nextByte() else { return nil }
        guard byte == UInt8(ascii: "["), name == "pages" || name == "entries" else { return .member }
        position += 1
        if name == "pages" {
          hasPages = true
          place = .pages(.first)
        } else {
          hasEntries = true
          place = .entries(.first)
        }
      case .log(let container): guard try stepMember(container, Place.log, end: .root(.separator)) else { return nil }
      case .pages(.value): return .page
      case .pages(let container): guard try stepElement(container, Place.pages, of: "pages") else { return nil }
      case .entries(.value): return .entry
      case .entries(let container): guard try stepElement(container, Place.entries, of: "entries") else { return nil }
      case .end:
        try stepEnd()
        return nil
      }
    }
  }

  /// The range of the complete value at the position in the buffer; `nil` when its end has not come yet.
  mutating func frame() throws(HARReadError) -> Range<Int>? {
    var scanner = self.scanner ?? ValueScanner()
    let length = scanner.length(in: buffer.span.extracting(position..<buffer.count), isLast: isFinished)
    if let length {
      self.scanner = nil
      return position..<position + length
    }
    if isFinished { throw HARReadError(kind: .unexpectedEnd, offset: origin + buffer.count) }
    if buffer.count - position > valueSizeLimit { throw failure(.tooLarge(limit: valueSizeLimit)) }
    self.scanner = scanner
    return nil
  }

  /// Whether the end of the value at the position was searched for and has not come.
  var isWaiting: Bool { scanner != nil }

  /// Moves past the value at the position, which ends at `end`.
  mutating func take(upTo end: Int) {
    position = end
    scanner = nil
    switch place {
    case .root(.value): place = .root(.separator)
    case .log(.value): place = .log(.separator)
    case .pages(.value): place = .pages(.separator)
    case .entries(.value): place = .entries(.separator)
    case .start, .end, .root, .log, .pages, .entries: preconditionFailure("a value is taken only where one stands")
    }
  }

  func failure(_ kind: HARReadError.Kind) -> HARReadError {
    HARReadError(kind: kind, offset: origin + position)
  }

  // MARK: Between the values. Each step says whether it could be made.

  private mutating func stepStart() throws(HARReadError) -> Bool {
    if origin == 0, position == 0 {
      // A byte order mark, complete or incomplete.
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      if buffer.starts(with: mark) {
        position = mark.count
      } else if !isFinished, mark.starts(with: buffer) {
        return false
      }
    }
    guard let byte = try nextByte() else { return false }
    guard byte == UInt8(ascii: "{") else { throw failure(.expected("an object")) }
    position += 1
    place = .root(.first)
    return true
  }

  /// A member's name, or the end of the object.
  private mutating func stepMember(
    _ container: Container, _ here: (Container) -> Place, end: Place
  ) throws(HARReadError) -> Bool {
    guard let byte = try nextByte() else { return false }
    switch (container, byte) {
    case (.first, UInt8(ascii: "}")), (.separator, UInt8(ascii: "}")):
      position += 1
      place = end
    case (.separator, UInt8(ascii: ",")):
      position += 1
      place = here(.next)
    case (.first, UInt8(ascii: "\"")), (.next, UInt8(ascii: "\"")):
      guard let range = try frame(), try hasColon(after: range) else { return false }
      memberCount += 1
      guard memberCount <= Self.memberLimit else { throw failure(.tooMany("members of a log", limit: Self.memberLimit)) }
      place = here(.value)
    case (.separator, _): throw failure(.expected("a comma or the end of the object"))
    case (.first, _), (.next, _): throw failure(.expected("a member's name"))
    case (.value, _): preconditionFailure("a value is taken before the next member is looked for")
    }
    return true
  }

  /// An element of `pages` or `entries`, or the end of the array.
  private mutating func stepElement(
    _ container: Container, _ here: (Container) -> Place, of array: String
  ) throws(HARReadError) -> Bool {
    guard let byte = try nextByte() else { return false }
    switch (container, byte) {
    case (.first, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")):
      position += 1
      place = .log(.separator)
    case (.separator, UInt8(ascii: ",")):
      position += 1
      place = here(.next)
    case (.separator, _): throw failure(.expected("a comma or the end of \(array)"))
    case (.first, let byte) where JSONBytes.beginsValue(byte), (.next, let byte) where JSONBytes.beginsValue(byte):
      place = here(.value)
      if array == "pages" {
        pageCount += 1
        guard pageCount <= Self.pageLimit else { throw failure(.tooMany("pages", limit: Self.pageLimit)) }
      }
    case (.first, _), (.next, _): throw failure(.expected("an object in \(array)"))
    case (.value, _): preconditionFailure("a value is taken before the next element is looked for")
    }
    return true
  }

  private mutating func stepEnd() throws(HARReadError) {
    while position < buffer.count {
      guard JSONBytes.isWhiteSpace(buffer[position]) else { throw failure(.expected("the end of the text")) }
      position += 1
    }
    if isFinished, !hasLog { throw failure(.missingLog) }
  }

  /// The next byte that is not white space, without taking it; `nil` when more bytes are needed.
  private mutating func nextByte() throws(HARReadError) -> UInt8? {
    while position < buffer.count {
      let byte = buffer[position]
      guard JSONBytes.isWhiteSpace(byte) else { return byte }
      position += 1
    }
    if isFinished { throw failure(.unexpectedEnd) }
    return nil
  }

  /// Reads the name in `range` and moves past the colon that must follow; `false` when the colon has not come yet.
  private mutating func hasColon(after range: Range<Int>) throws(HARReadError) -> Bool {
    var index = range.upperBound
    while index < buffer.count, JSONBytes.isWhiteSpace(buffer[index]) { index += 1 }
    guard index < buffer.count else {
      guard isFinished else { return false }
      position = index
      throw failure(.unexpectedEnd)
    }
    guard buffer[index] == UInt8(ascii: ":") else {
      position = index
      throw failure(.expected("a colon"))
    }
    name = try buffer.span.withParser(range: range, origin: origin) { (parser) throws(HARReadError) in
      try parser.readString()
    }
    position = index + 1
    return true
  }
}
