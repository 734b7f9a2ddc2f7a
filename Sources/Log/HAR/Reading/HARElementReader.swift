/// Splits a HAR of any size into pages, entries, other members of its `log` and those beside it, as ranges of bytes.
///
/// For callers that copy elements, or read them as values of their own: the reader only finds where elements begin and end.
/// Use it like a `HARReader`.
public struct HARElementReader: Sendable {
  /// A piece of the text that is one value.
  public struct Element: Sendable, Hashable {
    /// The kind of the value.
    public enum Kind: Sendable, Hashable {
      /// An element of `pages`.
      case page
      /// An element of `entries`.
      case entry
      /// A member of `log`, by its name; `pages` or `entries` only when it is not an array.
      case member(String)
      /// A member beside `log`, by its name.
      case beside(String)
    }

    /// The kind of the value.
    public let kind: Kind
    /// Bytes from the start of the text.
    public let range: Range<Int>
  }

  private var cursor: HARCursor

  /// - Parameter valueSizeLimit: the largest element, in bytes, that is held in memory.
  public init(valueSizeLimit: Int = 1 << 30) {
    cursor = HARCursor(valueSizeLimit: valueSizeLimit)
  }

  /// Continues in a text that has been read before, after an entry that ends at `offset`: feed the bytes that follow it.
  package init(behindEntryAt offset: Int, valueSizeLimit: Int = 1 << 30) {
    cursor = HARCursor(valueSizeLimit: valueSizeLimit, behindEntryAt: offset)
  }

  /// Takes the next bytes of the text.
  public mutating func feed(_ bytes: Span<UInt8>) {
    cursor.feed(bytes)
  }

  /// Ends the text.
  public mutating func finish() {
    cursor.finish()
  }

  /// The next element; `nil` when more bytes are needed or, after `finish()`, when no element is left.
  ///
  /// Elements are not parsed: `withBytes` lends them to callers that want to check that they are JSON.
  public mutating func next() throws(HARReadError) -> Element? {
    if let value = try cursor.advance() {
      guard let range = try cursor.frame() else { return nil }
      let kind: Element.Kind =
        switch value {
        case .page: .page
        case .entry: .entry
        case .member: .member(cursor.name)
        case .foreign: .beside(cursor.name)
        }
      cursor.take(upTo: range.upperBound)
      return Element(kind: kind, range: cursor.origin + range.lowerBound..<cursor.origin + range.upperBound)
    }
    return nil
  }

  /// Lends the bytes of the element that `next` returned last. They are valid until the next `feed`.
  public func withBytes<Result, Failure: Error>(
    of element: Element, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = element.range.lowerBound - cursor.origin
    precondition(start >= 0, "an element's bytes are there until more are fed")
    return try body(cursor.buffer.span.extracting(start..<start + element.range.count))
  }

  /// The number of bytes that are held.
  package var heldCount: Int { cursor.buffer.count }

  /// Whether an array `pages` has begun.
  public var hasPages: Bool { cursor.hasPages }

  /// Whether an array `entries` has begun.
  public var hasEntries: Bool { cursor.hasEntries }

  /// Bytes of the text that have been passed: everything before was complete.
  public var offset: Int { cursor.origin + cursor.position }

  /// Bytes of the text that have been fed.
  var end: Int { cursor.origin + cursor.buffer.count }

  /// Lends all fed bytes from `offset` on; `offset` must not lie before the element that `next` returned last.
  func withRest<Result, Failure: Error>(
    from offset: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = offset - cursor.origin
    precondition(start >= 0, "bytes are there until they are passed by and more are fed")
    return try body(cursor.buffer.span.extracting(start..<cursor.buffer.count))
  }
}

extension HARValue {
  /// Reads a value from bytes that hold exactly one, by RFC 8259. Bytes that are not UTF-8, and escapes that are half of a
  /// character, become U+FFFD.
  public init(json bytes: Span<UInt8>) throws(HARReadError) {
    let oddities: JSONOddities
    (self, oddities) = try Self.reading(bytes)
    if oddities.contains(.controlCharacter) { throw HARReadError(kind: .invalidString, offset: 0) }
    if oddities.contains(.tooDeep) { throw HARReadError(kind: .tooDeep, offset: 0) }
  }

  /// The same for values in logs: control characters are kept, and what is nested too deeply becomes null.
  package init(odd bytes: Span<UInt8>) throws(HARReadError) {
    self = try Self.reading(bytes).value
  }

  private static func reading(_ bytes: Span<UInt8>) throws(HARReadError) -> (value: HARValue, oddities: JSONOddities) {
    try bytes.withParser(range: 0..<bytes.count) { (parser) throws(HARReadError) in
      let value = try parser.readValue()
      try parser.expectEnd()
      return (value, parser.oddities)
    }
  }

  /// Removes the member or element at the end of a path, if it is there.
  mutating func remove(at steps: ArraySlice<HARPath.Step>) {
    guard let step = steps.first else { return }
    switch (self, step) {
    case (.object(var object), .member(let name)):
      if steps.count == 1 {
        object[name] = nil
      } else if var value = object[name] {
        value.remove(at: steps.dropFirst())
        object[name] = value
      }
      self = .object(object)
    case (.array(var elements), .element(let index)):
      guard elements.indices.contains(index) else { return }
      if steps.count == 1 { elements.remove(at: index) } else { elements[index].remove(at: steps.dropFirst()) }
      self = .array(elements)
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, .member), (.object, .element): break
    }
  }

  /// The value as JSON text in one line.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.append(value: self)
    return writer.bytes
  }
}
