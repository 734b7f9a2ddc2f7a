import Testing

@testable import TapelineHTTP

/// What is refused because two readers could disagree is read in one way if the user says so.
@Suite struct ToleranceTests {
  private static let post = "POST http://a/ HTTP/1.1\r\nHost: a\r\n"
  private static let chunks = "3\r\nabc\r\n0\r\n\r\n"

  private static let requests: [(tolerance: Tolerance, refusal: HTTPParseError.Kind, text: String)] = [
    (.bothFramings, .bothFramings, post + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"),
    (.bothFramings, .bothFramings, post + "Transfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n\(chunks)"),
    (.repeatedChunked, .repeatedChunked, post + "Transfer-Encoding: chunked, chunked\r\n\r\n\(chunks)"),
    (
      .transferEncodingInHTTP10, .transferEncodingInHTTP10,
      "POST http://a/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"
    ),
    (.bareLineFeed, .bareLineFeed, "POST http://a/ HTTP/1.1\nHost: a\nContent-Length: 3\n\nabc"),
    (.bareLineFeed, .bareLineFeed, post + "Transfer-Encoding: chunked\r\n\r\n3\nabc\n0\nX: 1\n\n"),
    (.bareLineFeed, .bareLineFeed, post + "Transfer-Encoding: chunked\r\n\r\n3;x\nabc\r\n0\r\n\n"),
    (.lineFolding, .lineFolding, post + "X: 1\r\n 2\r\nContent-Length: 3\r\n\r\nabc"),
    (.blankBeforeColon, .blankBeforeColon, post + "Content-Length : 3\r\n\r\nabc"),
    (.underscoreFraming, .underscoreFraming, post + "Content-Length: 3\r\nContent_Length: 9\r\n\r\nabc"),
    (.underscoreFraming, .underscoreFraming, post + "Content-Length: 3\r\nTRANSFER_ENCODING: chunked\r\n\r\nabc"),
    (.bareCarriageReturn, .bareCarriageReturn, post + "X: 1\r2\r\nContent-Length: 3\r\n\r\nabc"),
  ]

  @Test("A request is refused by its rule, and read where the rule is lifted", arguments: requests.indices)
  func ruleByRule(index: Int) {
    let (tolerance, refusal, text) = Self.requests[index]
    let others = HTTPLimits(tolerance: Tolerance(rawValue: ~tolerance.rawValue))
    #expect(read(text, as: .server).error == refusal)
    #expect(read(text, as: .server, limits: others).error == refusal, "no other rule lifts it")
    let conversation = read(text, as: .server, limits: HTTPLimits(tolerance: tolerance))
    #expect(conversation.error == nil)
    #expect(conversation.body == Array("abc".utf8))
    #expect(HTTPParseError(refusal, in: .request).toleration == refusal.rawValue)
  }

  @Test("A response, too; its connection carries no other where the sender may have meant another end")
  func ofResponses() {
    let texts: [(Tolerance, HTTPParseError.Kind, String)] = [
      (.bothFramings, .bothFramings, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n\(Self.chunks)"),
      (
        .transferEncodingInHTTP10, .transferEncodingInHTTP10,
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(Self.chunks)"
      ),
    ]
    for (tolerance, refusal, text) in texts {
      #expect(read(text, as: .client).error == refusal)
      let conversation = read(text, as: .client, limits: HTTPLimits(tolerance: tolerance))
      #expect(conversation.body == Array("abc".utf8))
      #expect(conversation.entries.suffix(2) == [.end, .closed])
    }
    let names = "HTTP/1.1 200 OK\r\nX Y: 1\r\nXé: 2\r\nContent-Length: 3\r\n\r\nabc"
    #expect(read(names, as: .client).error == .oddFieldName)
    #expect(read(names, as: .client, limits: HTTPLimits(tolerance: .oddFieldName)).body == Array("abc".utf8))
    let carriageReturn = "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 3\r\n\r\nabc"
    #expect(read(carriageReturn, as: .client).error == .bareCarriageReturn)
    let fields = read(carriageReturn, as: .client, limits: HTTPLimits(tolerance: .bareCarriageReturn)).entries.first
    #expect(
      fields == .response(200, reason: "OK", fields: ["X": "a b", "Content-Length": "3"], anomalies: [], framing: .length(3)))
  }

  @Test("A request whose end the sender may have meant otherwise is the last of its connection")
  func doubtfulRequestsAreTheLast() {
    let text = Self.post + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n\(Self.chunks)"
    let conversation = read(text + text, as: .server, limits: HTTPLimits(tolerance: .bothFramings))
    #expect(conversation.entries.suffix(2) == [.end, .closed])
    #expect(conversation.body == Array("abc".utf8))
  }

  @Test("CONNECT may end its lines with LF: its head ends at the proxy")
  func connect() {
    for version in ["1.0", "1.1"] {
      let conversation = read("CONNECT a:443 HTTP/\(version)\nHost: a:443\n\n", as: .server)
      #expect(conversation.error == nil)
    }
    #expect(read("CONNECT a:443 HTTP/1.1\nHost : a\n\n", as: .server).error == .blankBeforeColon)
  }

  @Test("Blanks after a chunk's size, which old servers write, are passed over in responses")
  func paddedSizes() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(read(head + "3  \r\nabc\r\n0\t \r\n\r\n", as: .client).body == Array("abc".utf8))
    #expect(read(head + "3 ;x\r\nabc\r\n0 \r\n\r\n", as: .client).body == Array("abc".utf8))
    #expect(read(head + "3 4\r\nabc\r\n0\r\n\r\n", as: .client).error == .invalidChunkSize)
    #expect(read(head + " 3\r\nabc\r\n0\r\n\r\n", as: .client).error == .invalidChunkSize)
    #expect(read(head + "3    \r\n", as: .client, limits: HTTPLimits(chunkExtension: 3)).error == .chunkExtensionTooLong)
  }

  @Test("Names are those of the refusals, each once")
  func names() {
    #expect(Tolerance(names: Tolerance.all.map(\.refusal.rawValue))?.rawValue == 0x1FF)
    #expect(Tolerance(names: []) == [])
    #expect(Tolerance(names: ["both-framings", "everything"]) == nil)
  }
}
