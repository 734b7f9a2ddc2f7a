import FoundationEssentials
import TapelineHTTP
import TapelineTransport
import Testing

@testable import TapelineCore

@Suite struct URLRequestOutgoingTests {
  /// What goes on the wire.
  private func wire(_ request: URLRequest, framing: BodyFraming? = nil) throws -> String {
    let outgoing = try request.outgoing(framing: framing)
    var bytes: [UInt8] = []
    OriginatedRequest.append(head: outgoing.head, framing: outgoing.framing, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aGETIsFourLines() throws {
    let request = try URLRequest(url: "http://a.example:8080/b/c?d=e#f", method: .get, headers: ["X": "1"])
    #expect(try wire(request) == "GET /b/c?d=e HTTP/1.1\r\nHost: a.example:8080\r\nX: 1\r\n\r\n")
    let outgoing = try request.outgoing()
    #expect(outgoing.route == Route(host: "a.example", port: 8080))
    #expect(outgoing.framing == .none)
    #expect(outgoing.sender == .ourselves)
  }

  @Test(
    "The target is the URL's own percent-encoded text",
    arguments: [
      ("http://a.example", "/"), ("http://a.example?x", "/?x"), ("http://a.example/%7Ea%2Fb//c/./d", "/%7Ea%2Fb//c/./d"),
      ("http://a.example/a?b=%C3%A4&c=d/e?f", "/a?b=%C3%A4&c=d/e?f"), ("http://a.example/a;b=c@d:e!$'()*,", "/a;b=c@d:e!$'()*,"),
    ])
  func targets(url: String, target: String) throws {
    #expect(try wire(URLRequest(url: url, method: .get)).hasPrefix("GET \(target) HTTP/1.1\r\n"))
  }

  @Test("A raw target goes out byte by byte")
  func rawTarget() throws {
    var request = try URLRequest(url: "http://a.example/ignored", method: .get)
    request.target = "/%zz|[1]\"<>?\u{E4}"
    #expect(try wire(request).hasPrefix("GET /%zz|[1]\"<>?\u{E4} HTTP/1.1\r\nHost: a.example\r\n"))
    request.method = .options
    request.target = "*"
    #expect(try wire(request).hasPrefix("OPTIONS * HTTP/1.1\r\n"))
  }

  @Test func credentialsOfTheURLAreNotInTheTarget() throws {
    let request = try URLRequest(url: "https://us%40er:pa%3Ass@a.example/b", method: .get)
    #expect(try wire(request) == "GET /b HTTP/1.1\r\nHost: a.example\r\n\r\n")
    let credential = try #require(request.urlCredential)
    #expect(credential == ("us@er", "pa:ss"))
    #expect(try URLRequest(url: "http://user@a.example/", method: .get).urlCredential?.password == "")
    #expect(try URLRequest(url: "http://a.example/", method: .get).urlCredential == nil)
  }

  @Test func routes() throws {
    #expect(
      try URLRequest(url: "https://A.Example/", method: .get).route()
        == Route(host: "a.example", port: 443, security: .tls(serverName: "a.example")))
    #expect(try URLRequest(url: "http://[::1]:81/", method: .get).route() == Route(host: "::1", port: 81))
    #expect(try wire(URLRequest(url: "http://[::1]:81/", method: .get)).contains("\r\nHost: [::1]:81\r\n"))
  }

  @Test func bodiesAreFramed() throws {
    var request = try URLRequest(url: "http://a.example/", method: .post)
    #expect(try request.outgoing().framing == .length(0))
    request.httpBody = Data("four".utf8)
    #expect(try request.outgoing().framing == .length(4))
    #expect(try request.outgoing(framing: .chunked).framing == .chunked)
    request.method = .delete
    request.httpBody = nil
    #expect(try request.outgoing().framing == .none)
    request.method = .get
    request.httpBody = Data("x".utf8)
    #expect(try request.outgoing().framing == .length(1))
  }

  @Test func framingFieldsAreOursAndHostIsTheUsers() throws {
    var request = try URLRequest(url: "http://127.0.0.1/", method: .post, headers: ["Host": "named.example"])
    request.headers.append(name: "content-length", value: "99")
    request.headers.append(name: "Transfer-Encoding", value: "chunked")
    request.headers.append(name: "Connection", value: "close, X-Hop")
    request.headers.append(name: "X-Hop", value: "1")
    request.headers.append(name: "x-Kept", value: "a")
    request.headers.append(name: "x-Kept", value: "b")
    request.httpBody = Data("ab".utf8)
    #expect(
      try wire(request)
        == "POST / HTTP/1.1\r\nHost: named.example\r\nx-Kept: a\r\nx-Kept: b\r\nContent-Length: 2\r\n\r\n")
  }

  @Test func theURLOfTheResponseIsTheRequests() throws {
    let outgoing = try URLRequest(url: "https://u:p@a.example:444/b?c#d", method: .get).outgoing()
    let response = HTTPURLResponse(head: ResponseHead(status: 200), request: outgoing.head)
    #expect(response.url?.absoluteString == "https://a.example:444/b?c")
  }
}
