import Testing

@testable import TapelineHAR

struct HARLogTests {
  @Test func survivesTheRoundTrip() throws {
    let log = HARLog(
      creator: HARCreator(name: "t", version: "1"), browser: HARCreator(name: "b", version: "2"),
      pages: [HARPage(startedDateTime: "d", id: "p", title: "x", pageTimings: HARPageTimings(onLoad: -1))],
      entries: [.started("1"), .started("2")], comment: "c", custom: ["_a": [1, 2]])
    #expect(try HARLog(json: log.json) == log)
  }

  @Test func anEmptyLogIsOneToo() throws {
    let log = HARLog(creator: HARCreator(name: "t", version: "1"))
    #expect(
      String(decoding: log.json, as: UTF8.self).hasPrefix(#"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"#))
    #expect(try HARLog(json: log.json) == log)
  }

  @Test func membersKnownOnlyAtTheEnd() throws {
    var writer = JSONWriter()
    HARFraming.open(HARLog(creator: HARCreator(name: "t", version: "1")), in: &writer)
    writer.append(entry: HAREntry.started("1"))
    HARFraming.separate(in: &writer)
    writer.append(entry: HAREntry.started("2"))
    HARFraming.close(custom: ["_dropped": ["bodies": 1]], in: &writer)
    let log = try HARLog(json: writer.bytes)
    #expect(log.entries.count == 2)
    #expect(log.custom == ["_dropped": ["bodies": 1]])
  }
}
