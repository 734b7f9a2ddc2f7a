import Testing

@testable import TapelineHAR

@Suite("Streaming writer")
struct HARWriterTests {
  private struct Full: Error, Equatable {}

  @Test("Writes what a log in memory writes, in pieces")
  func pieces() throws {
    var log = HARLog(creator: HARCreator(name: "t", version: "1"), pages: [HARPage(startedDateTime: "d", id: "p", title: "x")])
    log.entries = (0..<2_000).map { .started("\($0)", comment: String(repeating: "x", count: 100)) }
    let sink = Sink()
    var count = 0
    var writer = HARWriter(log) { (piece) throws(Never) in
      sink.append(piece)
      count += 1
    }
    for entry in log.entries { writer.write(entry) }
    writer.finish()
    #expect(sink.bytes == log.json)
    #expect(count > 2)
  }

  @Test("Pages may be known only at the end")
  func pagesAtTheEnd() throws {
    let page = HARPage(startedDateTime: "d", id: "p", title: "x")
    let sink = Sink()
    var writer = HARWriter(HARLog(creator: HARCreator(name: "t", version: "1")), withPages: false) { (piece) throws(Never) in
      sink.append(piece)
    }
    writer.write(.started("1"))
    writer.finish(pages: [page], custom: ["_dropped": 1])
    let log = try HARLog(json: sink.bytes)
    #expect(log.pages == [page] && log.custom == ["_dropped": 1] && log.entries.count == 1)
    #expect(sink.text.split(separator: "\"pages\"").count == 2)
  }

  @Test("Entries from bytes stand in one line each")
  func bytes() throws {
    let sink = Sink()
    var writer = HARWriter(HARLog(creator: HARCreator(name: "t", version: "1"))) { (piece) throws(Never) in sink.append(piece) }
    writer.write(json: Array("{\n  \"comment\": \"a\\nb\",\r\n  \"time\": 1.50\n}".utf8).span)
    writer.write(json: Array("{}".utf8).span)
    writer.finish()
    #expect(sink.text.hasSuffix("\n{   \"comment\": \"a\\nb\",    \"time\": 1.50 },\n{}\n]}}\n"))
  }

  @Test("What the sink throws comes back")
  func failure() {
    var writer = HARWriter(HARLog(creator: HARCreator(name: "t", version: "1"))) { (_) throws(Full) in throw Full() }
    let long = HAREntry.started("1", comment: String(repeating: "x", count: 100_000))
    do throws(Full) {
      try writer.write(long)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error == Full())
    }
  }
}
