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
