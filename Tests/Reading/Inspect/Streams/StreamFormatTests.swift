import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Formats of streams")
struct StreamFormatTests {
  private func data(_ events: DecodedEvents) -> [String] { events.events.map(\.text) }

  @Test("A JSON text per line, blank lines between them; the last may lack its end, if it is whole")
  func jsonLines() {
    let lines = DecodedEvents(jsonLines: Array("{\"a\":1}\n\r\n [2] \r\n\"x\"".utf8))
    #expect(data(lines) == ["{\"a\":1}", "[2]", "\"x\""])
    #expect(lines.events.map(\.end) == [8, 17, 20] && !lines.isUnfinished)
    let cut = DecodedEvents(jsonLines: Array("{\"a\":1}\n{\"b\"".utf8))
    #expect(data(cut) == ["{\"a\":1}"] && cut.isUnfinished)
    #expect(DecodedEvents(jsonLines: []) == DecodedEvents())
  }

  @Test("A JSON text between record separators may have lines of its own; a number needs its line feed")
  func jsonSequence() {
    let sequence = DecodedEvents(jsonSequence: Array("\u{1E}{\n\"a\":1}\n\u{1E}\u{1E}12\n\u{1E}{\"b\"".utf8))
    #expect(data(sequence) == ["{\n\"a\":1}", "12"] && sequence.isUnfinished)
    #expect(DecodedEvents(jsonSequence: Array("no".utf8)).isUnfinished)
  }

  @Test("Messages behind a prefix: gRPC, trailers of gRPC-Web, the end of a stream of Connect")
  func prefixed() {
    let bytes: [UInt8] = [0, 0, 0, 0, 2, 7, 8, 1, 0, 0, 0, 0, 0x80, 0, 0, 0, 1, 65, 2, 0, 0, 0, 2, 123, 125, 0, 0, 0]
    let messages = DecodedEvents(prefixed: bytes)
    #expect(messages.events.map(\.name) == ["message", "message", "trailers", "trailers"])
    #expect(messages.events.map(\.size) == [7, 5, 6, 7])
    #expect(messages.events.map(\.hasContent) == [true, false, false, false])
    #expect(messages.events.map(\.isCompressed) == [false, true, false, false])
    #expect(messages.isUnfinished)
    for end in bytes.indices {
      #expect(DecodedEvents(prefixed: Array(bytes[..<end])).events == messages.events.filter { $0.end <= end })
    }
    #expect(DecodedEvents(prefixed: [0x40, 0, 0, 0, 0]).isUnfinished, "no such flag")
    #expect(DecodedEvents.bytes(ofWebText: Array("AAAAAAI=BwgA".utf8)) == [0, 0, 0, 0, 2, 7, 8, 0])
  }

  /// A message with these text headers.
  private static func amazon(_ headers: [(String, String)], _ payload: String, _ others: [UInt8] = []) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).reversed().map { UInt8(value >> ($0 * 8) & 255) } }
    var head: [UInt8] = [UInt8(":flag".utf8.count)] + Array(":flag".utf8) + [0]
    for (name, value) in headers {
      head += [UInt8(name.utf8.count)] + Array(name.utf8) + [7] + number(value.utf8.count, 2) + Array(value.utf8)
    }
    head += others
    let size = 12 + head.count + payload.utf8.count + 4
    return number(size, 4) + number(head.count, 4) + [0, 0, 0, 0] + head + Array(payload.utf8) + [0, 0, 0, 0]
  }

  @Test("AWS event stream: the name is that of the event, and an exception is no content")
  func amazon() {
    let first = Self.amazon([(":event-type", "contentBlockDelta"), (":message-type", "event")], "{\"d\":1}")
    let bytes = first + Self.amazon([(":message-type", "exception"), (":exception-type", "throttled")], "{}") + [0, 0]
    let messages = DecodedEvents(amazon: bytes)
    #expect(messages.events.map(\.name) == ["contentBlockDelta", "throttled"])
    #expect(data(messages) == ["{\"d\":1}", "{}"] && messages.events.map(\.hasContent) == [true, false])
    #expect(messages.events.first?.end == first.count && messages.isUnfinished)
    for end in bytes.indices {
      #expect(DecodedEvents(amazon: Array(bytes[..<end])).events == messages.events.filter { $0.end <= end })
    }
  }

  @Test("A part ends with its length, else with the next delimiter")
  func parts() {
    let text =
      "--b\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\n\r\nabc\r\n--b\r\nX: y\r\n\r\nde--f\r\n--b\r\n\r\ng\r\n--b--\r\n"
    let parts = DecodedEvents(parts: Array(text.utf8), boundary: Array("b".utf8))
    #expect(data(parts) == ["abc", "de--f", "g"])
    #expect(parts.events.map(\.name) == ["image/jpeg", "text/plain", "text/plain"] && !parts.isUnfinished)
    #expect(parts.events.first?.end == text.utf8.count - text.split(separator: "abc")[1].utf8.count)
    let cut = DecodedEvents(parts: Array(text.utf8.prefix(20)), boundary: Array("b".utf8))
    #expect(cut.events.isEmpty && cut.isUnfinished)
    let bare = DecodedEvents(parts: Array("--b\n\nx--b\n--b\n\n\n--b--".utf8), boundary: Array("b".utf8))
    #expect(data(bare) == ["x--b", ""], "a delimiter begins a line, and a part may have no fields")
  }

  @Test("Headers of an AWS event without end take as long as they are")
  func manyHeaders() {
    let text: [UInt8] = [1, 120, 7, 0, 0]
    let bytes = Self.amazon([(":event-type", "a")], "", [UInt8]((0..<200_000).flatMap { _ in text }))
    #expect(DecodedEvents(amazon: bytes).events.map(\.name) == ["a"])
  }

  private func format(_ type: String) -> StreamFormat? {
    var entry = HAREntry.ordinary()
    entry.response.content.mimeType = type
    return StreamFormat(entry)
  }

  @Test("The media type tells the format, and so do the messages of a log")
  func formats() {
    #expect(format("Text/Event-Stream; charset=utf-8") == .eventStream && format("application/x-ndjson") == .jsonLines)
    #expect(format("application/json-seq") == .jsonSequence && format("application/connect+json") == .connect)
    #expect(format("multipart/x-mixed-replace; boundary=b") == .parts && format("application/json") == nil)
    var entry = HAREntry.ordinary()
    entry.custom["_grpc"] = [:]
    #expect(StreamFormat(entry) == .grpc)
    entry.custom["_webSocketMessages"] = []
    #expect(StreamFormat(entry) == .webSocket)
  }
}
