import TapelineHTTP
import Testing

@testable import TapelineProxy

/// The ends of events, however the bytes are cut into pieces.
@Suite struct EventCounterTests {
  private static func counter(_ type: String, _ coding: String = "identity", isWebSocket: Bool = false) -> EventCounter? {
    EventCounter(
      ResponseHead(status: 200, fields: ["Content-Type": type, "Content-Encoding": coding]), isWebSocket: isWebSocket)
  }

  /// Where the event with this number ends in all bytes, if they come in pieces of this size.
  private static func end(of number: UInt64, _ counter: EventCounter, _ bytes: [UInt8], pieces size: Int) -> Int? {
    var counter = counter
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = Array(bytes[start..<min(start + size, bytes.count)])
      if let end = counter.end(of: number, in: piece.span) { return start + end }
    }
    return nil
  }

  @Test(
    "An event of an event stream ends with the empty line after its data",
    arguments: [
      ("data: a\n\ndata: b\n\n", [9, 18]), ("data: a\r\n\r\ndata: b\r\n\r\n", [11, 22]), ("data: a\ndata: b\n\n", [17]),
      ("event: x\nid: 1\ndata\n\n", [21]), (": a comment\n\nretry: 3\n\n\n\ndata:a\n\n", [33]), ("database: x\n\n", []),
      ("data: cut\n", []), ("\n\n\n", []),
    ])
  func eventStreams(text: String, ends: [Int]) throws {
    let counter = try #require(Self.counter("text/event-stream; charset=utf-8"))
    try expect(counter, Array(text.utf8), ends)
  }

  @Test("A line of JSON lines is an event unless it is empty", arguments: ["application/x-ndjson", "application/jsonl"])
  func jsonLines(type: String) throws {
    try expect(try #require(Self.counter(type)), Array("{}\n\n[1]\r\n\r\n2\n3".utf8), [3, 9, 13])
  }

  @Test("A message of a call, and one of a WebSocket, is an event; frames between messages are none")
  func messages() throws {
    let call = try #require(Self.counter("application/grpc", "gzip"))
    try expect(call, [0, 0, 0, 0, 2, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1], [7, 12])
    let socket = try #require(Self.counter("", isWebSocket: true))
    // A text, a ping, and a binary in two frames with a pong between them.
    try expect(
      socket, [0x81, 1, 0x61, 0x89, 0, 0x02, 1, 1, 0x8A, 0, 0x80, 2, 1, 2, 0x82, 0], [3, 14, 16])
  }

  @Test("Other responses, and streams that are compressed, have no events that can be counted")
  func none() {
    for type in ["", "text/html", "application/json", "multipart/x-mixed-replace"] { #expect(Self.counter(type) == nil) }
    #expect(Self.counter("text/event-stream", "br") == nil)
  }

  private func expect(_ counter: EventCounter, _ bytes: [UInt8], _ ends: [Int]) throws {
    for size in [1, 2, 3, 7, 100] {
      let found = (1...UInt64(ends.count + 1)).map { Self.end(of: $0, counter, bytes, pieces: size) }
      #expect(found == ends.map(Optional.init) + [nil], "pieces of \(size)")
    }
  }
}
