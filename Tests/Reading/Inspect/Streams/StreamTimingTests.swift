import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Timing of streams")
struct StreamTimingTests {
  /// An event stream of events with these data, which came at these milliseconds.
  static func entry(_ events: [(Double, String)], sentLast: Int? = 2_000) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.000Z"
    let texts = events.map { "data: \($0.1)\n\n" }
    let text = texts.joined()
    entry.response.content = HARContent(size: text.utf8.count, mimeType: "text/event-stream", text: text)
    entry.response.bodySize = text.utf8.count
    entry.custom["_chunks"] = .array(
      zip(events, texts).map { ["ts": .number(HARNumber(Int($0.0 * 1_000))), "bytes": .number(HARNumber($1.utf8.count))] })
    if let sentLast { entry.custom["_events"] = ["sentLast": .number(HARNumber(sentLast))] }
    return entry
  }

  @Test("The first content, the gaps, stalls and the rate")
  func figures() throws {
    let entry = Self.entry([(10, ""), (102, "a"), (112, "b"), (1_512, "c"), (1_512, "d")])
    let timing = try #require(StreamTiming(entry))
    #expect(timing.count == 5 && timing.first == 100)
    #expect(timing.gaps.map(\.milliseconds) == [92, 10, 1_400, 0])
    #expect(timing.gap(50) == 10 && timing.gap(99) == 1_400 && timing.gap(100) == 1_400)
    #expect(timing.stalls() == 1 && timing.stalls(above: 50) == 2)
    #expect(timing.longest(2).map(\.index) == [3, 1])
    #expect(timing.rate.map { ($0 * 100).rounded() } == 266)
    #expect(StreamTiming(.ordinary()) == nil)
  }

  @Test("Without marks, the request had gone out when its phases were over")
  func phases() throws {
    var entry = Self.entry([(102, "a")], sentLast: nil)
    entry.timings = HARTimings(blocked: 1, dns: -1, connect: 4, send: 2, wait: 90, receive: 3, ssl: -1)
    #expect(try #require(StreamTiming(entry)).first == 95)
  }

  @Test("Messages of a WebSocket: those that have content in the log, and the times of the others")
  func webSocket() throws {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.000Z"
    entry.custom["_webSocketMessages"] = [
      ["type": "send", "time": 1_767_323_045, "opcode": 1, "data": "q"],
      ["type": "receive", "time": 1_767_323_045, "opcode": 9, "data": ""],
      ["type": "receive", "time": 1_767_323_046, "opcode": 1, "data": "a"],
    ]
    var writer = JSONWriter()
    for number in [3_000_000, 70, 2, 500_000, 9, 3] { writer.append(arrival: number) }
    entry.custom["_webSocketRest"] = .string(String(decoding: writer.bytes, as: UTF8.self))
    entry.custom["_webSocketMessagesDropped"] = 2
    let stream = try #require(RecordedStream(entry))
    #expect(stream.events.map(\.isSent) == [true, false, false, false, true])
    #expect(stream.events.map(\.name) == ["text", "ping", "text", "text", "text"])
    #expect(stream.events.map(\.size) == [1, 0, 1, 70, 9] && stream.leftOut == 0)
    let timing = StreamTiming(stream, of: entry)
    #expect(timing.count == 3 && timing.gaps.map(\.milliseconds) == [1_000, 2_000])
  }

  @Test("Messages of a call: times from the list and the rest, payloads from the bodies")
  func call() throws {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.000Z"
    entry.response.content = HARContent(
      size: 14, mimeType: "application/grpc", text: Base64.encode([0, 0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 2, 9, 9]), encoding: "base64")
    entry.response.bodySize = 14
    var writer = JSONWriter()
    for number in [30_000, 2, 0, 1, 4, 4] { writer.append(arrival: number) }
    entry.custom["_grpc"] = [
      "requestMessages": 1, "responseMessages": 3,
      "messages": [
        ["type": "send", "time": 1_767_323_045, "size": 5, "compressed": false],
        ["type": "receive", "time": .number(HARNumber(1_767_323_045.01)), "size": 2, "compressed": false],
      ], "rest": .string(String(decoding: writer.bytes, as: UTF8.self)),
    ]
    let stream = try #require(RecordedStream(entry))
    #expect(stream.events.map(\.name) == ["message", "message", "message", "trailers"])
    #expect(stream.events.map { $0.data.map(Array.init) } == [nil, [7, 8], [9, 9], nil])
    #expect(stream.leftOut == 1)
    let timing = StreamTiming(stream, of: entry)
    #expect(timing.count == 3 && timing.gaps.map { $0.milliseconds.rounded() } == [20], "trailers are no event")
  }

  @Test("Only calls have trailers: an event of this name is an event")
  func trailers() throws {
    var entry = Self.entry([(10, "a"), (20, "b")])
    entry.response.content.text = "event:trailers\ndata: a\n\ndata: b\n\n"
    entry.response.bodySize = 33
    entry.custom["_chunks"] = [["ts": 10_000, "bytes": 24], ["ts": 20_000, "bytes": 9]]
    #expect(try #require(StreamTiming(entry)).count == 2)
    entry.response.content = HARContent(
      size: 13, mimeType: "application/connect+json", text: Base64.encode([0, 0, 0, 0, 1, 55, 2, 0, 0, 0, 2, 123, 125]),
      encoding: "base64")
    entry.response.bodySize = 13
    entry.custom["_chunks"] = [["ts": 10_000, "bytes": 6], ["ts": 20_000, "bytes": 7]]
    let timing = try #require(StreamTiming(entry))
    #expect(timing.count == 1 && timing.gaps.isEmpty)
    #expect(RecordedStream(entry)?.events.map(\.name) == ["message", "trailers"])
  }

  @Test("show draws it: the gaps, the longest with the events after them, and what may have collected events")
  func drawing() {
    let plain = Palette(isColored: false)
    let lines = StreamDrawing.lines(
      of: Self.entry([(102, "a"), (112, "b"), (1_612, "c"), (1_622, "d")]), stall: 1_000, width: 80, palette: plain)
    #expect(
      lines == [
        "4 events from the server (event stream), in 4 pieces, first content 100ms after", "the request, 1.97 per second",
        "gaps p50 10.0ms, p99 1.50s, longest 1.50s; 1 above 1.00s", "▁█▁", "  1.50s before event 3, at 1.61s: message c",
        " 10.0ms before event 2, at 112ms: message b", " 10.0ms before event 4, at 1.62s: message d",
      ])
    var buffered = Self.entry((0..<20).map { (100, "\($0)") })
    let size = buffered.response.bodySize
    buffered.custom["_chunks"] = [["ts": 1_000, "bytes": 20], ["ts": 9_000, "bytes": .number(HARNumber(size - 20))]]
    #expect(
      StreamDrawing.lines(of: buffered, stall: 1_000, width: 200, palette: plain).last
        == "20 events came in 2 pieces: something on the way may collect them, as nginx does with proxy_buffering on, or the server itself"
    )
    #expect(StreamDrawing.lines(of: .ordinary(), stall: 1_000, width: 80, palette: plain) == [])
    #expect(
      EventStreamText.lines(of: Self.entry([(102, "a"), (112, "b")]), palette: plain)
        == ["  102ms       - message a", "  112ms  10.0ms message b"])
  }

  @Test("Figures of many streams are over all their gaps; a group has those of its own")
  func statistics() {
    var statistics = StreamStatistics(by: [.host], stall: 50)
    statistics.add(Self.entry([(10, "a"), (20, "b"), (30, "c")]), number: 1)
    statistics.add(Self.entry([(10, "a"), (110, "b")]), number: 2)
    statistics.add(.ordinary(), number: 3)
    #expect(statistics.json["streams"] == 2 && statistics.json["events"] == 5 && statistics.json["stalls"] == 1)
    #expect(statistics.json["gap"]?["count"] == 3 && statistics.json["gap"]?["max"] == 100)
    #expect(statistics.json["groups"]?.array?.count == 1)
    #expect(statistics.lines(groupCount: 10, width: 120, palette: Palette(isColored: false)).count == 3)
  }

  @Test("A rule's percentile is over all gaps of all streams")
  func rule() throws {
    func result(_ rule: String) throws -> AssertionResult {
      var check = AssertionCheck(try Assertion(rule), baseline: AssertionBaseline(for: try Assertion(rule)), naming: 2)
      check.add(Self.entry([(10, "a"), (20, "b"), (30, "c"), (40, "d")]), number: 1)
      check.add(Self.entry([(10, "a"), (110, "b")]), number: 2)
      check.add(.ordinary(), number: 3)
      return check.result
    }
    #expect(try result("p50(event.gap) == 10ms").message == "measured 10ms over 4 gaps")
    let broken = try result("max(event.gap) < 50ms")
    #expect(broken.outcome == .failed && broken.offenders.map(\.number) == [2])
    #expect(broken.offenders.first?.facts.map(\.text) == ["100ms"])
    let field = try Query("event.gap > 50ms")
    #expect(field.matches(Self.entry([(10, "a"), (110, "b")]), number: 1))
    #expect(!field.matches(Self.entry([(10, "a"), (20, "b")]), number: 1))
    #expect(!field.matches(.ordinary(), number: 1))
    #expect(
      try Query("events == 2 and event.gap.max == 100ms and event.stalls == 0 and event.first == 8ms").matches(
        Self.entry([(10, "a"), (110, "b")]), number: 1))
  }

  @Test("The waterfall has a tick for each cell in which events came")
  func ticks() throws {
    let ticks = try #require(StreamTicks(Self.entry([(10, "a"), (10, "b"), (20, "c")])))
    #expect(ticks.times == [10, 20] && ticks.text == "3 events, longest gap 10.0ms")
    #expect(StreamTicks(Self.entry([(10, "a")])) == nil)
  }
}
