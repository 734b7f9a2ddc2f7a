internal import TapelineText

/// The value of a `Content-Range` (RFC 9110 14.4).
enum ContentRange: Sendable, Hashable {
  /// Bytes `first` to `last` of a representation of `length` bytes, if that is known.
  case part(first: UInt64, last: UInt64, length: UInt64?)
  /// None of the requested bytes exist.
  case unsatisfied(length: UInt64)

  /// Reads byte ranges only: nobody asked for others.
  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let length = Self.number(halves[1])
    if halves[0] == "*" {
      guard let length else { return nil }
      self = .unsatisfied(length: length)
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last, last < .max else {
      return nil
    }
    guard length != nil || halves[1] == "*" else { return nil }
    if let length, last >= length { return nil }
    self = .part(first: first, last: last, length: length)
  }

  private static func number(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy(Byte.isDigit) else { return nil }
    return UInt64(text)
  }
}
