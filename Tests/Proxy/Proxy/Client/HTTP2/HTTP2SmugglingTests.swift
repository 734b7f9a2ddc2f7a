import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import Testing

@testable import TapelineProxy

/// Requests in HTTP/2 that would be more or other than one request in HTTP/1.1, if they were written as they came: over sockets,
/// to an origin that reads HTTP/1.1.
@Suite("Clients that speak HTTP/2: smuggling") struct HTTP2SmugglingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    enum Outcome {
      /// The stream is reset, and the origin sees nothing.
      case refused
      /// The stream is reset when the content breaks the promise of the head. The origin sees no complete request.
      case cut
      /// We answer, and the origin sees nothing.
      case answered
      /// One request reaches the origin, with this target.
      case forwarded(String)
    }

    let name: String
    let outcome: Outcome
    /// `AUTHORITY` stands for the origin's.
    let lines: [(String, String)]
    var content: String?

    var testDescription: String { name }

    init(_ name: String, _ outcome: Outcome, _ lines: [(String, String)], content: String? = nil) {
      self.name = name
      self.outcome = outcome
      self.lines = lines
      self.content = content
    }
  }

  private static let hidden = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

  private static func lines(
    _ path: String = "/", method: String = "GET", authority: String = "AUTHORITY", scheme: String = "http",
    _ fields: [(String, String)] = []
  ) -> [(String, String)] {
    [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)] + fields
  }

  static let cases: [Case] = [
    // Line ends and NUL.
    Case("CR LF in a value", .refused, lines("/", [("x", "a\r\n\r\n\(hidden)")])),
    Case("LF in a value", .refused, lines("/", [("x", "a\n\n\(hidden)")])),
    Case("CR in a value", .refused, lines("/", [("x", "a\rb")])),
    Case("NUL in a value", .refused, lines("/", [("x", "a\u{0}b")])),
    Case("CR LF in a name", .refused, lines("/", [("x: a\r\ny", "b")])),
    Case("a colon in a name", .refused, lines("/", [("x:y", "b")])),
    Case("a blank in a name", .refused, lines("/", [("x y", "b")])),
    Case("an empty name", .refused, lines("/", [("", "b")])),
    Case("CR LF in the path", .refused, lines("/ HTTP/1.1\r\nHost: x\r\n\r\n\(hidden)")),
    Case("LF in the path", .refused, lines("/a\nb")),
    Case("NUL in the path", .refused, lines("/a\u{0}b")),
    Case("CR LF in the method", .refused, lines("/", method: "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET")),
    Case("CR LF in the authority", .refused, lines("/", authority: "AUTHORITY\r\nX: y")),
    Case("CR LF in the scheme", .refused, lines("/", scheme: "http\r\n")),
    // Blanks.
    Case("a blank in the path", .refused, lines("/a b")),
    Case("a version in the path", .refused, lines("/ HTTP/1.0")),
    Case("a tab in the path", .refused, lines("/a\tb")),
    Case("a blank in the method", .refused, lines("/", method: "GET /x")),
    Case("a blank in the authority", .refused, lines("/", authority: "AUTHORITY x")),
    Case("a value that begins with a blank", .forwarded("/"), lines("/", [("x", " a")])),
    Case("a value that ends with a tab", .forwarded("/"), lines("/", [("x", "a\t")])),
    // Framing.
    Case(
      "Transfer-Encoding: chunked", .refused, lines("/", method: "POST", [("transfer-encoding", "chunked")]),
      content: "0\r\n\r\n\(hidden)"),
    Case("Transfer-Encoding: identity", .refused, lines("/", method: "POST", [("transfer-encoding", "identity")])),
    Case("Transfer-Encoding in capitals", .refused, lines("/", method: "POST", [("Transfer-Encoding", "chunked")])),
    Case("Transfer-Encoding after a tab", .refused, lines("/", method: "POST", [("transfer-encoding\t", "chunked")])),
    Case(
      "a length shorter than the content", .cut, lines("/", method: "POST", [("content-length", "4")]),
      content: "abcd\(hidden)"),
    Case("a length longer than the content", .cut, lines("/", method: "POST", [("content-length", "400")]), content: "abcd"),
    Case("a length of 0 before content", .cut, lines("/", method: "POST", [("content-length", "0")]), content: hidden),
    Case(
      "two lengths", .refused, lines("/", method: "POST", [("content-length", "4"), ("content-length", "0")]), content: "abcd"),
    Case("a list of lengths", .refused, lines("/", method: "POST", [("content-length", "4, 4")]), content: "abcd"),
    Case("a length with a sign", .refused, lines("/", method: "POST", [("content-length", "+4")]), content: "abcd"),
    Case("a length in hexadecimal", .refused, lines("/", method: "POST", [("content-length", "0x4")]), content: "abcd"),
    Case(
      "a length beyond 64 bits", .refused, lines("/", method: "POST", [("content-length", "18446744073709551620")]),
      content: "abcd"),
    Case("content that looks like the last chunk", .forwarded("/"), lines("/", method: "POST"), content: "0\r\n\r\n\(hidden)"),
    Case(
      "content that looks like a request", .forwarded("/"),
      lines("/", method: "POST", [("content-length", "\(hidden.utf8.count)")]), content: hidden),
    Case("content of GET", .forwarded("/"), lines("/"), content: hidden),
    // Fields of a connection.
    Case("Connection names a field", .refused, lines("/", [("connection", "x-secret")])),
    Case("Connection: Transfer-Encoding", .refused, lines("/", [("connection", "transfer-encoding")])),
    Case("Keep-Alive", .refused, lines("/", [("keep-alive", "timeout=1")])),
    Case("Proxy-Connection", .refused, lines("/", [("proxy-connection", "close")])),
    Case("Upgrade", .refused, lines("/", [("upgrade", "h2c")])),
    Case("TE other than trailers", .refused, lines("/", [("te", "chunked")])),
    // Pseudo-fields.
    Case("two paths", .refused, lines() + [(":path", "/smuggled")]),
    Case("two methods", .refused, lines() + [(":method", "POST")]),
    Case("a pseudo-field after a field", .refused, [("x", "y")] + lines()),
    Case("an unknown pseudo-field", .refused, lines() + [(":x", "y")]),
    Case("a status in a request", .refused, lines() + [(":status", "200")]),
    Case("no path", .refused, lines().filter { $0.0 != ":path" }),
    Case("an empty path", .refused, lines("")),
    Case("no method", .refused, lines().filter { $0.0 != ":method" }),
    Case("no scheme", .refused, lines().filter { $0.0 != ":scheme" }),
    // Routing.
    Case("Host beside the authority", .refused, lines("/", [("host", "evil.example")])),
    Case("Host with another port", .refused, lines("/", [("host", "127.0.0.1:1")])),
    Case("two Hosts", .refused, lines("/", [("host", "AUTHORITY"), ("host", "AUTHORITY")])),
    Case("the same Host", .forwarded("/"), lines("/", [("host", "AUTHORITY")])),
    Case("userinfo in the authority", .refused, lines("/", authority: "a@AUTHORITY")),
    Case("a path in the authority", .refused, lines("/", authority: "AUTHORITY/x")),
    Case("an absolute URL as path", .refused, lines("http://evil.example/")),
    Case("a path that begins with two slashes", .forwarded("//evil.example/"), lines("//evil.example/")),
    Case("an asterisk with GET", .refused, lines("*")),
    Case("an asterisk with OPTIONS", .forwarded("*"), lines("*", method: "OPTIONS")),
    Case("a fragment", .refused, lines("/a#b")),
    Case("percent-encoded line ends", .forwarded("/%0d%0aX:%20y"), lines("/%0d%0aX:%20y")),
    Case("another scheme", .answered, lines("/", scheme: "https")),
    Case("a scheme with a line of its own", .refused, lines("/", scheme: "http://evil.example/?")),
    // Tunnels.
    Case("CONNECT with a path", .refused, lines("/", method: "CONNECT")),
    Case("CONNECT without a port", .refused, [(":method", "CONNECT"), (":authority", "a.example")]),
    Case("CONNECT with a line end", .refused, [(":method", "CONNECT"), (":authority", "AUTHORITY\r\nX: y")]),
    Case("an extended CONNECT that was not offered", .refused, lines("/", method: "CONNECT", [(":protocol", "websocket")])),
    Case("an unknown expectation", .forwarded("/"), lines("/", [("expect", "smuggling")])),
  ]

  @Test("No request reaches an HTTP/1 origin as more or other than one (RFC 9113 10.3)", arguments: cases)
  func smuggling(attempt: Case) throws {
    let origin = try ScriptedOrigin(scripts: { _ in [.forever([.expectRequest, .respond(body: "ok")])] })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let lines = attempt.lines.map { ($0.0, $0.1.replacing("AUTHORITY", with: origin.authority)) }
    let stream = try client.open(lines, hasContent: attempt.content != nil)
    if let content = attempt.content { try client.send(Array(content.utf8), on: stream, isLast: true) }
    let response = try client.response(to: stream)
    // The connection goes on, and what follows is a request of its own.
    let probe = try client.response(to: try client.open(origin.request("/probe")))
    #expect(probe.bodyText == "ok")

    let received = origin.requests
    switch attempt.outcome {
    case .refused:
      #expect(response.reset == .protocolError)
      #expect(received.allSatisfy { $0.startLine.contains("/probe") })
    case .cut:
      #expect(response.reset == .protocolError)
      #expect(received.allSatisfy { $0.startLine.contains("/probe") })
      #expect(!origin.connections.contains { $0.receivedText.contains("smuggled") })
      return
    case .answered:
      #expect(response.status >= 400 && response.ended)
      #expect(received.count == 1)
    case .forwarded(let target):
      #expect(response.bodyText == "ok")
      let request = try #require(received.first { !$0.startLine.contains("/probe") })
      #expect(request.startLine.split(separator: " ")[1] == target && received.count == 2)
      #expect(request.bodyText == attempt.content ?? "")
      #expect(request.values(of: "host") == [origin.authority])
    }
    #expect(!received.contains { $0.startLine.contains("smuggled") })
    // Nothing came that was not one of these requests.
    for connection in origin.connections {
      #expect(connection.received == connection.requests.flatMap { $0.head + $0.wireBody })
    }
    #expect(try proxy.records(2).count == 2)
  }
}
