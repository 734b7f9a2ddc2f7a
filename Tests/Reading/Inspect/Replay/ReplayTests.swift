import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite struct ReplayKeyTests {
  private func key(_ url: String, method: String = "GET", _ folding: ReplayKey.Folding = .init()) -> ReplayKey? {
    ReplayKey(method: method, url: url, folding: folding)
  }

  @Test(arguments: [
    ("http://H.example/a", "http://h.example:80/a"), ("https://h", "https://h:443/"), ("http://h/a#part", "http://h/a"),
    ("http://u:p@h/a", "http://h/a"), ("http://h/a|b", "http://h/a%7Cb"), ("http://h/%c3%a9", "http://h/%C3%A9"),
    ("http://h/é?ü", "http://h/%C3%A9?%C3%BC"),
  ])
  func spellingsOfOneURL(_ one: String, _ other: String) {
    #expect(key(one) != nil)
    #expect(key(one) == key(other))
  }

  @Test(arguments: [
    ("http://h/a", "http://h/b"), ("http://h/a", "https://h/a"), ("http://h/a?x=1", "http://h/a?x=2"),
    ("http://h/a", "http://h:81/a"),
    ("http://h/A", "http://h/a"),
  ])
  func otherURLs(_ one: String, _ other: String) {
    #expect(key(one) != key(other))
    #expect(key(one, method: "POST") != key(one))
  }

  @Test func parametersCanBeIgnored() {
    var folding = ReplayKey.Folding()
    folding.ignoredParameters = ["ts", "nonce"]
    #expect(key("http://h/a?ts=1&x=2&nonce", folding) == key("http://h/a?x=2", folding))
    #expect(key("http://h/a?ts=1", folding) == key("http://h/a", folding))
    #expect(key("http://h/a?tss=1", folding) != key("http://h/a", folding))
    var all = ReplayKey.Folding()
    all.ignoresQuery = true
    #expect(key("http://h/a?b=c#d", all) == key("http://h/a", all))
  }

  @Test func whatIsNoURLHasNone() {
    #expect(key("/relative") == nil)
  }
}

@Suite struct ReplayAnswerTests {
  /// An entry whose response is `response`, as JSON.
  private func answer(
    _ response: String, timings: String = #"{"send":1,"wait":20,"receive":5,"dns":2,"connect":3,"blocked":100}"#,
    more: String = ""
  ) throws -> ReplayAnswer {
    let json = """
      {"startedDateTime":"2026-01-01T00:00:00Z","time":31,"request":{"method":"GET","url":"http://h/","httpVersion":"HTTP/1.1",
      "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},"response":\(response),"cache":{},
      "timings":\(timings)\(more)}
      """
    return ReplayAnswer(try HAREntry(json: Array(json.utf8)))
  }

  private func response(_ headers: String, content: String, status: Int = 200) -> String {
    """
    {"status":\(status),"statusText":"OK","httpVersion":"h2","cookies":[],"headers":[\(headers)],"content":\(content),
    "redirectURL":"","headersSize":-1,"bodySize":-1}
    """
  }

