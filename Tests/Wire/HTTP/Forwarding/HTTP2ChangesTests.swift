import TapelineHTTP
import Testing

@Suite("Changes between versions")
struct HTTP2ChangesTests {
  private func request(_ version: HTTPVersion, _ fields: HeaderFields, target: String = "https://a/b") throws -> RequestHead {
    try RequestHead(method: .get, target: Array(target.utf8), version: version, fields: fields, size: 40)
  }

  private func response(_ version: HTTPVersion, _ fields: HeaderFields) -> ResponseHead {
    ResponseHead(status: 200, reason: "", version: version, fields: fields)
  }

  @Test("From HTTP/2 to HTTP/2 nothing is changed")
  func sameVersion() throws {
    let fields: HeaderFields = ["accept": "*/*", "te": "trailers", "cookie": "a=1", "cookie": "b=2", "keep-alive": "odd"]
    #expect(try RequestForwarding(framing: .none, version: .http2).changes(of: request(.http2, fields)) == [])
    let forwarding = ResponseForwarding(to: .get, of: .http2, framing: .chunked, persists: true)
    #expect(forwarding.changes(of: response(.http2, ["server": "x", "date": "d"])) == [])
  }

  @Test("A client of HTTP/2 and an origin of HTTP/1.1: the version, and the lines that HTTP/1.1 needs")
  func downgraded() throws {
    let changes = try RequestForwarding(framing: .none).changes(of: request(.http2, ["accept": "*/*", "te": "trailers"]))
    #expect(
      changes == [
        .version(.http2, to: .http11), .added(name: "Host", value: "a"), .added(name: "Connection", value: "TE"),
      ])
  }

  @Test("A client of HTTP/1.1 and an origin of HTTP/2: the version, and the lines that end here (RFC 9113 8.2.2)")
  func upgraded() throws {
    let fields: HeaderFields = [
      "Host": "a", "Connection": "close, X-Hop", "X-Hop": "1", "Transfer-Encoding": "chunked", "TE": "gzip, trailers", "TE": "x",
      "HTTP2-Settings": "AAMAAABk", "Keep-Alive": "timeout=5", "X-End": "1",
    ]
    let changes = try RequestForwarding(framing: .chunked, version: .http2).changes(of: request(.http11, fields))
    #expect(
      changes == [
        .version(.http11, to: .http2), .removed(1), .removed(2), .removed(3), .rewritten(4, to: "trailers"), .removed(5),
        .removed(6), .removed(7),
      ])
    let other = try RequestForwarding(framing: .none, version: .http2).changes(of: request(.http11, ["Host": "b"]))
    #expect(other == [.version(.http11, to: .http2), .rewritten(0, to: "a")], "the target decides")
  }

  @Test("What is odd in HTTP/1.1, and would be malformed in HTTP/2, ends here: lengths said twice or beside chunks, odd names")
  func oddities() {
    let forwarding = ResponseForwarding(to: .get, of: .http2, framing: .length(1), persists: true)
    let twice: HeaderFields = ["Date": "d", "Content-Length": "1", "Content-Length": "1", "X(Y)": "1", "": "2"]
    #expect(
      forwarding.changes(of: response(.http11, twice)) == [
        .version(.http11, to: .http2), .removed(2), .removed(3), .removed(4),
      ])
    let both: HeaderFields = ["Date": "d", "Content-Length": "9", "Transfer-Encoding": "chunked"]
    #expect(forwarding.changes(of: response(.http11, both)) == [.version(.http11, to: .http2), .removed(1), .removed(2)])
  }

  @Test("An origin of HTTP/1.1 and a client of HTTP/2 (RFC 9113 8.2.2)")
  func responseUpgraded() {
    let forwarding = ResponseForwarding(to: .get, of: .http2, framing: .chunked, persists: true)
    #expect(
      forwarding.changes(of: response(.http11, ["Connection": "keep-alive", "Transfer-Encoding": "chunked", "Date": "d"]))
        == [.version(.http11, to: .http2), .removed(0), .removed(1)])
  }

  @Test("An origin of HTTP/2 and a client of HTTP/1.1")
  func responseDowngraded() {
    var forwarding = ResponseForwarding(to: .get, of: .http11, framing: .chunked, persists: true)
    forwarding.date = "d"
    #expect(
      forwarding.changes(of: response(.http2, ["server": "x", "date": "d"]))
        == [.version(.http2, to: .http11), .added(name: "Transfer-Encoding", value: "chunked")])
  }

  @Test("Via is listed where it was asked for")
  func via() throws {
    var forwarding = RequestForwarding(framing: .none, version: .http2)
    let pseudonym = Pseudonym.unique()
    forwarding.pseudonym = pseudonym
    #expect(
      try forwarding.changes(of: request(.http2, [:]))
        == [.added(name: "Via", value: "2.0 \(pseudonym.text)")])
  }
}
