import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Event stream")
struct EventStreamTests {
  private func events(_ text: String) -> [StreamEvent] { DecodedEvents(eventStream: Array(text.utf8)).events }

  /// Names, ids and data alone.
  private func told(_ text: String) -> [[String]] { events(text).map { [$0.id, $0.name, $0.text] } }

  @Test("The examples of the standard")
  func standard() {
    #expect(told("data: YHOO\ndata: +2\ndata: 10\n\n") == [["", "message", "YHOO\n+2\n10"]])
    #expect(
      told(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n")
        == [["1", "message", "first event"], ["", "message", "second event"]])
    #expect(told("data\n\ndata\ndata\n\ndata:") == [["", "message", ""], ["", "message", "\n"]])
    #expect(told("data:test\n\ndata: test\n\n") == [["", "message", "test"], ["", "message", "test"]])
  }

  @Test("Lines end in LF, CR or CRLF; a byte order mark is none of them")
  func lines() {
    for end in ["\n", "\r", "\r\n"] {
      #expect(told("\u{FEFF}event: a\(end)data: b\(end)\(end)data: c\(end)\(end)") == [["", "a", "b"], ["", "message", "c"]])
    }
  }

  @Test("An id stays until there is another; one with a NUL is none; a name is for one event, one without data for nothing")
  func fields() {
    #expect(
      told("id: 7\ndata: a\n\ndata: b\n\nid: x\u{0}\ndata: c\n\nid\nevent: d\n\ndata: e\n\nretry: 5\nother: 1\ndata: f\n\n")
        == [
          ["7", "message", "a"], ["7", "message", "b"], ["7", "message", "c"], ["", "message", "e"], ["", "message", "f"],
        ])
  }

  @Test("An event of very many lines takes as long as they are")
  func manyLines() {
    let count = 400_000
    let events = events(String(repeating: "data\n", count: count) + "\n")
    #expect(events.map(\.data?.count) == [count - 1])
  }

  @Test("Pings, the end of a model's stream and empty data are no content")
  func content() {
    let stream = ": hello\n\ndata\n\nevent: ping\ndata: {}\n\ndata: x\n\ndata: [DONE]\n\n"
    #expect(events(stream).map(\.hasContent) == [false, false, true, false])
  }

  @Test("2,000 generated streams are read as a reader by the letter of the standard reads them")
  func generated() {
    var random = SeededGenerator(seed: 60)
    for _ in 0..<2_000 {
      let stream = random.eventStream()
      let decoded = DecodedEvents(eventStream: stream)
      #expect(decoded.events.map { [$0.id, $0.name, $0.text] } == StandardReader.events(of: stream), "\(stream)")
      #expect(decoded.events.allSatisfy { $0.end <= stream.count })
    }
  }

  @Test("An event ends behind its empty line, and what has none is not told of")
  func ends() {
    #expect(events("data: a\n\ndata: b\r\n\r\n").map(\.end) == [9, 19])
    #expect(events("data: a\n\ndata: b\r\n\r\n").map(\.size) == [9, 10])
    #expect(DecodedEvents(eventStream: Array("data: a\n\ndata: b\n".utf8)).isUnfinished)
    #expect(DecodedEvents(eventStream: Array("data: a\n\ndata: b".utf8)).isUnfinished)
    #expect(!DecodedEvents(eventStream: Array("data: a\n\n: that is all\n".utf8)).isUnfinished)
    #expect(DecodedEvents(eventStream: []) == DecodedEvents())
  }
}

