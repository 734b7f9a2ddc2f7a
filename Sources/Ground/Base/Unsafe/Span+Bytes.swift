internal import CVectors

extension Span<UInt8> {
  /// The index of the first `byte`, from `start` on.
  @inlinable
  public func first(of byte: UInt8, from start: Int = 0) -> Int? {
    var index = start
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Whether the bytes are well-formed UTF-8.
  package var isUTF8: Bool {
    do {
      _ = try UTF8Span(validating: extracting(droppingFirst: firstBeyondASCII))
      return true
    } catch {
      return false
    }
  }

  /// The index of the first byte that is not ASCII, or `count`. Most texts have none: they are looked through 32 bytes at a time.
  var firstBeyondASCII: Int {
    unsafe withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe byte_search_first_beyond_ascii(start, bytes.count)
    }
  }

  /// Eight bytes starting at `index`; the first is the least significant.
  @inlinable @inline(__always)
  public func word(at index: Int) -> UInt64 {
    precondition(index >= 0 && index <= count - 8, "a word is within the bytes")
    return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// `range` without the blanks at both ends.
  @inlinable
  public func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper, Byte.isBlank(self[lower]) { lower += 1 }
    while lower < upper, Byte.isBlank(self[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  /// Whether the bytes of `range` are `text`, ignoring case; `text` is in lower case.
  @inlinable
  public func equals(_ text: StaticString, in range: Range<Int>) -> Bool {
    range.count == text.utf8CodeUnitCount && starts(with: text, in: range)
  }

  /// Whether the bytes of `range` start with `text`, ignoring case; `text` is in lower case.
  @inlinable
  public func starts(with text: StaticString, in range: Range<Int>) -> Bool {
    guard range.count >= text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount {
      let expected = unsafe text.utf8Start[offset]
      if Byte.lowercased(self[range.lowerBound + offset]) != expected { return false }
    }
    return true
  }

  /// The bytes with ASCII letters in lower case.
  @inlinable
  public var asciiLowercased: [UInt8] {
    indices.map { Byte.lowercased(self[$0]) }
  }
}

extension [UInt8] {
  /// A copy of exactly these bytes.
  @inlinable
  public init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// Puts bytes in the place of as many that are there.
  public mutating func replace(at start: Int, with bytes: Span<UInt8>) {
    precondition(start >= 0 && start + bytes.count <= count, "bytes are replaced, not added")
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let source = source.baseAddress else { return }
      unsafe withUnsafeMutableBufferPointer { target in
        unsafe target.baseAddress?.advanced(by: start).update(from: source, count: bytes.count)
      }
    }
  }

  /// Appends borrowed bytes with one copy.
  @inlinable
  public mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
