import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Failed operations")
struct FailedOperationTests {
  private static func call(_ status: Int, _ name: String? = nil, message: String? = nil) -> HAREntry {
    var entry = HAREntry.ordinary()
    var call: HARObject = ["status": .number(HARNumber(status)), "requestMessages": 1, "responseMessages": 0]
    call["statusName"] = name.map { .string($0) }
    call["message"] = message.map { .string($0) }
    entry.custom["_grpc"] = .object(call)
    return entry
  }

  static let exhausted = call(8, "RESOURCE_EXHAUSTED", message: "slow down")

  private static func operation(_ body: String) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.request.url = "https://api.test/graphql"
    entry.response.content = HARContent(size: body.utf8.count, mimeType: "application/json", text: body)
    return entry
  }

  static let graphQL = operation(#"{"errors":[{"message":"denied"}]}"#)
  static let jsonRPC = operation(#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no method"},"id":1}"#)

  @Test("A gRPC status other than OK is a failure with its name, and a code behind that of HTTP")
  func grpc() throws {
    let failure = try #require(RecordedFailure(Self.exhausted))
    #expect(failure.text == "gRPC 8 RESOURCE_EXHAUSTED: slow down" && failure.facts == "gRPC 8 RESOURCE_EXHAUSTED")
    #expect(failure.origin == "upstream" && failure.kind == "operation" && failure.phase == nil)
    #expect(ExchangeOutcome(Self.exhausted).text == "200/8" && ExchangeOutcome(Self.exhausted).isError)
    #expect(RecordedFailure(Self.call(99))?.text == "gRPC 99")
    #expect(RecordedFailure(Self.call(0, "OK")) == nil && ExchangeOutcome(Self.call(0, "OK")).text == "200")
    var silent = Self.call(0)
    silent.custom["_grpc"] = ["requestMessages": 1]
    #expect(RecordedFailure(silent) == nil)
    var broken = Self.exhausted
    broken.custom["_error"] = ["message": "reset"]
    #expect(ExchangeOutcome(broken).text == "200!", "what came before the end of the response does not count")
  }

  @Test("A head of another program's log has the status, too, with its message decoded")
  func trailersOnly() throws {
    var entry = HAREntry.ordinary()
    entry.response.headers += [
      HARHeader(name: "Grpc-Status", value: "5"), HARHeader(name: "grpc-message", value: "no%20caf%C3%A9"),
    ]
    let read = try HAREntry(json: entry.json.span, parts: .overview)
    #expect(RecordedFailure(read)?.text == "gRPC 5 NOT_FOUND: no café")
    #expect(ExchangeOutcome(read).text == "200/5")
  }

  @Test("Errors of GraphQL and JSON-RPC are failures of an answer")
  func bodies() {
    #expect(RecordedFailure(Self.graphQL)?.text == "GraphQL error: denied")
    #expect(RecordedFailure(Self.jsonRPC)?.text == "JSON-RPC error -32601: no method")
    #expect(ExchangeOutcome(Self.graphQL).text == "200!")
  }

  @Test("Everybody asks the same: rows, rules, queries, figures, comparisons and pages")
  func everybody() throws {
    for entry in [Self.exhausted, Self.graphQL, Self.jsonRPC] {
      let read = try HAREntry(json: entry.json.span, parts: CaptureStatistics.parts([.host]))
      #expect(try Query("error").matches(read, number: 1) && Query(#"error.kind == "operation""#).matches(read, number: 1))
      var check = AssertionCheck(
        try Assertion("none(error)"), baseline: AssertionBaseline(for: try Assertion("none(error)")), naming: 1)
      check.add(read, number: 1)
      #expect(check.result.outcome == .failed)
      var statistics = CaptureStatistics(by: [.host])
      statistics.add(read, number: 1)
      #expect(statistics.all.failures == 1 && statistics.all.total.count == 1, "it failed, and it was answered")
      var row = JSONWriter()
      ReportRow.append(read, number: 1, to: &row)
      let text = String(decoding: row.bytes, as: UTF8.self)
      #expect(text.contains(#","upstream","operation",0,0,"\#(try #require(RecordedFailure(entry)?.facts))","#))
    }
    #expect(try Query(#"grpc == "RESOURCE_EXHAUSTED" and grpc.status == 8"#).matches(Self.exhausted, number: 1))
    var (before, after) = (CaptureProfile(file: "a"), CaptureProfile(file: "b"))
    before.add(Self.call(0, "OK"), number: 1)
    after.add(Self.exhausted, number: 1)
    let change = try #require(Difference(before: before, after: after).requests.first?.outcomes.first)
    #expect(change.before.text == "200" && change.after.text == "200/8")
    #expect(after.failures == 1 && before.failures == 0)
  }
}
