import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct EntryWriterResponseTests {
  private func content(_ body: BodyCapture, _ fields: [(String, String)]) throws -> HARContent {
    try entry(of: ExampleExchange.make(responseFields: fields, responseBody: body)).0.response.content
  }

  @Test func setCookieIsNeverMerged() throws {
    let fields = [("Set-Cookie", "a=1; Path=/; HttpOnly"), ("Set-Cookie", "b=2; Expires=Wed, 04 Mar 2026 05:06:07 GMT")]
    let response = try entry(of: ExampleExchange.make(responseFields: fields)).0.response
    #expect(response.headers.count == 2)
    #expect(
      response.cookies == [
        HARCookie(name: "a", value: "1", path: "/", httpOnly: true, secure: false),
        HARCookie(name: "b", value: "2", expires: "2026-03-04T05:06:07.000Z", httpOnly: false, secure: false),
      ])
  }

  @Test func theLocationIsTheRedirect() throws {
    #expect(
      try entry(of: ExampleExchange.make(responseFields: [("Location", "/next?a=b")])).0.response.redirectURL == "/next?a=b")
    #expect(try entry(of: ExampleExchange.make()).0.response.redirectURL == "")
  }

  @Test func textThatIsNoUTF8IsInBase64() throws {
    let content = try content(ExampleExchange.body([0x63, 0xE9]), [("Content-Type", "text/html")])
    #expect(content == HARContent(size: 2, compression: 0, mimeType: "text/html", text: "Y+k=", encoding: "base64"))
  }

  @Test func whatIsNoTextIsInBase64() throws {
    let content = try content(ExampleExchange.body("abc"), [("Content-Type", "image/png")])
    #expect(content.encoding == "base64")
    #expect(content.text == "YWJj")
  }

  @Test func muchTextOfControlsIsInBase64() throws {
    let size = 1 << 20
    let controls = ExampleExchange.body([UInt8](repeating: 0, count: size))
    let content = try content(controls, [("Content-Type", "text/plain")])
    #expect(content.encoding == "base64")
    #expect(content.text?.utf8.count == (size + 2) / 3 * 4)
    let lines = ExampleExchange.body([UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 10))
    #expect(try self.content(lines, [("Content-Type", "text/plain")]).encoding == nil)
  }

  @Test func wrongDataIsKeptAsItCame() throws {
    let content = try content(ExampleExchange.body("zzz"), [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
    #expect(
      content
        == HARContent(
          size: 3, mimeType: "text/plain", text: "enp6", encoding: "base64",
          custom: ["_decodeError": "gzip: incorrect header check"]))
  }

  @Test func aCodedBodyIsDecoded() throws {
    let content = try content(
      ExampleExchange.body(CodedText.gzip), [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
    #expect(content == HARContent(size: 36, compression: 36 - CodedText.gzip.count, mimeType: "text/plain", text: CodedText.text))
  }

  @Test func severalCodingsAreUndone() throws {
    let content = try content(
      ExampleExchange.body(CodedText.gzipAndBrotli),
      [("Content-Type", "text/plain"), ("Content-Encoding", "gzip"), ("Content-Encoding", "br")])
    #expect(content.text == CodedText.text)
    #expect(content.encoding == nil)
  }

  @Test func theBeginningOfACodedBodyIsDecoded() throws {
    let body = ExampleExchange.body(CodedText.gzip, limit: CodedText.gzip.count - 12)
    let content = try content(body, [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
    let text = try #require(content.text)
    #expect(!text.isEmpty && CodedText.text.hasPrefix(text))
    #expect(content.compression == nil)
    #expect(content.custom["_truncated"] == 12)
    #expect(content.custom["_decodeTruncated"] == true)
  }

  @Test(
    arguments: [
      ("text/plain; charset=ISO-8859-1", [0x63, 0xE9], "cé"),
      ("text/plain; charset=\"Shift_JIS\"", [0x93, 0xFA, 0x96, 0x7B], "日本"),
      ("text/html; charset=utf-16le", [0x61, 0, 0xE9, 0], "aé"), ("text/html", [0xFF, 0xFE, 0x61, 0], "a"),
      ("application/json; charset=utf-8", [0xC3, 0xA9], "é"), ("text/x; charset=koi8-r", [0xC1], "а"),
      ("text/x; charset=nobody-knows", [0xC3, 0xA9], "é"), ("text/x; charset=gbk", [0xC4, 0xE3], "你"),
    ] as [(String, [UInt8], String)])
  func textIsTranscoded(type: String, bytes: [UInt8], text: String) throws {
    let content = try content(ExampleExchange.body(bytes), [("Content-Type", type)])
    #expect(content == HARContent(size: bytes.count, compression: 0, mimeType: type, text: text))
  }

  @Test func whatADocumentSaysOfItselfCounts() throws {
    let bytes = Array("<meta charset=windows-1251>".utf8) + [0xEF]
    let content = try content(ExampleExchange.body(bytes), [("Content-Type", "text/html")])
    #expect(content.text == "<meta charset=windows-1251>п")
  }

  @Test func noBodyHasNoText() throws {
    #expect(try content(ExampleExchange.body(""), []) == HARContent(size: 0, compression: 0, mimeType: "x-unknown"))
    #expect(try content(ExampleExchange.body(""), [("Content-Type", "text/css")]).mimeType == "text/css")
  }

  @Test(arguments: [(6, "aé日"), (5, "aé"), (4, "aé"), (3, "aé"), (2, "a"), (1, "a")])
  func aCutCharacterIsLeftOut(limit: Int, text: String) throws {
    let content = try content(ExampleExchange.body("aé日x", limit: limit), [("Content-Type", "text/plain")])
    #expect(content.encoding == nil)
    #expect(content.size == 7)
    #expect(content.text == text)
    #expect(content.custom["_truncated"] == .number(HARNumber(7 - limit)))
  }

  @Test func whatCameFirstAndLastAndWasMended() throws {
    var record = try ExampleExchange.make()
    record.informational = [ResponseHead(status: 103, fields: ["Link": "<a>"])]
    record.responseTrailers = ["X-Sum": "2"]
    record.attempts = 2
    let (entry, _) = try entry(of: record)
    #expect(
      entry.custom["_informational"] == [
        ["status": 103, "statusText": "Early Hints", "headers": [["name": "Link", "value": "<a>"]]]
      ])
    #expect(entry.response.custom["_trailers"] == [["name": "X-Sum", "value": "2"]])
    #expect(entry.custom["_attempts"] == 2)
  }
}
