import Testing

@testable import TapelineHAR

struct HARReaderTests {
  private let text = #"""
     {"before":[1,{"log":2}], "log" : {"version":"1.2","entries":[ {"startedDateTime":"a","comment":"}]\"\\"} ,
    {"startedDateTime":"b"}],"creator":{"name":"n","version":"v"},"_x":12,"browser":{"name":"b"},"comment":"c",
    "pages":[{"id":"p"}],"version":3} ,"after":"]}"}
    """#

  private func events(_ pieces: [[UInt8]]) throws(HARReadError) -> [HARReader.Event] {
    var reader = HARReader()
    var events: [HARReader.Event] = []
    for piece in pieces {
      reader.feed(piece)
      while let event = try reader.next() { events.append(event) }
    }
    reader.finish()
    while let event = try reader.next() { events.append(event) }
    return events
  }

  private var expected: [HARReader.Event] {
    var page = HARPage()
    page.id = "p"
    return [
      .beside(HARObject.Member(name: "before", value: [1, ["log": 2]])), .version("1.2"),
      .entry(.started("a", comment: "}]\"\\")), .entry(.started("b")),
      .creator(HARCreator(name: "n", version: "v")), .member(HARObject.Member(name: "_x", value: 12)),
      .browser(HARCreator(name: "b", version: "")), .comment("c"), .page(page),
      .member(HARObject.Member(name: "version", value: 3)), .beside(HARObject.Member(name: "after", value: "]}")),
    ]
  }

  @Test func readsMembersInAnyOrder() throws {
    #expect(try events([Array(text.utf8)]) == expected)
  }

  @Test func anySplitIsTheSame() throws {
    let bytes = Array(text.utf8)
    for split in 0...bytes.count {
      #expect(try events([Array(bytes[..<split]), Array(bytes[split...])]) == expected)
    }
    #expect(try events(bytes.map { [$0] }) == expected)
  }

  @Test func passesOverAByteOrderMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = mark + Array(text.utf8)
    #expect(try events([bytes]) == expected)
    #expect(try events(bytes.map { [$0] }) == expected)
  }

  @Test(arguments: ["{}", "{\"log\":[]}", "{\"log\":null}", "{\"LOG\":{}}"])
  func wantsALog(text: String) {
    #expect { try events([Array(text.utf8)]) } throws: { ($0 as? HARReadError)?.kind == .missingLog }
  }

  @Test func cutAnywhereItSaysSo() {
    let bytes = Array(text.utf8)
    for end in 0..<bytes.count - 1 {
      #expect(throws: HARReadError.self, "cut at \(end)") { try events([Array(bytes[..<end])]) }
    }
  }

  @Test(arguments: [
    ("[]", 0), ("{\"log\":{\"entries\":[{}{}]}}", 21), ("{\"log\":{\"entries\":[{},]}}", 22),
    ("{\"log\":{}} x", 11), ("{\"log\":{\"a\":1 \"b\":2}}", 14), ("{\"log\":{},}", 10),
    ("{\"log\":{\"entries\":[{\"a\":tru", 27),
  ])
  func errorsSayWhere(text: String, offset: Int) {
    #expect { try events([Array(text.utf8)]) } throws: { ($0 as? HARReadError)?.offset == offset }
    #expect { try events(text.utf8.map { [$0] }) } throws: { ($0 as? HARReadError)?.offset == offset }
  }

  @Test func offsetsCountFromTheStartOfTheText() {
    let entries = (0..<1_000).map { "{\"comment\":\"\($0)\"}" }.joined(separator: ",")
    let head = "{\"log\":{\"entries\":[\(entries)"
    let bytes = Array((head + "!]}}").utf8)
    let pieces = stride(from: 0, to: bytes.count, by: 100).map { Array(bytes[$0..<min($0 + 100, bytes.count)]) }
    #expect { try events(pieces) } throws: { ($0 as? HARReadError)?.offset == head.utf8.count }
  }

  @Test func memoryHoldsOneEntry() throws {
    var reader = HARReader()
    reader.feed(Array("{\"log\":{\"entries\":[".utf8))
    let entry = Array(("{\"comment\":\"" + String(repeating: "x", count: 1_000) + "\"},").utf8)
    for _ in 0..<10_000 {
      reader.feed(entry)
      while try reader.next() != nil {}
      #expect(reader.heldCount <= 2 * entry.count)
    }
  }

  @Test func oneEntryMayNotBeEndless() {
    var reader = HARReader(valueSizeLimit: 10_000)
    reader.feed(Array("{\"log\":{\"entries\":[{\"comment\":\"".utf8))
    #expect {
      while true {
        reader.feed([UInt8](repeating: UInt8(ascii: "x"), count: 1_000))
        _ = try reader.next()
      }
    } throws: {
      ($0 as? HARReadError)?.kind == .tooLarge(limit: 10_000)
    }
  }
}

extension HAREntry {
  static func started(_ text: String, comment: String? = nil) -> HAREntry {
    var entry = HAREntry()
    entry.startedDateTime = text
    entry.comment = comment
    return entry
  }
}
