import Testing

@testable import TapelineCoding

struct GzipCompressorTests {
  @Test(
    "What is compressed decodes to what it was, message after message", arguments: [0, 1, 1_000, 200_000],
    [GzipCompressor.Aim.speed, .size])
  func decodes(size: Int, aim: GzipCompressor.Aim) throws {
    let compressor = GzipCompressor(for: aim)
    for seed in 0..<3 {
      let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7 / 3 + seed) }
      let output = try ContentDecoder().decode(compressor.compress(message), [.gzip], limit: 1 << 20)
      #expect(output.bytes == message && !output.isPartial)
    }
  }
}
