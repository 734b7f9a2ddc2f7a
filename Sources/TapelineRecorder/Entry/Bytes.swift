extension Span<UInt8> {
  /// Where `byte` first stands, from `start` on.
  func first(of byte: UInt8, from start: Int = 0) -> Int? {
    var index = start
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  func first(where isWanted: (UInt8) -> Bool) -> Int? {
    var index = 0
    while index < count {
      if isWanted(self[index]) { return index }
      index += 1
    }
    return nil
  }

  /// `range` without the blanks at both ends.
  func trimmedBlanks(_ range: Range<Int>) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper, self[lower] == 0x20 || self[lower] == 0x09 { lower += 1 }
    while lower < upper, self[upper - 1] == 0x20 || self[upper - 1] == 0x09 { upper -= 1 }
    return lower..<upper
  }

  /// Whether the bytes of `range` are `text`, letters of either case; `text` is in lower case.
  func equals(_ text: StaticString, in range: Range<Int>) -> Bool {
    range.count == text.utf8CodeUnitCount && starts(with: text, in: range)
  }

  /// Whether the bytes of `range` start with `text`, letters of either case; `text` is in lower case.
  func starts(with text: StaticString, in range: Range<Int>) -> Bool {
    guard range.count >= text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount {
      let byte = self[range.lowerBound + offset]
      let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      let expected = unsafe text.utf8Start[offset]
      if lower != expected { return false }
    }
    return true
  }

  /// What stands between `//` and `@` before `end`, in a URL or a network-path reference (RFC 3986, 3.2.1).
  func userinfo(before end: Int) -> Range<Int>? {
    guard let slash = first(of: UInt8(ascii: "/")), slash + 1 < end, self[slash + 1] == UInt8(ascii: "/") else { return nil }
    let start = slash + 2
    let authorityEnd = Swift.min(first(of: UInt8(ascii: "/"), from: start) ?? end, end)
    // The last one: a careless password has an @ too.
    var index = authorityEnd - 1
    while index >= start {
      if self[index] == UInt8(ascii: "@") { return start..<index }
      index -= 1
    }
    return nil
  }
}

extension [UInt8] {
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// A copy.
  var array: [UInt8] {
    var copy: [UInt8] = []
    copy.append(self)
    return copy
  }
}
