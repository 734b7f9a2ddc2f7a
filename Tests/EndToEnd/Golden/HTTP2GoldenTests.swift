import Testing

@Suite("Golden: HTTP/2 and gRPC")
struct HTTP2GoldenTests {
  private static let capture = "har/http2.har"

  @Test("Columns of versions, streams and calls, by width")
  func list() throws {
    try expectGolden(
      "http2-list",
      ["list", Self.capture, "--columns", "number,version,stream,grpc,grpc.messages,reset,url,status,phases,total"],
      columns: [80, 120, 160])
    try expectGolden(
      "http2-list-filter", ["list", Self.capture, "--filter", "grpc and grpc.status != 0 or reset"], columns: [60, 80])
  }

  @Test(
    "A stream, calls that went well and badly, a reset, and two versions",
    arguments: [
      ("stream", 3), ("call", 5), ("failed-call", 6), ("reset", 7), ("versions", 8),
    ])
  func show(name: String, number: Int) throws {
    try expectGolden("http2-show-\(name)", ["show", Self.capture, String(number)])
  }

  @Test("Its curl command")
  func curl() throws {
    try expectGolden("http2-curl", ["show", Self.capture, "1", "--curl"], columns: [80])
  }

  @Test("Streams of a connection overlap")
  func waterfall() throws {
    try expectGolden("http2-waterfall", ["waterfall", Self.capture, "--by", "connection"])
  }

  @Test("By connection and by version", arguments: ["connection", "version"])
  func stats(grouping: String) throws {
    try expectGolden("http2-stats-\(grouping)", ["stats", Self.capture, "--by", grouping, "--top", "3"])
  }

  @Test("Rules on calls")
  func assertion() throws {
    try expectGolden(
      "http2-assert", ["assert", Self.capture, "all(grpc.status == 0, grpc)", "none(reset)", "all(version == 2)"], columns: [80])
  }

  private static let webSocket = "har/http2-websocket.har"

  @Test("A WebSocket over HTTP/2 beside a tunnel: list, messages, no curl command, critical path")
  func webSocket() throws {
    try expectGolden("http2-websocket-list", ["list", Self.webSocket])
    try expectGolden("http2-websocket-show", ["show", Self.webSocket, "2"], columns: [80])
    try expectGolden("http2-websocket-curl", ["show", Self.webSocket, "2", "--curl"], columns: [80])
    try expectGolden("http2-websocket-stats", ["stats", Self.webSocket], columns: [80])
    try expectGolden("http2-websocket-critical", ["critical", Self.webSocket], columns: [80])
  }
}
