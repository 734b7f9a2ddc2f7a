internal import TapelineText

extension String {
  /// Bytes of a message as text: UTF-8 where they are valid UTF-8, otherwise Latin-1, byte by byte, so that nothing is lost.
  init(bytes: Span<UInt8>) {
    do {
      self.init(copying: try UTF8Span(validating: bytes))
    } catch {
      self.init()
      for index in bytes.indices {
        unicodeScalars.append(Unicode.Scalar(bytes[index]))
      }
    }
  }
}

extension Span<UInt8> {
  /// Whether two runs of bytes are equal without regard to ASCII case.
  func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where Byte.lowercased(self[index]) != Byte.lowercased(other[index]) {
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
}
