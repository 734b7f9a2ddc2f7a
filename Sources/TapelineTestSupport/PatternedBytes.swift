/// `count` bytes without a visible pattern, the same for the same `seed`: lost, repeated or moved bytes show.
package func patternedBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    // xorshift64: every byte value, including HTTP's own delimiters, comes soon.
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: state >> shift))
    }
  }
  bytes.removeLast(bytes.count - count)
  return bytes
}
