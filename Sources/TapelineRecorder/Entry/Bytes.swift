internal import TapelineText

extension Span<UInt8> {
  func first(where isWanted: (UInt8) -> Bool) -> Int? {
    var index = 0
    while index < count {
      if isWanted(self[index]) { return index }
      index += 1
    }
    return nil
  }

  /// The bytes between `//` and `@` before `end`, in a URL or a network-path reference (RFC 3986, 3.2.1), even a malformed one:
  /// the text before the slashes need not be a scheme.
  func userinfo(before end: Int) -> Range<Int>? {
    guard let slash = first(of: UInt8(ascii: "/")), slash + 1 < end, self[slash + 1] == UInt8(ascii: "/") else { return nil }
    let start = slash + 2
    let authorityEnd = Swift.min(first(of: UInt8(ascii: "/"), from: start) ?? end, end)
    return AuthorityRanges(self, in: Swift.min(start, authorityEnd)..<authorityEnd).userinfo
  }
}

extension Span<UInt8> {
  /// A copy.
  var array: [UInt8] {
    var copy: [UInt8] = []
    copy.append(bytes: self)
    return copy
  }
}
