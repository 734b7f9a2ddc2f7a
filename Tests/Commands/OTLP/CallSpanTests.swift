import TapelineHAR
import Testing

@testable import TapelineOTLP

@Suite("Spans of gRPC calls")
struct CallSpanTests {
  private static func call(_ members: HARObject) -> HAREntry {
    var entry = HAREntry(
      startedDateTime: "2026-01-02T03:04:05.000000Z", time: 10,
      request: HARRequest(method: "POST", url: "https://example.com/lamps.v1.Lamps/Find", httpVersion: "HTTP/2"),
      response: HARResponse(
        status: 200, statusText: "", httpVersion: "HTTP/2", content: HARContent(size: 0, mimeType: "application/grpc")),
      timings: HARTimings(send: 1, wait: 8, receive: 1))
    entry.custom["_grpc"] = .object(members)
    return entry
  }

  private func span(_ entry: HAREntry) throws -> TraceSpan {
    var maker = SpanMaker()
    return try #require(maker.spans(for: entry, number: 1, page: nil).first)
  }

  private func value(_ name: String, of span: TraceSpan) -> TraceSpan.Value? {
    span.attributes.first { $0.name == name }?.value
  }

  @Test("A call has its service, its method and its status, which is the span's")
  func failed() throws {
    let span = try span(Self.call(["status": 8, "statusName": "RESOURCE_EXHAUSTED", "message": "slow down"]))
    #expect(span.name == "lamps.v1.Lamps/Find")
    #expect(value("rpc.system", of: span) == .string("grpc"))
    #expect(value("rpc.service", of: span) == .string("lamps.v1.Lamps"))
    #expect(value("rpc.method", of: span) == .string("Find"))
    #expect(value("rpc.grpc.status_code", of: span) == .integer(8))
    #expect(value("http.response.status_code", of: span) == .integer(200))
    #expect(value("error.type", of: span) == .string("RESOURCE_EXHAUSTED"))
    #expect(span.failure == "gRPC 8 RESOURCE_EXHAUSTED: slow down")
    let done = try self.span(Self.call(["status": 0, "statusName": "OK"]))
    #expect(done.failure == nil && value("error.type", of: done) == nil)
    #expect(value("rpc.grpc.status_code", of: done) == .integer(0))
  }

  @Test("Each message is an event, numbered in its direction; those that the log lacks are counted")
  func messages() throws {
    let start: Int64 = 1_767_323_045_000_000_000
    let call = Self.call([
      "status": 0, "requestMessages": 1, "responseMessages": 7,
      "messages": [
        ["type": "send", "time": .number(HARNumber(1_767_323_045.001)), "size": 5, "compressed": false],
        ["type": "receive", "time": .number(HARNumber(1_767_323_045.002)), "size": 50, "compressed": true],
        ["type": "receive", "time": .number(HARNumber(1_767_323_045.009)), "size": 60, "compressed": false],
        ["type": "receive", "time": .number(HARNumber(1_767_323_045.009)), "size": 20, "compressed": false, "trailers": true],
      ],
    ])
    let span = try span(call)
    #expect(span.events.map(\.name) == ["rpc.message", "rpc.message", "rpc.message"])
    #expect(span.events.map { $0.time - start } == [1_000_000, 2_000_000, 9_000_000])
    #expect(
      span.events.map { $0.attributes.map(\.value) } == [
        [.string("SENT"), .integer(1), .integer(5)], [.string("RECEIVED"), .integer(1), .integer(50)],
        [.string("RECEIVED"), .integer(2), .integer(60)],
      ])
    #expect(
      span.events.map { $0.attributes[2].name } == [
        "rpc.message.uncompressed_size", "rpc.message.compressed_size", "rpc.message.uncompressed_size",
      ])
    #expect(span.droppedEvents == 5)
    #expect(EncodedSpans([span]).bytes.count > EncodedSpans([try self.span(Self.call(["status": 0]))]).bytes.count)
  }

  @Test("A head of another program's log is enough for the status")
  func trailersOnly() throws {
    var entry = Self.call([:])
    entry.custom = [:]
    entry.response.headers = [HARHeader(name: "grpc-status", value: "5")]
    #expect(value("rpc.grpc.status_code", of: try span(entry)) == .integer(5))
  }
}
