/// `count` octets without a visible pattern, the same for the same `seed`: what is lost, repeated or moved on the way shows.
package func patternedOctets(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var octets: [UInt8] = []
  octets.reserveCapacity(count + 8)
  while octets.count < count {
    // xorshift64: every octet value, HTTP's own delimiters among them, comes soon.
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      octets.append(UInt8(truncatingIfNeeded: state >> shift))
    }
  }
  octets.removeLast(octets.count - count)
  return octets
}
