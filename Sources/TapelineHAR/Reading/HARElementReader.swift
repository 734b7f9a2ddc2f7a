/// Takes a HAR of any size apart into pages, entries and other members of its `log`, by the bytes in which they stand.
///
/// For whoever copies elements, or reads them as values of their own: nothing is known of them but where they begin and end.
/// It is used like a `HARReader`.
public struct HARElementReader: Sendable {
  /// A piece of the text that is one value.
  public struct Element: Sendable, Hashable {
    /// What the value is.
    public enum Kind: Sendable, Hashable {
      /// An element of `pages`.
      case page
      /// An element of `entries`.
      case entry
      /// A member of `log`, its name; `pages` or `entries` only when it is no array.
      case member(String)
    }

    /// What the value is.
    public let kind: Kind
    /// Bytes from the start of the text.
    public let range: Range<Int>
  }

  private var cursor: HARCursor

  /// - Parameter valueSizeLimit: the largest element, in bytes, that is held in memory.
  public init(valueSizeLimit: Int = 1 << 30) {
    cursor = HARCursor(valueSizeLimit: valueSizeLimit)
  }

  /// Goes on in a text that has been read before, behind an entry that ends at `offset` of it: what follows there is fed.
  package init(behindEntryAt offset: Int, valueSizeLimit: Int = 1 << 30) {
    cursor = HARCursor(valueSizeLimit: valueSizeLimit, behindEntryAt: offset)
  }

  /// Takes the next bytes of the text.
  public mutating func feed(_ bytes: Span<UInt8>) {
    cursor.feed(bytes)
  }

  /// Says that the text has ended.
  public mutating func finish() {
    cursor.finish()
  }

  /// The next element; `nil` when more bytes are needed or, after `finish()`, when there is none.
  ///
  /// An element is not looked into: `withBytes` lends it to whoever wants to know whether it is JSON.
  public mutating func next() throws(HARReadError) -> Element? {
    while let value = try cursor.advance() {
      guard let range = try cursor.frame() else { return nil }
      let kind: Element.Kind? =
        switch value {
        case .page: .page
        case .entry: .entry
        case .member: .member(cursor.name)
        case .foreign: nil
        }
      cursor.take(upTo: range.upperBound)
      guard let kind else { continue }
      return Element(kind: kind, range: cursor.origin + range.lowerBound..<cursor.origin + range.upperBound)
    }
    return nil
  }

  /// Lends the bytes of the element that `next` gave last. They are gone with the next `feed`.
  public func withBytes<Result, Failure: Error>(
    of element: Element, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = element.range.lowerBound - cursor.origin
    precondition(start >= 0, "an element's bytes are there until more are fed")
    return try body(cursor.buffer.span.extracting(start..<start + element.range.count))
  }

  /// Whether an array `pages` has begun.
  public var hasPages: Bool { cursor.hasPages }

  /// Whether an array `entries` has begun.
  public var hasEntries: Bool { cursor.hasEntries }

  /// Bytes of the text that have been passed by: everything before was whole.
  public var offset: Int { cursor.origin + cursor.position }

  /// Bytes of the text that have been fed.
  var end: Int { cursor.origin + cursor.buffer.count }

  /// Lends all bytes from `offset` on that have been fed; it must not lie before the element that `next` gave last.
  func withRest<Result, Failure: Error>(
    from offset: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = offset - cursor.origin
    precondition(start >= 0, "bytes are there until they are passed by and more are fed")
    return try body(cursor.buffer.span.extracting(start..<cursor.buffer.count))
  }
}

extension HARValue {
  /// Reads a value from bytes that hold exactly one.
  public init(json bytes: Span<UInt8>) throws(HARReadError) {
    self = try bytes.withParser(range: 0..<bytes.count) { (parser) throws(HARReadError) in
      let value = try parser.readValue()
      try parser.expectEnd()
      return value
    }
  }

  /// The value as JSON text in one line.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.append(value: self)
    return writer.bytes
  }
}
