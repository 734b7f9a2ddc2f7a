import TapelineCore
import TapelineHAR
import TapelineHTTP
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

  @Test func aCodedBodyIsKeptAsItCame() throws {
    let content = try content(ExampleExchange.body("zzz"), [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
    #expect(content == HARContent(size: 3, mimeType: "text/plain", text: "enp6", encoding: "base64"))
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
