import Testing

@testable import TapelineHAR

@Suite("How long an entry took")
struct HAREntryDurationTests {
  private func duration(_ members: String) throws -> Double? {
    try HAREntry(json: Array("{\(members)}".utf8)).duration
  }

  private let phases = #""timings":{"blocked":-1,"dns":null,"connect":10.1,"ssl":5,"send":0.2,"wait":20,"receive":0}"#

  @Test("Its time, if that can be", arguments: [("30", 30), ("0.5", 0.5), ("\"7\"", 7), ("99999999999", 99_999_999_999)])
  func time(text: String, expected: Double) throws {
    #expect(try duration(#""time":\#(text),\#(phases)"#) == expected)
    #expect(try duration(#""time":\#(text)"#) == expected)
  }

  @Test(
    "Else its phases together, and nothing if there are none",
    arguments: ["null", "-1", "-999", "1e999", "-1e999", "1e300", "1577836800000", "[]", "\"soon\"", "{}"])
  func noTime(text: String) throws {
    #expect(try duration(#""time":\#(text),\#(phases)"#) == 30.3)
    #expect(try duration(phases) == 30.3)
    for none in ["\"timings\":null", "\"timings\":{}", #""timings":{"send":0,"wait":0,"receive":0}"#, #""timings":{"wait":-5}"#] {
      #expect(try duration(#""time":\#(text),\#(none)"#) == nil)
      #expect(try duration(none) == nil)
    }
  }

  @Test("Not in no time what phases took")
  func zero() throws {
    #expect(try duration(#""time":0,\#(phases)"#) == 30.3)
    #expect(try duration(#""time":0,"timings":{"send":0,"wait":0,"receive":0}"#) == 0)
  }

  @Test("Phases that cannot be do not count")
  func impossiblePhases() throws {
    #expect(try duration(#""timings":{"send":1e999,"wait":3,"receive":-7,"connect":1577836800000}"#) == 3)
  }
}
