import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct EntryWriterRequestTests {
  @Test func headersKeepOrderSpellingAndDuplicates() throws {
    let fields = [("hOsT", "a"), ("X-A", "1"), ("x-a", "2"), ("X-Latin", "caf\u{E9}")]
    let (entry, _) = try entry(of: ExampleExchange.make(fields: fields))
    #expect(entry.request.headers.map(\.name) == ["hOsT", "X-A", "x-a", "X-Latin"])
    #expect(entry.request.headers.map(\.value) == ["a", "1", "2", "café"])
  }

  @Test func theQueryIsDecoded() throws {
    let (entry, _) = try entry(of: ExampleExchange.make(url: "http://a/?b=c%20d&e+f=%C3%A9&g&=h&i=j=k"))
    #expect(entry.request.url == "http://a/?b=c%20d&e+f=%C3%A9&g&=h&i=j=k")
    #expect(
      entry.request.queryString.map { "\($0.name)|\($0.value)" } == ["b|c d", "e f|é", "g|", "|h", "i|j=k"])
  }

  @Test func cookiesOfEveryLine() throws {
    let (entry, _) = try entry(of: ExampleExchange.make(fields: [("Host", "a"), ("Cookie", "a=1; b=2"), ("cookie", "c=3")]))
    #expect(
      entry.request.cookies == [
        HARCookie(name: "a", value: "1"), HARCookie(name: "b", value: "2"), HARCookie(name: "c", value: "3"),
      ])
  }

  @Test(arguments: ["POST", "DELETE", "GET"])
  func aBodyIsRecordedWhateverTheMethod(method: String) throws {
    let record = try ExampleExchange.make(
      method: HTTPMethod(rawValue: method), fields: [("Host", "a"), ("Content-Type", "application/json")],
      requestBody: ExampleExchange.body(#"{"é":1}"#))
    let (entry, _) = try entry(of: record)
    #expect(entry.request.postData == HARPostData(mimeType: "application/json", text: #"{"é":1}"#))
    #expect(entry.request.bodySize == 8)
  }

  @Test func aBinaryBodyIsInBase64() throws {
    let record = try ExampleExchange.make(
      method: .put, fields: [("Host", "a"), ("Content-Type", "application/octet-stream")],
      requestBody: ExampleExchange.body([0, 255]))
    let (entry, _) = try entry(of: record)
    #expect(
      entry.request.postData == HARPostData(mimeType: "application/octet-stream", text: "AP8=", custom: ["_encoding": "base64"]))
  }

  @Test func aFormHasItsTextAndItsParameters() throws {
    let record = try ExampleExchange.make(
      method: .post, fields: [("Host", "a"), ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
      requestBody: ExampleExchange.body("a=1&b=x+y%21"))
    let post = try #require(try entry(of: record).0.request.postData)
    #expect(post.text == "a=1&b=x+y%21")
    #expect(post.params == [HARPostParameter(name: "a", value: "1"), HARPostParameter(name: "b", value: "x y!")])
  }

  @Test func whatWasNotKeptIsCounted() throws {
    var body = ExampleExchange.body("0123456789", limit: 4)
    let record = try ExampleExchange.make(method: .post, requestBody: body)
    let post = try #require(try entry(of: record).0.request.postData)
    #expect(post.text == "0123")
    #expect(post.custom["_truncated"] == 6)
    body.dropBytes()
    let dropped = try entry(of: ExampleExchange.make(method: .post, requestBody: body)).0
    #expect(dropped.request.postData?.text == "")
    #expect(dropped.request.postData?.custom["_truncated"] == 10)
    #expect(dropped.request.bodySize == 10)
  }

  @Test func aCodedBodyIsDecoded() throws {
    func postData(_ coding: String) throws -> HARPostData {
      let fields = [("Host", "a"), ("Content-Type", "text/plain"), ("Content-Encoding", coding)]
      let record = try ExampleExchange.make(method: .post, fields: fields, requestBody: ExampleExchange.body(CodedText.gzip))
      return try #require(try entry(of: record).0.request.postData)
    }
    #expect(try postData("gzip") == HARPostData(mimeType: "text/plain", text: CodedText.text))
    let unknown = try postData("compress")
    #expect(unknown.custom["_encoding"] == "base64")
    #expect(unknown.custom["_decodeError"] == "an unknown content coding")
    #expect(try entry(of: ExampleExchange.make(method: .post, requestBody: ExampleExchange.body("x"))).0.request.bodySize == 1)
  }

  @Test func trailersAreBesideTheHeaders() throws {
    var record = try ExampleExchange.make()
    record.requestTrailers = ["X-Sum": "1"]
    #expect(try entry(of: record).0.request.custom["_trailers"] == [["name": "X-Sum", "value": "1"]])
  }
}
