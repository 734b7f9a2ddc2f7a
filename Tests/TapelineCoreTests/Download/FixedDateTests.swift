import Testing

@testable import TapelineCore

@Suite struct FixedDateTests {
  @Test("4.10: dates in the fixed form (RFC 9110 5.6.7)")
  func reading() {
    #expect(FixedDate.seconds(of: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(FixedDate.seconds(of: "Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(FixedDate.seconds(of: "Thu, 29 Feb 2024 23:59:60 GMT") == 1_709_251_200)
    #expect(FixedDate.seconds(of: "Wed, 31 Dec 1969 23:59:59 GMT") == -1)
    #expect(FixedDate.seconds(of: "Mon, 01 Mar 0000 00:00:00 GMT") == -62_162_035_200)
  }

  @Test(
    "4.10: nothing else is read",
    arguments: [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
    ])
  func refusing(text: String) {
    #expect(FixedDate.seconds(of: text) == nil)
  }
}