@Suite("Recorded events")
struct RecordedEventsTests {
  private func entry(_ text: String, type: String = "text/event-stream; charset=utf-8", chunks: [(Int, Int)] = []) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.000Z"
    entry.response.content = HARContent(size: text.utf8.count, mimeType: type, text: text)
    entry.response.bodySize = text.utf8.count
    entry.custom["_chunks"] = .array(
      chunks.map { ["ts": .number(HARNumber($0)), "bytes": .number(HARNumber($1))] })
    return entry
  }

  private func times(_ entry: HAREntry) -> [Double?]? { RecordedStream(entry)?.events.map(\.time) }

  @Test("An event came when its last byte did")
  func pieces() {
    let text = "data: a\n\ndata: b\n\ndata: c\n\n"
    #expect(times(entry(text, chunks: [(1_000, 9), (2_500, 9), (4_000, 9)])) == [1, 2.5, 4])
    #expect(times(entry(text, chunks: [(1_000, 17), (4_000, 10)])) == [1, 4, 4])
    #expect(times(entry(text, chunks: [(1_000, 9), (2_000, 9)])) == [1, 2, nil], "the list of pieces is bounded")
    #expect(times(entry(text)) == [nil, nil, nil])
  }

  @Test("However the stream was cut, an event came with the piece that completed it")
  func everySplit() {
    let text = "\u{FEFF}id: 1\r\ndata: é\r\n\r\n: c\n\nretry: 5\ndata: b\n\ndata: c\r\r"
    let size = text.utf8.count
    let ends = DecodedEvents(eventStream: Array(text.utf8)).events.map(\.end)
    #expect(ends.count == 3)
    for first in 0...size {
      for second in first...size {
        let pieces = [first, second - first, size - second].filter { $0 > 0 }
        let cuts = pieces.indices.map { pieces[...$0].reduce(0, +) }
        let expected = ends.map { end in cuts.firstIndex { $0 >= end }.map { Double($0 + 1) } }
        let chunks = pieces.enumerated().map { (($0 + 1) * 1_000, $1) }
        #expect(times(entry(text, chunks: chunks)) == expected)
      }
    }
  }

  @Test("The compact text of a log tells the same as the list of older logs")
  func compact() {
    var entry = entry("data: a\n\ndata: b\n\n")
    entry.custom["_chunks"] = .string(Self.arrivals([1_000, 9, 1_500, 9]))
    #expect(times(entry) == [1, 2.5])
    #expect(RecordedPieces(entry).value == [["ts": 1_000, "bytes": 9], ["ts": 2_500, "bytes": 9]])
    #expect(RecordedPieces(entry).parts(of: 18)?.map(\.bytes) == [9, 9])
    entry.response.bodySize = 7
    #expect(times(entry) == [nil, nil], "it came in other bytes")
    entry.custom["_chunks"] = .string(Self.arrivals([1_000, 3, 1_500, 4]) + "." + Self.arrivals([0, 18]) + "+5")
    #expect(times(entry) == [2.5, 2.5], "decoding the first piece gave nothing")
    #expect(RecordedPieces(entry).leftOut == 5)
    entry.custom["_chunks"] = "?"
    #expect(times(entry) == [nil, nil])
  }

  private static func arrivals(_ numbers: [Int]) -> String {
    var writer = JSONWriter()
    for number in numbers { writer.append(arrival: number) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("Where the body in the log is not what came, nobody knows")
  func changed() {
    var entry = entry("data: a\n\n", chunks: [(1_000, 9)])
    entry.response.bodySize = 31
    #expect(times(entry) == [nil])
    entry.response.content.custom["_truncated"] = 22
    #expect(times(entry) == [1], "the beginning, as it came")
  }

  @Test("Chrome has a list of its own")
  func chrome() {
    var entry = entry("data: a\n\n")
    entry.custom["_eventSourceMessages"] = [["time": .number(HARNumber(1_767_323_045.25)), "eventName": "message"]]
    #expect(times(entry) == [250])
    entry.custom["_eventSourceMessages"] = []
    #expect(times(entry) == [nil])
  }

  @Test("No other response has events")
  func others() {
    #expect(RecordedStream(entry("data: a\n\n", type: "text/plain")) == nil)
    #expect(RecordedStream(.ordinary()) == nil)
  }

  @Test("A line each; what is long is cut, and what is not there takes no room")
  func lines() {
    let text = "id: 1\nevent: tick\ndata: {\"a\":1}\n\ndata: x\u{1B}\ndata: y\n\ndata: z"
    let plain = Palette(isColored: false)
    #expect(
      EventStreamText.lines(of: entry(text, chunks: [(12_300, 33), (250_000, 26)]), width: 80, palette: plain, limit: 9)
        == [
          "12.3ms       - 1 tick    {\"a\":1}", " 250ms   238ms 1 message x\u{FFFD}⏎y",
          "(the stream ends in the middle of an event)",
        ].map { $0.hasPrefix("(") ? $0 : " " + $0 })
    let lines = EventStreamText.lines(of: entry("data: a\n\ndata: b\n\n"), width: 80, palette: plain, limit: 1)
    #expect(lines == ["      -       - message a", "(… 1 more events; --events prints all)"])
    #expect(EventStreamText.lines(of: entry("nothing"), width: 80, palette: plain, limit: 9) == [])
  }
}
