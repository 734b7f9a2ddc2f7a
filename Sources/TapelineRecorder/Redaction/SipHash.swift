/// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of bytes, short and made for this.
struct SipHash {
  private let key: (UInt64, UInt64)

  init(key: (UInt64, UInt64)) {
    self.key = key
  }

  func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var state = State(key: key)
    var index = 0
    while bytes.count - index >= 8 {
      state.absorb(Self.word(bytes, from: index, count: 8))
      index += 8
    }
    let last = Self.word(bytes, from: index, count: bytes.count - index)
    state.absorb(last | UInt64(truncatingIfNeeded: bytes.count) << 56)
    return state.finish()
  }

  /// Up to eight bytes as a little-endian number.
  private static func word(_ bytes: Span<UInt8>, from start: Int, count: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<count {
      word |= UInt64(bytes[start + offset]) << UInt64(8 * offset)
    }
    return word
  }

  private struct State {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(key: (UInt64, UInt64)) {
      v0 = key.0 ^ 0x736f_6d65_7073_6575
      v1 = key.1 ^ 0x646f_7261_6e64_6f6d
      v2 = key.0 ^ 0x6c79_6765_6e65_7261
      v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xff
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = rotated(v1, by: 13) ^ v0
      v0 = rotated(v0, by: 32)
      v2 &+= v3
      v3 = rotated(v3, by: 16) ^ v2
      v0 &+= v3
      v3 = rotated(v3, by: 21) ^ v0
      v2 &+= v1
      v1 = rotated(v1, by: 17) ^ v2
      v2 = rotated(v2, by: 32)
    }

    private func rotated(_ value: UInt64, by bits: UInt64) -> UInt64 {
      value &<< bits | value &>> (64 - bits)
    }
  }
}
