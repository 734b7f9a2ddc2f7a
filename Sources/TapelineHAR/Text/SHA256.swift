/// SHA-256 (FIPS 180-4), for the names of recorded bodies and the policy of a report: less than a library to depend on.
package struct SHA256 {
  private var state: InlineArray<8, UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]

  package struct Digest: Hashable, Sendable {
    package let bytes: [UInt8]

    /// In lower case.
    package var hexadecimal: String {
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
  }

  private static let blockSize = 64

  package static func hash(_ bytes: Span<UInt8>) -> Digest {
    var hash = SHA256()
    let wholeEnd = bytes.count / blockSize * blockSize
    var index = 0
    while index < wholeEnd {
      hash.absorb(bytes, at: index)
      index += blockSize
    }
    // The rest, one bit, zeros, and the length in bits (5.1.1).
    var last = [UInt8](copying: bytes.extracting(wholeEnd..<bytes.count))
    last.append(0x80)
    while last.count % blockSize != blockSize - 8 { last.append(0) }
    let bits = UInt64(bytes.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) { last.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    for start in stride(from: 0, to: last.count, by: blockSize) { hash.absorb(last.span, at: start) }
    return hash.digest
  }

  private var digest: Digest {
    var bytes: [UInt8] = []
    for index in state.indices {
      for shift in stride(from: 24, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: state[index] >> UInt32(shift)))
      }
    }
    return Digest(bytes: bytes)
  }

  /// One block (6.2.2).
  private mutating func absorb(_ bytes: Span<UInt8>, at start: Int) {
    var schedule = InlineArray<64, UInt32>(repeating: 0)
    for index in 0..<16 {
      let place = start + 4 * index
      schedule[index] =
        UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16 | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])
    }
    for index in 16..<64 {
      let early = schedule[index - 15]
      let late = schedule[index - 2]
      let mixedEarly = rotated(early, by: 7) ^ rotated(early, by: 18) ^ early &>> 3
      let mixedLate = rotated(late, by: 17) ^ rotated(late, by: 19) ^ late &>> 10
      schedule[index] = schedule[index - 16] &+ mixedEarly &+ schedule[index - 7] &+ mixedLate
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let chosen = e & f ^ ~e & g
      let first =
        h &+ (rotated(e, by: 6) ^ rotated(e, by: 11) ^ rotated(e, by: 25)) &+ chosen &+ Self.constants[index] &+ schedule[index]
      let majority = a & b ^ a & c ^ b & c
      let second = (rotated(a, by: 2) ^ rotated(a, by: 13) ^ rotated(a, by: 22)) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  private func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 {
    word &>> bits | word &<< (32 - bits)
  }

  private static let constants: InlineArray<64, UInt32> = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
