import Testing

@testable import TapelineHAR

@Suite("Errors of operations")
struct OperationErrorTests {
  private static func entry(
    _ response: String?, type: String = "application/json", request: String? = nil, url: String = "https://api.test/v1"
  ) -> HAREntry {
    HAREntry(
      startedDateTime: "2026-01-02T03:04:05.000Z", time: 1,
      request: HARRequest(
        method: "POST", url: url, httpVersion: "HTTP/1.1",
        postData: request.map { HARPostData(mimeType: "application/json", text: $0) }),
      response: HARResponse(
        status: 200, statusText: "OK", httpVersion: "HTTP/1.1",
        content: HARContent(size: response?.utf8.count ?? 9, mimeType: type, text: response)),
      timings: HARTimings(send: 0, wait: 1, receive: 0))
  }

  /// As a table reads it, which asks for no bodies.
  private static func error(of entry: HAREntry) throws -> OperationError? {
    let read = try HAREntry(json: entry.json.span, parts: .overview)
    let error = OperationError(read.request, read.response)
    #expect(error == OperationError(entry.request, entry.response), "how much is read makes no difference")
    return error
  }

  private static let query = #"{"operationName":"Me","query":"query Me { me { id } }","variables":{}}"#
  private static let failed = #"{"data":null,"errors":[{"message":"no such user","path":["me"]},{"message":"late"}]}"#

  @Test("GraphQL: by its request, its media type or its path, with the first message and the number of errors")
  func graphQL() throws {
    for entry in [
      Self.entry(Self.failed, request: Self.query),
      Self.entry(Self.failed, request: #"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"0"}}}"#),
      Self.entry(Self.failed, type: "application/graphql-response+json; charset=utf-8"),
      Self.entry(Self.failed, url: "https://api.test/shop/GraphQL?op=Me"),
    ] {
      let error = try #require(try Self.error(of: entry))
      #expect(error.language == .graphQL && error.code == nil)
      #expect(error.message == "no such user" && error.count == 2)
    }
  }

  @Test("One operation of a batch is enough")
  func batches() throws {
    let batch = Self.entry(
      #"[{"data":{"a":1}},{"errors":[{"message":"denied"}]},{"errors":[{"message":"too"}]}]"#, request: "[\(Self.query)]")
    #expect(try Self.error(of: batch)?.message == "denied")
    #expect(try Self.error(of: batch)?.count == 2)
    let calls = Self.entry(
      #" [{"jsonrpc":"2.0","result":7,"id":1},{"jsonrpc":"2.0","error":{"code":-32601,"message":"no method"},"id":2}]"#)
    let error = try #require(try Self.error(of: calls))
    #expect(error.language == .jsonRPC && error.code == -32_601 && error.message == "no method" && error.count == 1)
  }

  @Test("JSON-RPC says itself what it is")
  func jsonRPC() throws {
    let failed = Self.entry(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy","data":{"errors":[1]}}}"#)
    #expect(try Self.error(of: failed)?.code == -32_000)
  }

  @Test("An event of an event stream may be the result of an operation, as in MCP and GraphQL over SSE")
  func events() throws {
    func stream(_ text: String, request: String? = nil) -> HAREntry {
      Self.entry(text, type: "text/event-stream; charset=utf-8", request: request)
    }
    let fine = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"error\":1}}\n\n"
    let failed =
      "id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\ndata: \"message\":\"no such tool\"}}\n\n"
    let error = try #require(try Self.error(of: stream(": hello\n\n" + fine + failed + fine + failed)))
    #expect(error.language == .jsonRPC && error.code == -32_602 && error.message == "no such tool" && error.count == 2)
    for end in ["\r\n", "\r"] {
      #expect(try Self.error(of: stream(failed.replacing("\n", with: end)))?.message == "no such tool")
    }
    #expect(try Self.error(of: stream("\u{FEFF}\(failed.dropFirst(6))"))?.message == "no such tool", "behind a byte order mark")
    #expect(try Self.error(of: stream(fine + "data: {\"jsonrpc\":\"2.0\",\"error\":{\"co")) == nil)
    #expect(try Self.error(of: stream("data: [DONE]\ndata: \"error\"\n\n" + fine)) == nil)
    #expect(try Self.error(of: Self.entry(failed, type: "text/plain")) == nil)
    #expect(try Self.error(of: stream("event: next\ndata: \(Self.failed)\n\n")) == nil)
    #expect(try Self.error(of: stream("event: next\ndata: \(Self.failed)\n\n", request: Self.query))?.count == 2)
  }

  @Test(
    "What says nothing of an operation",
    arguments: [
      entry(failed), entry(#"{"data":{},"errors":[]}"#, request: query), entry(#"{"errors":["x"]}"#, request: query),
      entry(#"{"data":{"errors":[{"message":"x"}]}}"#, request: query),
      entry(#"{"errors":[{"message":"x"}],"status":422}"#, request: query),
      entry(String(failed.dropLast(2)), request: query), entry(nil, request: query), entry("", request: query),
      entry(#"{"jsonrpc":"2.0","result":{"error":1},"id":1}"#), entry(#"{"jsonrpc":"2.0","error":null,"id":1}"#),
      entry(#"{"error":{"code":1,"message":"x"}}"#), entry(#"{"jsonrpc":"2.0","error":"x"}"#),
      entry(#""jsonrpc \"error\"""#), entry(#"{"query":"error"}"#, request: query), entry("[[[[\"error\"]]]"),
    ])
  func silent(entry: HAREntry) throws {
    #expect(try Self.error(of: entry) == nil)
  }

  @Test("An entry whose body may report an error is not counted by its figures alone")
  func figures() throws {
    func isOrdinary(_ entry: HAREntry) -> Bool {
      let bytes = entry.json
      do throws(HARReadError) {
        return try bytes.span.withParser(range: 0..<bytes.count, parts: .figures) { (parser) throws(HARReadError) in
          try ScannedEntry(figuresFrom: &parser) != nil
        }
      } catch {
        return false
      }
    }
    #expect(isOrdinary(Self.entry(#"{"data":{}}"#)))
    #expect(!isOrdinary(Self.entry(Self.failed)))
    var call = Self.entry(nil)
    call.custom["_grpc"] = ["status": 8]
    #expect(!isOrdinary(call))
    call.custom = [:]
    call.response.headers = [HARHeader(name: "Grpc-Status", value: "8")]
    #expect(!isOrdinary(call))
    #expect(try HAREntry(json: call.json.span, parts: .overview).response.headers.count == 1)
  }
}
