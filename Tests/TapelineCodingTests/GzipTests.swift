import TapelineTestSupport
import Testing

@testable import TapelineCoding

@Suite("Making gzip")
struct GzipTests {
  @Test("gzip reads it back, whatever its size", arguments: [0, 1, 70_000])
  func roundTrip(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) }
    let process = try TestProcess("gzip", ["-dc"], input: Gzip.compress(bytes.span))
    #expect(try process.wait().isSuccess, "\(process.errorText)")
    #expect(process.standardOutput == bytes)
  }
}
