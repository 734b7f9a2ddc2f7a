import TapelineBase
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Models among the exchanges of a capture")
struct ModelCallsTests {
  private static func message(_ role: String, _ text: String) -> String { #"{"role":"\#(role)","content":"\#(text)"}"# }

  /// A call at a second of the capture, which takes a second.
  private static func call(
    _ second: Int, _ messages: [String], model: String = "tiny", status: Int = 200, tools: [String] = []
  ) -> HAREntry {
    var exchange = ModelExchange(
      url: "https://api.test/v1/messages",
      request: #"{"model":"\#(model)","max_tokens":9,"messages":[\#(messages.joined(separator: ","))]}"#,
      type: "application/json", status: status)
    exchange.start = "2026-01-02T03:04:\(second < 10 ? "0" : "")\(second).000000Z"
    let blocks = tools.map { #"{"type":"tool_use","name":"\#($0)"}"# }.joined(separator: ",")
    exchange.pieces = [
      (990, #"{"content":[\#(blocks)],"usage":{"input_tokens":2,"cache_read_input_tokens":0,"output_tokens":1}}"#)
    ]
    return exchange.entry
  }

  private static func other(_ second: Int, milliseconds: Double) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:\(second < 10 ? "0" : "")\(second).000000Z"
    entry.time = milliseconds
    return entry
  }

  private static func rows(_ entries: [HAREntry]) -> [HARObject] {
    var calls = ModelCalls()
    for (index, entry) in entries.enumerated() { calls.add(entry, number: index + 1) }
    return calls.finished
  }

  private static func values(_ rows: [HARObject], _ names: [String]) -> [String] {
    rows.map { row in names.map { QueryValue(.object(row), at: [$0][...]).plainText }.joined(separator: " ") }
  }

  @Test("Turns: what was in flight between two calls of a conversation is its tools, the rest is the client")
  func turns() {
    let (hi, search, found) = (Self.message("user", "hi"), Self.message("assistant", "search"), Self.message("user", "found"))
    let rows = Self.rows([
      // A stream that was open before the call is no tool.
      Self.other(0, milliseconds: 20_000), Self.call(1, [hi], tools: ["search"]),
      Self.other(3, milliseconds: 1_000), Self.other(3, milliseconds: 500), Self.call(3, [Self.message("user", "a part")]),
      Self.call(7, [hi, search, found]),
    ])
    #expect(
      Self.values(rows, ["number", "conversation", "turn", "model.time", "tool.time", "network.time", "client.time", "tools"])
        == [
          "2 1 1 990 1000 10 4000 search", "5 2 1 990 0 10 0 ", "6 1 2 990 0 10 0 ",
        ])
  }

  @Test("Retries: the same prompt after a failure, unless the client counts itself")
  func retries() {
    let hi = Self.message("user", "hi")
    var stated = Self.call(9, [hi, hi])
    stated.request.headers = [HARHeader(name: "X-Stainless-Retry-Count", value: "3")]
    let rows = Self.rows([
      Self.call(1, [hi], status: 529), Self.call(3, [hi], status: 529), Self.call(5, [hi]), Self.call(7, [hi]), stated,
    ])
    #expect(Self.values(rows, ["retries", "conversation"]) == ["0 1", "1 1", "2 1", "0 2", "3 2"])
  }

  @Test("Cache: the place where a prompt left the one before; marks of what to keep are no part of it")
  func cache() {
    let hi = #"{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}"#
    let (plain, answer, next) = (Self.message("user", "hi"), Self.message("assistant", "ho"), Self.message("user", "on"))
    let rows = Self.rows([
      Self.call(1, [hi]), Self.call(3, [plain, answer, next]), Self.call(5, [plain, Self.message("assistant", "ha"), next]),
      Self.call(7, [plain]), Self.call(9, [plain, answer], model: "other"),
      Self.call(11, [Self.message("user", "new")], model: "other"),
    ])
    #expect(
      Self.values(rows, ["prefix", "left", "expired"]) == [
        "first  ", "same  false", "left messages[1].content[0].text false", "left after messages[0].content[0].text false",
        "left model false", "left messages[0].content[0].text false",
      ])
  }

