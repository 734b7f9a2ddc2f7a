import TapelineHAR
import Testing

@testable import TapelineInspect

/// An exchange with a model whose answer came in pieces.
struct ModelExchange {
  var url = "https://api.test/v1/chat/completions"
  var request = #"{"model":"tiny","stream":true,"messages":[{"role":"user","content":"hi"}]}"#
  var type = "text/event-stream"
  /// Milliseconds after the request, which takes 10 ms, and text.
  var pieces: [(time: Double, text: String)] = []
  var start = "2026-01-02T03:04:05.000000Z"
  var status = 200

  func event(_ json: String) -> String { "data: \(json)\n\n" }

  var entry: HAREntry {
    let text = pieces.map(\.text).joined()
    let last = pieces.last?.time ?? 0
    var entry = HAREntry(
      startedDateTime: start, time: 10 + last,
      request: HARRequest(
        method: "POST", url: url, httpVersion: "HTTP/1.1", postData: HARPostData(mimeType: "application/json", text: request),
        bodySize: request.utf8.count),
      response: HARResponse(
        status: status, statusText: "", httpVersion: "HTTP/1.1",
        content: HARContent(size: text.utf8.count, mimeType: type, text: text), bodySize: text.utf8.count),
      timings: HARTimings(
        blocked: 1, dns: 2, connect: 3, send: 4, wait: pieces.first?.time ?? 0, receive: last - (pieces.first?.time ?? 0)))
    entry.custom["_chunks"] = .array(
      pieces.map { ["ts": .number(HARNumber(($0.time + 10) * 1_000)), "bytes": .number(HARNumber($0.text.utf8.count))] })
    return entry
  }
}

@Suite("Calls of models")
struct ModelCallTests {
  private func member(_ call: ModelCall, _ name: String) -> String {
    QueryValue(.object(call.members), at: [name][...]).plainText
  }

  private func members(_ call: ModelCall) -> String {
    ["model", "in", "cached", "out", "reasoning", "first", "stalls", "stop", "tools"].map { member(call, $0) }.joined(
      separator: "|")
  }

