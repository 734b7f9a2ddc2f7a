import TapelineHAR
import Testing

@testable import TapelineOTLP

@Suite("Spans of operations and of models")
struct OperationSpanTests {
  private func span(
    _ body: String, url: String = "https://example.com/api", response: String = "", type: String = "application/json"
  ) throws -> TraceSpan {
    let entry = HAREntry(
      startedDateTime: "2026-01-02T03:04:05.000000Z", time: 10,
      request: HARRequest(
        method: "POST", url: url, httpVersion: "HTTP/1.1", postData: HARPostData(mimeType: "application/json", text: body)),
      response: HARResponse(
        status: 200, statusText: "", httpVersion: "HTTP/1.1",
        content: HARContent(size: response.utf8.count, mimeType: type, text: response)),
      timings: HARTimings(send: 1, wait: 8, receive: 1))
    var maker = SpanMaker()
    return try #require(maker.spans(for: entry, number: 1, page: nil).first)
  }

  private func texts(_ span: TraceSpan, _ prefixes: [String]) -> [String] {
    span.attributes.filter { attribute in prefixes.contains { attribute.name.hasPrefix($0) } }.map { attribute in
      switch attribute.value {
      case .string(let text): "\(attribute.name)=\(text)"
      case .integer(let number): "\(attribute.name)=\(number)"
      case .bool(let flag): "\(attribute.name)=\(flag)"
      case .texts(let texts): "\(attribute.name)=[\(texts.joined(separator: ","))]"
      }
    }
  }

  @Test("GraphQL has a type and a name, JSON-RPC a method, MCP a tool; a batch has the names of all")
  func operations() throws {
    let graphQL = #"{"query":"query Products { a }"}"#
    #expect(
      texts(try span(graphQL), ["graphql.", "tapeline.operation"]) == [
        "tapeline.operation=query Products", "graphql.operation.type=query", "graphql.operation.name=Products",
      ])
    #expect(
      texts(try span("[\(graphQL),\(graphQL)]"), ["graphql.", "tapeline.operation"]) == ["tapeline.operation=query Products ×2"])
    let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}"#
    #expect(
      texts(try span(call), ["rpc.", "mcp.", "gen_ai."]) == [
        "rpc.system=jsonrpc", "rpc.method=tools/call", "mcp.method.name=tools/call", "gen_ai.tool.name=search",
      ])
    #expect(texts(try span("{}"), ["rpc.", "graphql.", "tapeline.operation"]) == [])
  }

  @Test("A call of a model has its model, its tokens and its end, and neither prompt nor answer")
  func models() throws {
    let answer =
      #"{"id":"c1","model":"tiny-1","choices":[{"message":{"content":"secret"},"finish_reason":"stop"}],"#
      + #""usage":{"prompt_tokens":20,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":16}}}"#
    let span = try span(
      #"{"model":"tiny","messages":[{"role":"user","content":"secret"}]}"#, url: "https://example.com/v1/chat/completions",
      response: answer)
    #expect(span.name == "chat tiny")
    #expect(
      texts(span, ["gen_ai."]) == [
        "gen_ai.operation.name=chat", "gen_ai.provider.name=openai", "gen_ai.request.model=tiny", "gen_ai.response.model=tiny-1",
        "gen_ai.response.id=c1", "gen_ai.response.finish_reasons=[stop]", "gen_ai.usage.input_tokens=20",
        "gen_ai.usage.output_tokens=5", "gen_ai.usage.cache_read.input_tokens=16",
      ])
    #expect(!texts(span, [""]).contains { $0.contains("secret") })
  }
}