  @Test("The place of a change is found in 500 of 500 generated conversations")
  func generated() {
    for seed in 1...500 {
      var random = SeededGenerator(seed: UInt64(seed))
      let system = (0..<Int.random(in: 1...3, using: &random)).map { #"{"type":"text","text":"rule \#($0)"}"# }
      let count = Int.random(in: 2...12, using: &random)
      let messages = (0..<count).map { Self.message($0 % 2 == 0 ? "user" : "assistant", "text \($0) of \(seed)") }
      func body(_ system: [String], _ messages: [String]) -> String {
        let tools = #"[{"name":"lamp","description":"d","input_schema":{"type":"object"}}]"#
        return
          #"{"model":"tiny","max_tokens":9,"tools":\#(tools),"system":[\#(system.joined(separator: ","))],"messages":[\#(messages.joined(separator: ","))]}"#
      }
      var (changedSystem, changed, place) = (system, messages + [Self.message("assistant", "x"), Self.message("user", "y")], "")
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let index = Int.random(in: 0..<system.count, using: &random)
        changedSystem[index] = #"{"type":"text","text":"now"}"#
        place = "system[\(index)].text"
      case 1:
        let index = Int.random(in: 0..<count, using: &random)
        changed[index] = Self.message(index % 2 == 0 ? "user" : "assistant", "changed")
        place = "messages[\(index)].content[0].text"
      case 2:
        let index = Int.random(in: 0..<count, using: &random)
        changed.insert(Self.message("tool", "z"), at: index)
        place = "messages[\(index)].role"
      case _: break
      }
      var (first, second) = (Self.call(1, []), Self.call(3, []))
      first.request.postData?.text = body(system, messages)
      second.request.postData?.text = body(changedSystem, changed)
      let rows = Self.rows([first, Self.call(2, [Self.message("user", "another \(seed)")]), second])
      #expect(rows[2]["left"]?.string ?? "" == place, "seed \(seed)")
      #expect(rows[2]["prefix"]?.string == (place.isEmpty ? "same" : "left"))
    }
  }

  @Test("For people a table and what it amounts to, for programs JSON and CSV")
  func report() throws {
    let (hi, ho, on) = (Self.message("user", "hi"), Self.message("assistant", "ho"), Self.message("user", "on"))
    var calls = ModelCalls()
    calls.add(Self.call(1, [hi], tools: ["a", "b"]), number: 1)
    calls.add(Self.call(3, [hi, ho, on]), number: 4)
    let palette = Palette(isColored: false, isUnicode: true)
    for view in ModelView.allCases {
      for width in [40, 80, 160] {
        let lines = ModelReport(calls, view).lines(width: width, palette: palette)
        #expect(lines.count >= 5 && lines[1].hasPrefix("   1"), "\(lines)")
      }
    }
    #expect(
      ModelReport(calls, .calls).lines(width: 80, palette: palette).last
        == "2 calls: 4 tokens in (0 % cached), 2 out; 2.00s in calls")
    #expect(
      ModelReport(calls, .turns).lines(width: 80, palette: palette).suffix(2) == [
        "2 turns: model 1.98s, tool 0.00ms, network 20.0ms, client 1.00s", "longest: the model time of call 1, 990ms",
      ])
    #expect(
      ModelReport(calls, .cache).lines(width: 80, palette: palette)[2].hasSuffix(
        "same, 1.00s later: not kept, for a reason unknown"))
    #expect(ModelReport(ModelCalls(), .calls).lines(width: 80, palette: palette) == ["no call of a model"])
    let csv = ModelReport(calls, .turns).csv([])
    #expect(csv[0] == "number,conversation,model,turn,model.time,tool.time,network.time,client.time,tools\r")
    #expect(csv[1] == "1,1,tiny,1,990,0,10,1000,\"a, b\"\r")
    let json = try HARValue(json: Array(ModelReport(calls, .cache).jsonLines[1].utf8).span)
    #expect(json["prefix"] == "same" && json["left"] == .null && json["pause"]?.integer == 1_000)
  }
}