  @Test("OpenAI chat: the first content is neither the head nor the role, and gaps are between content")
  func chat() throws {
    var exchange = ModelExchange()
    exchange.pieces = [
      (20, ": ping\n\n"),
      (30, exchange.event(#"{"model":"tiny-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#)),
      (50, exchange.event(#"{"choices":[{"index":0,"delta":{"content":"Hel"}}]}"#)),
      (60, exchange.event(#"{"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"lo"}}]}"#)),
      (
        1_160, exchange.event(#"{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"lamp","arguments":"{"}}]}}]}"#)
      ),
      (1_170, exchange.event(#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#)),
      (
        1_180,
        exchange.event(
          #"{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":115,"#
            + #""prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":4}}}"#
        ) + "data: [DONE]\n\n"
      ),
    ]
    let call = try #require(ModelCall(exchange.entry))
    #expect(members(call) == "tiny|20|16|115|4|50|1|tool_calls|lamp")
    #expect(call.answer.text == "Hello")
    #expect(member(call, "gap.max") == "1100" && member(call, "gap.p50") == "10")
    // 111 tokens in 1,110 ms: the reasoning was over before.
    #expect(member(call, "rate") == "100")
    let query = try Query(#"llm.model == "tiny" and llm.first == 50ms and llm.stalls == 1 and llm.tools == "lamp""#)
    #expect(query.matches(exchange.entry, number: 1))
  }

  @Test("OpenAI responses, streamed and whole")
  func responses() throws {
    let usage =
      #"{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":7,"#
      + #""output_tokens_details":{"reasoning_tokens":2}}"#
    var exchange = ModelExchange(url: "https://api.test/v1/responses", request: #"{"model":"tiny","input":"hi","stream":true}"#)
    exchange.pieces = [
      (5, exchange.event(#"{"type":"response.created","response":{"id":"r","model":"tiny-1","status":"in_progress"}}"#)),
      (25, exchange.event(#"{"type":"response.output_item.added","item":{"type":"message"}}"#)),
      (35, exchange.event(#"{"type":"response.output_text.delta","delta":"Hello"}"#)),
      (45, exchange.event(#"{"type":"response.output_item.added","item":{"type":"function_call","name":"lamp"}}"#)),
      (
        55,
        exchange.event(
          #"{"type":"response.completed","response":{"id":"r","status":"completed","model":"tiny-1","#
            + #""output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":\#(usage)}}"#
        )
      ),
    ]
    let streamed = try #require(ModelCall(exchange.entry))
    #expect(members(streamed) == "tiny|9|0|7|2|35|0|completed|lamp")
    #expect(streamed.answer.text == "Hello" && streamed.answer.id == "r" && streamed.answer.model == "tiny-1")
    exchange.type = "application/json"
    exchange.pieces = [
      (
        40,
        #"{"id":"r","object":"response","status":"incomplete","#
          + #""incomplete_details":{"reason":"max_output_tokens"},"error":null,"model":"tiny-1","#
          + #""output":[{"type":"function_call","name":"lamp"},{"type":"message","content":[{"type":"output_text","#
          + #""text":"Hel"}]}],"usage":\#(usage)}"#
      )
    ]
    let whole = try #require(ModelCall(exchange.entry))
    #expect(members(whole) == "tiny|9|0|7|2||0|max_output_tokens|lamp" && whole.answer.text == "Hel")
  }

  @Test("Anthropic: counts of the prompt are apart, and those of the answer grow")
  func messages() throws {
    var exchange = ModelExchange(
      url: "https://api.test/v1/messages",
      request: #"{"model":"tiny","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#)
    func event(_ name: String, _ json: String) -> String { "event: \(name)\ndata: \(json)\n\n" }
    exchange.pieces = [
      (
        15,
        event(
          "message_start",
          #"{"type":"message_start","message":{"id":"m","model":"tiny-1","content":[],"usage":{"input_tokens":3,"#
            + #""cache_creation_input_tokens":5,"cache_read_input_tokens":12,"output_tokens":1}}}"#
        ) + event("ping", #"{"type":"ping"}"#)
      ),
      (25, event("content_block_start", #"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#)),
      (35, event("content_block_delta", #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#)),
      (
        45,
        event(
          "content_block_start", #"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"lamp"}}"#)
      ),
      (
        55,
        event("message_delta", #"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}}"#)
          + event("message_stop", #"{"type":"message_stop"}"#)
      ),
    ]
    let call = try #require(ModelCall(exchange.entry))
    #expect(members(call) == "tiny|20|12|42||35|0|tool_use|lamp" && call.answer.text == "Hi" && member(call, "written") == "5")
    exchange.pieces[3].text = event("error", #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#)
    exchange.pieces.removeLast()
    #expect(member(try #require(ModelCall(exchange.entry)), "stop") == "error overloaded_error: Overloaded")
  }

  @Test("Gemini: thoughts are part of the answer's tokens; the model is in the address")
  func gemini() throws {
    var exchange = ModelExchange(
      url: "https://api.test/v1beta/models/tiny-2:streamGenerateContent?alt=sse",
      request: #"{"contents":[{"parts":[{"text":"hi"}]}]}"#)
    let usage =
      #""usageMetadata":{"promptTokenCount":8,"cachedContentTokenCount":4,"candidatesTokenCount":6,"#
      + #""thoughtsTokenCount":5}"#
    exchange.pieces = [
      (10, exchange.event(#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}]}"#)),
      (20, exchange.event(#"{"candidates":[{"content":{"parts":[{"text":"Hello"}]}}],"modelVersion":"tiny-2-1"}"#)),
      (
        30,
        exchange.event(
          #"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"lamp"}}]},"finishReason":"STOP"}],\#(usage)}"#)
      ),
    ]
    let call = try #require(ModelCall(exchange.entry))
    #expect(members(call) == "tiny-2|8|4|11|5|10|0|STOP|lamp" && call.answer.text == "Hello")
    exchange.type = "application/json"
    exchange.pieces = [
      (10, #"[{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]},{"candidates":[{"content":{"parts":[{"text":"lo"}]}}]}]"#)
    ]
    #expect(try #require(ModelCall(exchange.entry)).answer.text == "Hello")
  }

  @Test("Ollama, and Bedrock's whole answers")
  func others() throws {
    var exchange = ModelExchange(
      url: "http://localhost:11434/api/chat", request: #"{"model":"tiny","messages":[{"role":"user","content":"hi"}]}"#,
      type: "application/x-ndjson")
    exchange.pieces = [
      (10, #"{"model":"tiny","message":{"role":"assistant","content":"Hel"},"done":false}"# + "\n"),
      (20, #"{"model":"tiny","message":{"role":"assistant","content":"lo"},"done":false}"# + "\n"),
      (
        30,
        #"{"model":"tiny","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","#
          + #""prompt_eval_count":26,"eval_count":9}"#
          + "\n"
      ),
    ]
    let call = try #require(ModelCall(exchange.entry))
    #expect(members(call) == "tiny|26||9||10|0|stop|" && call.answer.text == "Hello")
    exchange = ModelExchange(
      url: "https://bedrock.test/model/tiny%3A0/converse", request: #"{"messages":[]}"#, type: "application/json")
    exchange.pieces = [
      (
        10,
        #"{"output":{"message":{"content":[{"text":"Hello"},{"toolUse":{"name":"lamp"}}]}},"#
          + #""stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":2,"cacheReadInputTokens":4}}"#
      )
    ]
    let bedrock = try #require(ModelCall(exchange.entry))
    #expect(members(bedrock) == "tiny:0|7|4|2|||0|end_turn|lamp" && bedrock.answer.text == "Hello")
  }

  @Test("Other requests to such addresses are no calls; absurd answers say nothing")
  func no() throws {
    var exchange = ModelExchange(url: "https://mail.test/api/messages", request: #"{"to":"you"}"#)
    #expect(ModelCall(exchange.entry) == nil)
    exchange.request = "no JSON"
    #expect(ModelCall(exchange.entry) == nil)
    exchange = ModelExchange()
    exchange.pieces = [
      (10, exchange.event(#"{"choices":[{"delta":7},8],"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}"#) + "data: {\n\n")
    ]
    let call = try #require(ModelCall(exchange.entry))
    #expect(members(call) == "tiny||||||0||")
  }
}
