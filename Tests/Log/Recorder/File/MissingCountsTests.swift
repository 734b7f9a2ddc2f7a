import TapelineHAR
import Testing

@testable import TapelineRecorder

struct MissingCountsTests {
  private func closed(_ pages: String, _ missing: MissingCounts) throws -> HARLog {
    let closing = FileClosing(pages: Array(pages.utf8), missing: missing)
    return try HARLog(json: Array("{\"log\":{\"entries\":[".utf8) + closing.bytes)
  }

  @Test func addUp() {
    var counts = MissingCounts(bodies: 1, exchanges: 2, unwritten: 3)
    counts += MissingCounts(bodies: 10, exchanges: 20, unwritten: 30)
    #expect(counts == MissingCounts(bodies: 11, exchanges: 22, unwritten: 33))
  }

  @Test func nothingIsNotMentioned() throws {
    #expect(try closed("", MissingCounts()).custom.isEmpty)
  }

  @Test func whatIsMissingIsSaidBehindThePages() throws {
    let log = try closed(
      #"{"startedDateTime":"d","id":"page_1","title":"t","pageTimings":{}}"#, MissingCounts(bodies: 1, exchanges: 2, unwritten: 3)
    )
    #expect(log.pages.map(\.id) == ["page_1"])
    #expect(log.custom["_dropped"] == ["bodies": 1, "exchanges": 2, "unwritten": 3])
  }
}
