import Testing

@testable import TapelineTLS

@Suite("UTC date")
struct UTCDateTests {
  @Test(
    "Seconds become the calendar's date",
    arguments: [
      (0, "19700101000000Z"), (951_827_696, "20000229123456Z"), (1_795_266_801, "20261121131321Z"),
      (2_524_607_999, "20491231235959Z"), (2_524_608_000, "20500101000000Z"), (4_107_542_399, "21000228235959Z"),
      (4_107_542_400, "21000301000000Z"),
    ] as [(Int64, String)])
  func compact(seconds: Int64, text: String) {
    #expect(UTCDate(unixSeconds: seconds).compactText == text)
  }

  @Test("A day is written as ISO 8601 does")
  func day() {
    #expect(UTCDate(unixSeconds: 951_827_696).dayText == "2000-02-29")
  }
}
