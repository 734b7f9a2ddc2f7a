internal import TapelineBase

extension String {
  /// Bytes of a message as text: UTF-8 where they are valid UTF-8, otherwise Latin-1, byte by byte, so that nothing is lost.
  package init(bytes: Span<UInt8>) {
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
  /// Without blanks and control bytes; bytes beyond ASCII are allowed.
  var isVisible: Bool {
    for index in indices where self[index] <= Byte.space || self[index] == Byte.delete { return false }
    return true
  }

  /// Whether two runs of bytes are equal without regard to ASCII case.
  func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where Byte.lowercased(self[index]) != Byte.lowercased(other[index]) {
      return false
    }
    return true
  }
}

extension Span<UInt8> {
  /// Whether all bytes, at least one, may stand in a token (RFC 9110 5.6.2).
  package var isToken: Bool { !isEmpty && firstNonToken(from: 0) == count }
}

/// A range of bytes in a head, half the size of `Range<Int>`: heads are bounded far below 32 bits.
struct ByteRange: Hashable, Sendable {
  private let lowerBound: UInt32
  private let upperBound: UInt32

  init(_ range: Range<Int>) {
    lowerBound = UInt32(truncatingIfNeeded: range.lowerBound)
    upperBound = UInt32(truncatingIfNeeded: range.upperBound)
  }

  var range: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}

/// Whether text from others may go into a field line: checked before tapeline writes a line with it.
package enum FieldSyntax {
  /// field-name (RFC 9110 5.1).
  package static func isName(_ text: String) -> Bool {
    text.isToken
  }

  /// field-value (RFC 9110 5.5): no line end, no NUL, and no other control byte but HTAB.
  package static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= Byte.space && $0 != Byte.delete) || $0 == Byte.tab }
  }
}

extension [UInt8] {
  /// Appends `range` of `other`: one copy, no intermediate.
  mutating func append(_ range: Range<Int>, of other: [UInt8]) {
    append(bytes: other.span.extracting(range))
  }

  /// Makes room for `more` bytes at once, and keeps growth geometric when the array is appended to repeatedly.
  mutating func reserveRoom(for more: Int) {
    guard capacity - count < more else { return }
    reserveCapacity(Swift.max(count + more, capacity * 2))
  }
}
