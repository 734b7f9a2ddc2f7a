import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Comma-separated values")
struct EntryTableTests {
  @Test("A line has a cell for each column, and ends as RFC 4180 wants")
  func line() {
    let heading = EntryTable.heading
    let line = EntryTable.line(for: .ordinary(), [])
    #expect(heading.hasSuffix("\r\n") && line.hasSuffix("\r\n"))
    #expect(
      line.dropLast()
        == "2026-01-02T03:04:05.678901Z,123.456,GET,http://example.com/a?b=1,HTTP/1.1,200,OK,,,text/plain,60,0,120,5,5,"
        + ",,1,2,30.456,,0.5,80,9.5,192.0.2.1,80,page_1,")
    #expect(heading.split(separator: ",").count == line.split(separator: ",", omittingEmptySubsequences: false).count)
  }

  @Test("The parts of client and proxy have columns, and blocked what is left; what the client ended says when")
  func client() {
    #expect(EntryTable.line(for: .afterSlowClient(), []).contains(",100,1,0.5,,12,10,0.456,8,1.5,"))
    #expect(EntryTable.line(for: .ended(), []).contains(",0,,,wait,x-unknown,"))
  }

  @Test("Cells with commas, quotes and line breaks stand between quotes")
  func quotes() {
    var entry = HAREntry.ordinary()
    entry.comment = "a \"b\", c\r\nd"
    entry.response.statusText = "no, not"
    let line = EntryTable.line(for: entry, [])
    #expect(line.hasSuffix(",\"a \"\"b\"\", c\r\nd\"\r\n"))
    #expect(line.contains(",\"no, not\","))
  }

  @Test("What is not known is empty; a failure says why")
  func failure() {
    let line = EntryTable.line(for: .refused(), [])
    #expect(line.contains(",0,,upstream refused in connect: Connection refused,,x-unknown,60,0,,,0,,,1,,3,,0,0,0,"))
  }
}