  private func header(_ name: String, _ value: String) -> String { #"{"name":"\#(name)","value":"\#(value)"}"# }

  @Test func whatFramesIsSaidAnewAndWhatIsDecodedIsPlain() throws {
    let headers = [
      header(":status", "200"), header("content-encoding", "br"), header("Content-Length", "3"),
      header("Transfer-Encoding", "chunked"),
      header("Content-Type", "text/html; charset=iso-8859-1; x=y"), header("set-cookie", #"a=1\nb=2"#), header("X-Kept", "yes"),
      header("bad name", "x"),
    ]
    let answer = try answer(
      response(headers.joined(separator: ","), content: #"{"size":5,"mimeType":"text/html","text":"größe"}"#))
    #expect(
      answer.fields == [
        .init(name: "Content-Type", value: "text/html; charset=utf-8; x=y"), .init(name: "set-cookie", value: "a=1"),
        .init(name: "set-cookie", value: "b=2"), .init(name: "X-Kept", value: "yes"),
      ])
    #expect(answer.body == Array("größe".utf8))
    #expect(answer.delayMilliseconds == 26, "waiting for a connection was the client's own doing")
    #expect(answer.pieces == [.init(range: 0..<7, delayMilliseconds: 5)])
    #expect(!answer.isIncomplete)
  }

  @Test func binaryBodiesKeepTheirType() throws {
    let answer = try answer(
      response(
        header("Content-Type", "image/png"), content: #"{"size":3,"mimeType":"image/png","text":"AQID","encoding":"base64"}"#))
    #expect(answer.body == [1, 2, 3])
    #expect(answer.fields == [.init(name: "Content-Type", value: "image/png")])
  }

  @Test func aBodyThatWasNotRecordedIsMissed() throws {
    let answer = try answer(response("", content: #"{"size":300,"mimeType":"x/y"}"#))
    #expect(answer.isIncomplete)
    #expect(answer.body.isEmpty)
  }

  @Test func piecesComeAsTheyCame() throws {
    let chunks = #","_chunks":[{"ts":30000,"bytes":2},{"ts":80000,"bytes":3}]"#
    let streamed = try answer(response("", content: #"{"size":5,"mimeType":"text/event-stream","text":"abcde"}"#), more: chunks)
    #expect(
      streamed.pieces == [.init(range: 0..<2, delayMilliseconds: 4), .init(range: 2..<5, delayMilliseconds: 54)],
      "the head came after 26 ms, by the phases")
    let marked = try answer(
      response("", content: #"{"size":5,"mimeType":"text/event-stream","text":"abcde"}"#),
      more: chunks + #","_events":{"responseFirstByte":10000}"#)
    #expect(marked.pieces.map(\.delayMilliseconds) == [20, 70], "the head came after 10 ms")
    #expect(marked.endDelayMilliseconds == 5 && marked.trailers.isEmpty)
    let recoded = try answer(response("", content: #"{"size":9,"mimeType":"text/plain","text":"decoded!!"}"#), more: chunks)
    #expect(recoded.pieces.count == 1, "the pieces were of something else")
  }

  @Test func trailersFollow() throws {
    let response = response("", content: #"{"size":0,"mimeType":""}"#)
    let trailed =
      String(response.dropLast()) + #","_trailers":[{"name":"grpc-status","value":"8"},{"name":"Connection","value":"x"}]}"#
    #expect(try answer(trailed).trailers == [.init(name: "grpc-status", value: "8")])
  }

  @Test func aFailureFailsAgain() throws {
    let answer = try answer(
      response("", content: #"{"size":0,"mimeType":""}"#, status: 0), more: #","_error":{"message":"connection refused"}"#)
    #expect(answer.failure == "connection refused")
  }
}

@Suite struct ReplayIndexTests {
  @Test func answersAreInTheOrderOfTheFile() throws {
    func entry(_ method: String, _ url: String, status: Int = 200, more: String = "") -> String {
      """
      {\(more)"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"\(method)","url":"\(url)","httpVersion":"HTTP/1.1",
      "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},"response":{"status":\(status),"statusText":"",
      "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,
      "bodySize":0},"cache":{},"timings":{"send":0,"wait":1,"receive":0}}
      """
    }
    let entries = [
      entry("GET", "http://h/a"), entry("CONNECT", "https://h:443/"), entry("GET", "http://h/b"),
      entry("GET", "http://h/a", status: 404),
      entry("GET", "http://h/ws", status: 101), entry("GET", "http://h/a", more: #""_inFlight":true,"#),
    ]
    let text =
      #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":["# + entries.joined(separator: ",") + "]}}"
    let temporary = try TemporaryFile(text)
    var file = try InputFile(path: temporary.path)
    let index = try ReplayIndex(&file, folding: .init())
    #expect(index.count == 3)
    #expect(index.leftOut == 3)
    let key = try #require(ReplayKey(method: "GET", url: "http://h/a", folding: .init()))
    #expect(index[key].map(\.number) == [1, 4])
    let bytes = try file.bytes(in: try #require(index[key].last).range)
    #expect(try HAREntry(json: bytes).response.status == 404)
  }
}

@Suite struct RecordedRequestTests {
  @Test func whatTheConnectionSaysIsLeftOut() throws {
    let json = """
      {"startedDateTime":"2026-01-01T00:00:01Z","time":1,"request":{"method":"POST","url":"http://h/a#b","httpVersion":"HTTP/1.1",
      "cookies":[],"headers":[{"name":"Host","value":"h"},{"name":"Content-Length","value":"2"},{"name":"X","value":"SENSITIVE_0123456789abcdef"}],
      "queryString":[],"headersSize":-1,"bodySize":2,"postData":{"mimeType":"text/plain","text":"hi"}},
      "response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":0,"mimeType":""},
      "redirectURL":"","headersSize":-1,"bodySize":0},"cache":{},"timings":{"send":0,"wait":1,"receive":0}}
      """
    let request = try #require(RecordedRequest(try HAREntry(json: Array(json.utf8))))
    #expect(request.fields.map(\.name) == ["X"])
    #expect(request.url == "http://h/a")
    #expect(request.body == Array("hi".utf8))
    #expect(request.isRedacted)
    #expect(!request.isIncomplete)
    #expect(request.startedNanoseconds == 1_767_225_601_000_000_000)
  }

  @Test func aRequestOfHTTP2IsSentWithoutPseudoFieldsAndWithItsCookiesInOneLine() throws {
    var entry = HAREntry.ordinary()
    entry.request.httpVersion = "h2"
    entry.request.headers = [
      HARHeader(name: ":method", value: "GET"), HARHeader(name: ":path", value: "/a"), HARHeader(name: "cookie", value: "a=1"),
      HARHeader(name: "te", value: "trailers"), HARHeader(name: "cookie", value: "b=2"), HARHeader(name: "x", value: "y"),
    ]
    let request = try #require(RecordedRequest(entry))
    #expect(request.fields.map { "\($0.name): \($0.value)" } == ["cookie: a=1; b=2", "te: trailers", "x: y"])
    entry.request.httpVersion = "HTTP/1.1"
    #expect(RecordedRequest(entry)?.fields.count == 4)
  }
}
