import Testing

@testable import TapelineProxy

@Suite("Bytes that wait") struct WaitingBytesTests {
  private func pieces(_ bytes: inout WaitingBytes, limit: Int) -> [[UInt8]] {
    var all: [[UInt8]] = []
    while let piece = bytes.take(atMost: limit) { all.append(piece) }
    return all
  }

  @Test("They leave in order and are counted, whatever the limits are", arguments: [1, 3, 100]) func order(limit: Int) {
    var bytes = WaitingBytes()
    var left: [UInt8] = []
    for round in 0..<5 {
      bytes.append([UInt8(4 * round), UInt8(4 * round + 1), UInt8(4 * round + 2), UInt8(4 * round + 3)].span)
      left += bytes.take(atMost: limit) ?? []
      #expect(bytes.count == 4 * (round + 1) - left.count)
    }
    left += pieces(&bytes, limit: limit).flatMap(\.self)
    #expect(left == Array(0..<20))
    #expect(bytes.isEmpty && bytes.count == 0)
  }

  @Test("Small pieces are put together, and large ones leave as they came") func pieces() {
    var bytes = WaitingBytes()
    for size in [10_000, 6_384, 1, 40_000] { bytes.append([UInt8](repeating: 7, count: size).span) }
    #expect(bytes.count == 56_385)
    #expect(pieces(&bytes, limit: 100_000).map(\.count) == [16_384, 1, 40_000])
  }
}
