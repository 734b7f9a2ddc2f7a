import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineInspect
import TapelineRedaction
import TapelineTime
import Testing

@testable import TapelineRecorder

/// What a log without bodies has of calls of language models.
@Suite("Outlines of bodies in an entry")
struct EntryWriterOutlineTests {
  struct Call: Sendable {
    let url: String
    let request: String
    var type = "text/event-stream"
    let pieces: [String]

    /// With its outlines alone, or with its bodies.
    func entry(isOutlined: Bool) throws -> HAREntry {
      var record = try ExampleExchange.make(
        method: .post, url: "http://a.test\(url)", fields: [("Host", "a.test"), ("Content-Type", "application/json")],
        requestBody: ExampleExchange.body(request), responseFields: [("Content-Type", type)],
        responseBody: ExampleExchange.body(pieces.joined()))
      for (index, piece) in pieces.enumerated() {
        let instant = ExampleExchange.anchor.instant.advanced(byNanoseconds: Int64(index * index + 2) * 1_000_000)
        record.arrivals.append(instant, piece.utf8.count)
      }
      var writer = EntryWriter(anchor: ExampleExchange.anchor, redactor: nil, includesDebug: false)
      if isOutlined { writer.outliner = Redactor(.standard, key: RedactionKey(1, 2)) }
      var text = JSONWriter()
      _ = writer.append(record, page: .first, to: &text)
      return try HAREntry(json: text.bytes)
    }
  }

  private static let prompt = #"[{"role":"system","content":"be kind"},{"role":"user","content":"hush hush"}]"#

  static let calls = [
    Call(
      url: "/v1/chat/completions",
      request: #"{"model":"tiny","stream":true,"messages":\#(prompt),"tools":[{"function":{"parameters":{"hush":{}}}}]}"#,
      pieces: [
        "data: {\"model\":\"tiny-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        ": hush\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hush\"}}]}\r\n\r\n",
        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"hush\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" h",
        "ush\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":20,"
          + "\"completion_tokens\":115,\"prompt_tokens_details\":{\"cached_tokens\":16}}}\n\ndata: [DONE]\n\n",
      ]),
    Call(
      url: "/v1/responses", request: #"{"model":"tiny","input":\#(prompt)}"#,
      pieces: [
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hush\"}\n\n",
        "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"tiny-2\",\"status\":\"completed\",\"usage\":"
          + "{\"input_tokens\":3,\"output_tokens\":5,\"output_tokens_details\":{\"reasoning_tokens\":2}},"
          + "\"output\":[{\"content\":[{\"text\":\"hush\"}]}]}}\n\n",
      ]),
    Call(
      url: "/v1/messages", request: #"{"model":"tiny","max_tokens":100,"system":"hush","messages":\#(prompt)}"#,
      pieces: [
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"tiny\",\"content\":[],\"usage\":"
          + "{\"input_tokens\":5,\"cache_read_input_tokens\":7,\"output_tokens\":1}}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hush\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"hush\"}}\n\n",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n",
      ]),
    Call(
      url: "/v1beta/models/tiny:streamGenerateContent?alt=sse",
      request: #"{"contents":[{"role":"user","parts":[{"text":"hush"}]}]}"#,
      pieces: [
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hush\"}]}}],\"modelVersion\":\"tiny-2\"}\n\n",
        "data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":8,"
          + "\"candidatesTokenCount\":6,\"thoughtsTokenCount\":5}}\n\n",
      ]),
    Call(
      url: "/api/chat", request: #"{"model":"tiny","messages":\#(prompt)}"#, type: "application/x-ndjson",
      pieces: [
        #"{"model":"tiny","message":{"content":"hush"},"done":false}"# + "\n",
        #"{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":9}"# + "\n",
      ]),
    Call(
      url: "/model/tiny%3A0/converse", request: #"{"messages":[{"role":"user","content":[{"text":"hush"}]}]}"#,
      type: "application/json",
      pieces: [
        #"{"output":{"message":{"content":[{"text":"hush"}]}},"stopReason":"end_turn","#
          + #""usage":{"inputTokens":3,"outputTokens":2}}"#
      ]),
  ]

  @Test("The server's counts, the times and the end of a call stay, and nothing that was said", arguments: calls)
  func figures(call: Call) throws {
    let outlined = try call.entry(isOutlined: true)
    let text = String(decoding: outlined.json, as: UTF8.self)
    #expect(!text.contains("hush") && !text.contains("kind"), "\(text)")
    let (whole, rest) = (try #require(ModelCall(try call.entry(isOutlined: false))), try #require(ModelCall(outlined)))
    for name in ["model", "in", "cached", "out", "reasoning", "first", "gap.p50", "gap.max", "rate", "stalls", "stop"] {
      #expect(rest.members[name] == whole.members[name], "\(name)")
    }
    #expect(rest.members["out"] != nil && outlined.response.content.size == call.pieces.joined().utf8.count)
  }

  @Test("Prompts can be compared, and words of an answer cannot be told apart")
  func tokens() throws {
    func texts(_ request: String, _ answer: String) throws -> [String?] {
      let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"\(answer)\"}}]}\n\n"
      let call = Call(
        url: "/chat/completions", request: #"{"messages":[{"role":"user","content":"\#(request)"}]}"#, pieces: [stream])
      let entry = try call.entry(isOutlined: true)
      return [entry.request.postData?.text, entry.response.content.text]
    }
    #expect(try texts("a", "x") == texts("a", "y"))
    #expect(try texts("a", "x")[0] != texts("b", "x")[0])
    #expect(try texts("a", "x")[0]?.contains("SENSITIVE_") == true)
  }

  @Test("Of any other body only the size is there")
  func others() throws {
    for (request, piece) in [("hush", "data: hush\n\n"), ("{\"a\":", "hush\n")] {
      let call = Call(url: "/v1/messages", request: request, pieces: [piece])
      let entry = try call.entry(isOutlined: true)
      #expect(!String(decoding: entry.json, as: UTF8.self).contains("hush"))
      #expect(entry.response.content.text == nil && entry.response.content.size == piece.utf8.count)
      #expect(entry.custom["_chunks"]?.string?.isEmpty == false, "times of pieces stay")
    }
  }
}
