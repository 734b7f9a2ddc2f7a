import Testing

@testable import TapelineInspect

@Suite("Duration text")
struct DurationTextTests {
  @Test(
    "Six characters say enough",
    arguments: [
      (0, "0.00ms"), (0.412, "0.41ms"), (9.994, "9.99ms"), (9.996, "10.0ms"), (12.34, "12.3ms"), (99.96, "100ms"),
      (123.4, "123ms"), (999.4, "999ms"), (999.6, "1.00s"), (1_234, "1.23s"), (12_345, "12.3s"), (59_940, "59.9s"),
      (59_960, "1m00s"), (723_000, "12m03s"), (3_600_000, "1h00m"), (112_080_000, "31h08m"), (1e12, ">99h"),
      (-1, "-"), (.nan, "-"), (.infinity, "-"),
    ])
  func compact(milliseconds: Double, text: String) {
    #expect(DurationText.compact(milliseconds) == text)
    #expect(text.count <= 6)
  }

  @Test(
    "The exact form has three decimals",
    arguments: [(0, "0.000 ms"), (0.0004, "0.000 ms"), (12.3456, "12.346 ms"), (-0.5, "-0.500 ms")])
  func exact(milliseconds: Double, text: String) {
    #expect(DurationText.exact(milliseconds) == text)
  }
}
