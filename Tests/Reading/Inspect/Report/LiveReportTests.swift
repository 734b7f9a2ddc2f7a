import TapelineHAR
import Testing

@testable import TapelineInspect

/// What an answer about one exchange has of an entry that is large.
@Suite("Details on the live page")
struct LiveReportTests {
  private static func details(of entry: HAREntry) throws -> HARValue {
    var text = JSONWriter()
    try LiveReport.append(detailsOf: entry.json.span, number: 1, to: &text)
    #expect(text.count < 4 * LiveReport.bodyLimit)
    return try HARValue(json: text.bytes.span)
  }

  @Test("A body is cut, and what is left out is counted")
  func body() throws {
    var entry = HAREntry.ordinary()
    entry.response.content.text = String(repeating: "x", count: LiveReport.bodyLimit + 1_000)
    let response = try #require(try Self.details(of: entry)["response"])
    #expect(response["text"]?.string?.utf8.count == LiveReport.bodyLimit && response["leftOut"]?.integer == 1_000)
  }

  @Test("Of many messages, the latest are there, and the others are counted")
  func messages() throws {
    var entry = HAREntry.ordinary()
    let data = String(repeating: "m", count: 1_000)
    entry.custom["_webSocketMessages"] = .array(
      (0..<1_000).map { ["type": "receive", "time": .number(HARNumber($0)), "data": .string(data)] })
    let told = try #require(try Self.details(of: entry)["entry"])
    let messages = try #require(told["_webSocketMessages"]?.array)
    #expect(messages.count == LiveReport.bodyLimit / 1_000 && messages.last?["time"]?.integer == 999)
    #expect(told["_webSocketMessagesLeftOut"]?.integer == 1_000 - messages.count)
  }

  @Test("Of a large form, the first fields are there, and the others are counted")
  func fields() throws {
    var entry = HAREntry.ordinary()
    entry.request.postData = HARPostData(mimeType: "application/x-www-form-urlencoded")
    entry.request.postData?.params = (0..<1_000).map {
      HARPostParameter(name: "\($0)", value: String(repeating: "v", count: 1_000))
    }
    let form = try #require(try Self.details(of: entry)["entry"]?["request"]?["postData"])
    let params = try #require(form["params"]?.array)
    #expect(params.first?["name"]?.string == "0" && params.count < 1_000)
    #expect(form["_paramsLeftOut"]?.integer == 1_000 - params.count)
  }

  @Test("An entry with a few messages and fields is told as it is")
  func small() throws {
    var entry = HAREntry.ordinary()
    entry.custom["_webSocketMessages"] = [["type": "send", "time": 1, "data": "hello"]]
    let told = try #require(try Self.details(of: entry)["entry"])
    #expect(told["_webSocketMessages"]?.array?.count == 1 && told["_webSocketMessagesLeftOut"] == nil)
  }
}
