extension String {
  /// Octets of a message as text: UTF-8 where they are valid UTF-8, otherwise Latin-1, octet by octet, so that nothing is lost.
  init(octets: Span<UInt8>) {
    do {
      self.init(copying: try UTF8Span(validating: octets))
    } catch {
      self.init()
      for index in octets.indices {
        unicodeScalars.append(Unicode.Scalar(octets[index]))
      }
    }
  }
}

extension Span<UInt8> {
  /// Whether two runs of octets are equal without regard to ASCII case.
  func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where Octet.lowercased(self[index]) != Octet.lowercased(other[index]) {
      return false
    }
    return true
  }

  func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] {
      return false
    }
    return true
  }

  /// `range` without blanks at both ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper, Octet.isBlank(self[lower]) { lower += 1 }
    while lower < upper, Octet.isBlank(self[upper - 1]) { upper -= 1 }
    return lower..<upper
  }
}
