import Testing

@testable import tapeline

@Suite("Output name")
struct OutputNameTests {
  @Test(
    "UTC to the millisecond",
    arguments: [
      (0, "tapeline-19700101T000000.000Z.har"), (1_767_323_045_678_901_234, "tapeline-20260102T030405.678Z.har"),
      (951_782_400_009_999_999, "tapeline-20000229T000000.009Z.har"),
    ] as [(Int64, String)])
  func name(unixNanoseconds: Int64, name: String) {
    #expect(OutputName.standard(unixNanoseconds: unixNanoseconds) == name)
  }
}
