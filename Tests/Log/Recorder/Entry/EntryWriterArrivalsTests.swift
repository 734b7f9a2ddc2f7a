import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineInspect
import TapelineTime
import Testing

@testable import TapelineRecorder

/// What is written of the pieces of a stream is read back as times of its events.
@Suite("Arrivals in an entry")
struct EntryWriterArrivalsTests {
  /// A response whose pieces came a millisecond after each other.
  private func record(_ pieces: [[UInt8]], coding: String? = nil, limit: Int = 1 << 20) throws -> ExchangeRecord {
    var record = try ExampleExchange.make(
      responseFields: [("Content-Type", "text/event-stream")] + (coding.map { [("Content-Encoding", $0)] } ?? []),
      responseBody: ExampleExchange.body(pieces.flatMap(\.self), limit: limit))
    for (index, piece) in pieces.enumerated() {
      let instant = ExampleExchange.anchor.instant.advanced(byNanoseconds: Int64(index + 1) * 1_000_000)
      record.arrivals.append(instant, piece.count)
    }
    return record
  }

  private func times(_ record: ExchangeRecord, redacts: Bool = false) throws -> [Double?] {
    // The log has no body of one whose codings gave nothing yet.
    RecordedStream(try entry(of: record, redacts: redacts).0)?.events.map(\.time) ?? []
  }

  private static let events = ["data: one\n\n", "data: two\n\n", "data: three\n\n"].map { Array($0.utf8) }

  /// The beginning of a gzip member (RFC 1952), each text in a block that is stored as it is (RFC 1951 3.2.4), without its end.
  private static func gzip(_ texts: [[UInt8]]) -> [[UInt8]] {
    texts.enumerated().map { index, text in
      let head: [UInt8] = index == 0 ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] : []
      let size = UInt16(text.count)
      let sizes = [size, ~size].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
      return head + [0] + sizes + text
    }
  }

  @Test("A body as it came has the times of its pieces alone")
  func plain() throws {
    let record = try record(Self.events)
    let text = try #require(try entry(of: record).0.custom["_chunks"]?.string)
    #expect(ArrivalText(text)?.numbers == [1_000, 11, 1_000, 11, 1_000, 13] && !text.contains("."))
    #expect(try times(record) == [1, 2, 3])
  }

  @Test("Of a coded body, the log says what each piece completed: however the coded bytes were cut")
  func coded() throws {
    #expect(try times(record(Self.gzip(Self.events), coding: "gzip")) == [1, 2, 3])
    let whole = Self.gzip(Self.events).flatMap(\.self)
    for cut in 1..<whole.count {
      let pieces = [Array(whole[..<cut]), Array(whole[cut...])]
      let first = try times(record([pieces[0]], coding: "gzip")).count
      #expect(try times(record(pieces, coding: "gzip")) == (0..<3).map { $0 < first ? 1 : 2 }, "\(cut)")
    }
  }

  @Test("A secret that was hidden changes no event's time")
  func hidden() throws {
    let secret = #"data: {"password": "hunter2-is-long", "n": 1}"# + "\n\n"
    let pieces = [Array(secret.utf8), Self.events[0], Array(secret.utf8), Self.events[1]]
    let (entry, _) = try entry(of: record(pieces), redacts: true)
    #expect(entry.response.content.text?.contains("SENSITIVE_") == true)
    #expect(try times(record(pieces), redacts: true) == [1, 2, 3, 4])
    #expect(try times(record(Self.gzip(pieces), coding: "gzip"), redacts: true) == [1, 2, 3, 4])
  }

  @Test("Of a body that was cut, the events that it has keep their times")
  func cut() throws {
    #expect(try times(record(Self.events, limit: 25)) == [1, 2])
    var growing = try record(Self.events + [Array("data: fo".utf8)])
    growing.inFlightAt = ExampleExchange.anchor.instant.advanced(byNanoseconds: 9_000_000)
    #expect(try times(growing, redacts: true) == [1, 2, 3])
  }

  @Test("Messages beyond those that are kept have a compact text")
  func messages() throws {
    var record = try ExampleExchange.make(responseFields: [("Upgrade", "websocket")], responseBody: ExampleExchange.body(""))
    let start = ExampleExchange.anchor.instant
    record.webSocketMessages = [
      WebSocketMessage(
        instant: start.advanced(byNanoseconds: 1_000_000), direction: .toClient, opcode: 1, isCompressed: false, bytes: [65],
        size: 1)
    ]
    record.arrivals.append(
      start.advanced(byNanoseconds: 5_000_000), WebSocketMessage.figure(size: 70_000, opcode: 2, .toServer))
    record.arrivals.append(start.advanced(byNanoseconds: 9_000_000), WebSocketMessage.figure(size: 0, opcode: 10, .toClient))
    record.webSocketMessageCount = 3
    let webSocket = try #require(RecordedStream(try entry(of: record).0))
    #expect(webSocket.events.map { $0.time?.rounded() } == [1, 5, 9] && webSocket.events.map(\.size) == [1, 70_000, 0])
    #expect(webSocket.events.map(\.name) == ["text", "binary", "pong"])
    #expect(webSocket.events.map(\.isSent) == [false, true, false])
  }
}
