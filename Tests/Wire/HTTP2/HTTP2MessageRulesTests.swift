import TapelineHTTP
import TapelineHTTP2
import Testing

/// The rules for header lists. They are all that stands between a hostile list and a head of HTTP/1.1 made of it.
@Suite struct HTTP2MessageRulesTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let lines: [(String, String)]
    let reason: HTTP2Violation.Malformation

    init(_ lines: [(String, String)], _ reason: HTTP2Violation.Malformation) {
      self.lines = lines
      self.reason = reason
    }

    var testDescription: String { lines.map { "\($0.0.debugDescription): \($0.1.debugDescription)" }.joined(separator: ", ") }
  }

  /// Requests that would become two requests, another request, or a request for another host, if they were written as HTTP/1.1.
  static let smuggling: [Vector] = [
    // Line ends and NUL, wherever text can be.
    Vector(request("/", [("x", "a\r\nTransfer-Encoding: chunked")]), .invalidFieldValue),
    Vector(request("/", [("x", "a\nContent-Length: 0")]), .invalidFieldValue),
    Vector(request("/", [("x", "a\rb")]), .invalidFieldValue),
    Vector(request("/", [("x", "a\u{0}b")]), .invalidFieldValue),
    Vector(request("/", [("x\r\ntransfer-encoding: chunked\r\ny", "1")]), .invalidFieldName),
    Vector(request("/", [("x: 1\r\ny", "1")]), .invalidFieldName),
    Vector(request("/", [("x\u{0}", "1")]), .invalidFieldName),
    Vector(request("/", [("x y", "1")]), .invalidFieldName),
    Vector(request("/", [("x:", "1")]), .invalidFieldName),
    Vector(request("/", [("content-length ", "5")]), .invalidFieldName),
    Vector(request("/", [("", "1")]), .invalidFieldName),
    Vector(request("/", [("x\u{e9}", "1")]), .invalidFieldName),
    Vector(request("/ HTTP/1.1\r\nHost: b\r\n\r\nGET /x"), .invalidFieldValue),
    Vector(request("/x y"), .invalidPath),
    Vector(request("/x\ty"), .invalidPath),
    Vector(request("/x#y"), .invalidPath),
    Vector(request(""), .invalidPath),
    Vector(request("x"), .invalidPath),
    Vector(request("http://b/"), .invalidPath),
    Vector(request("*"), .invalidPath),
    Vector(request(method: "GET / HTTP/1.1\r\nHost: b\r\n\r\nGET"), .invalidFieldValue),
    Vector(request(method: "GET /x"), .invalidMethod),
    Vector(request(method: ""), .invalidMethod),
    Vector(request(method: "G\u{e9}T"), .invalidMethod),
    Vector([(":method", "GET"), (":scheme", "https"), (":authority", "a\r\nX: 1"), (":path", "/")], .invalidFieldValue),
    Vector([(":method", "GET"), (":scheme", "https"), (":authority", "a b"), (":path", "/")], .invalidAuthority),
    Vector([(":method", "GET"), (":scheme", "https"), (":authority", "u@a"), (":path", "/")], .invalidAuthority),
    Vector([(":method", "GET"), (":scheme", "https"), (":authority", "a/b"), (":path", "/")], .invalidAuthority),
    Vector([(":method", "GET"), (":scheme", "https"), (":authority", "a:99999"), (":path", "/")], .invalidAuthority),
    Vector([(":method", "GET"), (":scheme", "https"), (":authority", ""), (":path", "/")], .invalidAuthority),
    Vector([(":method", "GET"), (":scheme", "https://b/"), (":authority", "a"), (":path", "/")], .invalidScheme),
    Vector([(":method", "GET"), (":scheme", ""), (":authority", "a"), (":path", "/")], .invalidScheme),
    // Framing.
    Vector(request("/", [("transfer-encoding", "chunked")]), .connectionField),
    Vector(request("/", [("transfer-encoding", "")]), .connectionField),
    Vector(request("/", [("connection", "close")]), .connectionField),
    Vector(request("/", [("connection", "x")]), .connectionField),
    Vector(request("/", [("keep-alive", "timeout=5")]), .connectionField),
    Vector(request("/", [("proxy-connection", "keep-alive")]), .connectionField),
    Vector(request("/", [("upgrade", "websocket")]), .connectionField),
    Vector(request("/", [("http2-settings", "AAMAAABkAAQAAP__")]), .connectionField),
    Vector(request("/", [("te", "chunked")]), .invalidTE),
    Vector(request("/", [("te", "trailers, chunked")]), .invalidTE),
    Vector(request("/", [("content-length", "1"), ("content-length", "2")]), .invalidContentLength),
    Vector(request("/", [("content-length", "1"), ("content-length", "01")]), .invalidContentLength),
    Vector(request("/", [("content-length", " 1")]), .invalidContentLength),
    Vector(request("/", [("content_length", "1")]), .underscoreFraming),
    Vector(request("/", [("transfer_encoding", "chunked")]), .underscoreFraming),
    Vector(request("/", [("content-length", "1, 1")]), .invalidContentLength),
    Vector(request("/", [("content-length", "+1")]), .invalidContentLength),
    Vector(request("/", [("content-length", "0x1")]), .invalidContentLength),
    Vector(request("/", [("content-length", "")]), .invalidContentLength),
    Vector(request("/", [("content-length", "99999999999999999999")]), .invalidContentLength),
    // Names in other case.
    Vector(request("/", [("Transfer-Encoding", "chunked")]), .uppercaseFieldName),
    Vector(request("/", [("X", "1")]), .uppercaseFieldName),
    Vector([(":Method", "GET")] + request().dropFirst(), .uppercaseFieldName),
    // Routing.
    Vector(request("/", [("host", "b")]), .differentHost),
    Vector(request("/", [("host", "a:8080")]), .differentHost),
    Vector(request("/", [("host", "a"), ("host", "a")]), .severalHosts),
    Vector(request("/", [("host", "a b")]), .invalidAuthority),
    Vector(request("/", [("host", "")]), .invalidAuthority),
    Vector([(":method", "GET"), (":scheme", "https"), (":path", "/")], .missingAuthority),
    Vector([(":method", "GET"), (":scheme", "https"), (":path", "/"), ("host", "a\r\nX: 1")], .invalidFieldValue),
    // Pseudo-fields.
    Vector(request().filter { $0.0 != ":method" }, .missingPseudoField),
    Vector(request().filter { $0.0 != ":scheme" }, .missingPseudoField),
    Vector(request().filter { $0.0 != ":path" }, .missingPseudoField),
    Vector(request() + [(":path", "/b")], .repeatedPseudoField),
    Vector(request() + [(":authority", "a")], .repeatedPseudoField),
    Vector(request("/", [("x", "1"), (":path", "/b")]), .latePseudoField),
    Vector([("x", "1")] + request(), .latePseudoField),
    Vector(request() + [(":status", "200")], .unexpectedPseudoField),
    Vector(request() + [(":other", "1")], .unknownPseudoField),
    Vector(request() + [(":", "1")], .unknownPseudoField),
    Vector(request() + [(":path\r\nx", "1")], .unknownPseudoField),
    Vector(request() + [(":protocol", "websocket")], .unofferedProtocol),
    Vector([], .missingPseudoField),
    // CONNECT.
    Vector(request(method: "CONNECT"), .unexpectedPseudoField),
    Vector([(":method", "CONNECT")], .missingPseudoField),
    Vector([(":method", "CONNECT"), (":authority", "a")], .invalidAuthority),
    Vector([(":method", "CONNECT"), (":authority", "a:443"), (":path", "/")], .unexpectedPseudoField),
    Vector([(":method", "CONNECT"), (":authority", "a:443"), ("host", "b:443")], .differentHost),
    Vector([(":method", "CONNECT"), (":authority", "a:443"), ("content-length", "5")], .forbiddenContent),
  ]

  @Test("RFC 9113 8.1.1: a malformed request is refused for its fault", arguments: smuggling)
  func malformedRequests(vector: Vector) {
    #expect(throws: vector.reason) { try HTTP2RequestHead(HTTP2HeaderList(vector.lines)) }
    let server = Endpoint.server()
    server.read([.headers(1, vector.lines)])
    #expect(server.refusals[1] == .malformed(vector.reason))
    #expect(server.requests.isEmpty)
    let resets = Frame.reading(server.write()).filter(\.isReset)
    #expect(resets.map { $0.number() } == [HTTP2ErrorCode.protocolError.rawValue])
    #expect(server.violation == nil)
    // The connection goes on.
    server.read([.headers(3, request())])
    #expect(server.requests[3] != nil)
  }

  static let responses: [Vector] = [
    Vector([], .missingPseudoField),
    Vector([("x", "1")], .missingPseudoField),
    Vector([(":status", "20")], .invalidStatus),
    Vector([(":status", "2000")], .invalidStatus),
    Vector([(":status", "099")], .invalidStatus),
    Vector([(":status", "2x0")], .invalidStatus),
    Vector([(":status", "200 OK")], .invalidStatus),
    Vector([(":status", "101")], .switchingProtocols),
    Vector([(":status", "200"), (":status", "200")], .repeatedPseudoField),
    Vector([(":status", "200"), (":path", "/")], .unexpectedPseudoField),
    Vector([(":status", "200"), ("x", "1"), (":status", "200")], .latePseudoField),
    Vector([(":status", "200"), ("transfer-encoding", "chunked")], .connectionField),
    Vector([(":status", "200"), ("connection", "close")], .connectionField),
    Vector([(":status", "200"), ("te", "trailers")], .invalidTE),
    Vector([(":status", "200"), ("X", "1")], .uppercaseFieldName),
    Vector([(":status", "200"), ("x", "1\r\nSet-Cookie: a=b")], .invalidFieldValue),
    Vector([(":status", "200"), ("content-length", "1"), ("content-length", "2")], .invalidContentLength),
    Vector([(":status", "200"), ("content-length", "5")], .differentContentLength),
    Vector([(":status", "103")], .endBeforeHead),
  ]

  @Test("RFC 9113 8.1.1: a malformed response is refused for its fault", arguments: responses)
  func malformedResponses(vector: Vector) {
    let client = Endpoint.client()
    client.read([.headers(1, vector.lines)])
    #expect(client.refusals[1] == .malformed(vector.reason))
    #expect(client.responses.isEmpty)
    #expect(Frame.reading(client.write()).filter(\.isReset).map { $0.number() } == [HTTP2ErrorCode.protocolError.rawValue])
    #expect(client.violation == nil)
  }

  static let trailers: [Vector] = [
    Vector([(":status", "200")], .unexpectedPseudoField),
    Vector([(":path", "/")], .unexpectedPseudoField),
    Vector([("content-length", "5")], .connectionField),
    Vector([("host", "b")], .connectionField),
    Vector([("transfer-encoding", "chunked")], .connectionField),
    Vector([("te", "trailers")], .invalidTE),
    Vector([("x", "1\r\n\r\nGET / HTTP/1.1")], .invalidFieldValue),
    Vector([("X", "1")], .uppercaseFieldName),
  ]

  @Test("RFC 9113 8.1: a malformed trailer section ends its stream", arguments: trailers)
  func malformedTrailers(vector: Vector) {
    let server = Endpoint.server()
    server.read([.headers(1, request(method: "POST"), ends: false), .headers(1, vector.lines)])
    #expect(server.refusals[1] == .malformed(vector.reason))
    server.endRun()
    #expect(!server.transcript.contains("1 end"))
  }

  @Test("RFC 9113 8.1: a trailer section ends its stream")
  func trailersEnd() {
    let server = Endpoint.server()
    server.read([.headers(1, request(method: "POST"), ends: false), .headers(1, [("x", "1")], ends: false)])
    #expect(server.refusals[1] == .malformed(.trailersWithoutEnd))
  }

  @Test("RFC 9113 8.1: interim responses precede the final one, within a bound")
  func interimResponses() {
    let hint = (":status", "102"), size = 7 + 3 + 32 + 512
    let limits = HTTP2Limits(HTTPLimits(informationalResponses: 100 * size))
    let client = Endpoint.client(limits: limits)
    client.read((0..<100).map { _ in .headers(1, [hint], ends: false) })
    #expect(client.refusals.isEmpty)
    client.read([.headers(1, [hint], ends: false)])
    #expect(client.refusals[1] == .malformed(.tooManyInterimResponses))
    let early = Endpoint.client()
    early.read([.data(1, [1])])
    early.write()
    #expect(early.violation == .connectionError(.protocolError))
    #expect(early.received.isEmpty)
  }

  @Test("RFC 9113 8.1.1: Content-Length is the sum of the content", arguments: [4, 6], [HTTP2Role.server, .client])
  func contentLength(count: Int, role: HTTP2Role) {
    let endpoint = role == .server ? Endpoint.server() : Endpoint.client()
    let head: [(String, String)] = role == .server ? request(method: "POST") : [(":status", "200")]
    endpoint.read([
      .headers(1, head + [("content-length", "5")], ends: false), .data(1, [UInt8](repeating: 1, count: count), ends: true),
    ])
    #expect(endpoint.refusals[1] == .malformed(.differentContentLength))
    endpoint.endRun()
    #expect(!endpoint.transcript.contains("1 end"))
    // Nothing beyond the promised length is delivered.
    #expect(endpoint.received[1, default: 0] <= 5)
  }

  @Test("RFC 9113 8.1.1: a promise of content that the head's end of stream breaks is no request")
  func contentLengthWithoutContent() {
    let server = Endpoint.server()
    server.read([.headers(1, request(method: "POST", [("content-length", "5")]))])
    #expect(server.refusals[1] == .malformed(.differentContentLength))
    #expect(server.requests.isEmpty)
  }

  @Test("RFC 9113 8.1.1: a response without content may have a length, and no content")
  func responsesWithoutContent() {
    for (method, status) in [(HTTPMethod.head, "200"), (.get, "304")] {
      let client = Endpoint.client(method: method)
      client.read([.headers(1, [(":status", status), ("content-length", "5")])])
      #expect(client.refusals.isEmpty)
      #expect(client.responses[1]?.contentLength == 5)
      let other = Endpoint.client(method: method)
      other.read([.headers(1, [(":status", status)], ends: false), .data(1, [1], ends: true)])
      #expect(other.refusals[1] == .malformed(.forbiddenContent))
    }
  }

  @Test("RFC 9113 8.3.1: Host may repeat the authority, in other case or with the default port, or stand alone")
  func hosts() throws {
    for host in ["a", "A", "a:443"] {
      #expect(try HTTP2RequestHead(HTTP2HeaderList(request("/", [("host", host)]))).authority == "a")
    }
    let lines = request("/", [("host", "b:8443")]).filter { $0.0 != ":authority" }
    #expect(try HTTP2RequestHead(HTTP2HeaderList(lines)).authority == "b:8443")
  }

  @Test("RFC 9113 8.5: CONNECT has an authority with a port, and its content is the tunnel")
  func connect() throws {
    let server = Endpoint.server()
    server.read([.headers(1, [(":method", "CONNECT"), (":authority", "a:443")], ends: false), .data(1, [1, 2, 3])])
    #expect(server.requests[1]?.scheme == nil)
    #expect(server.requests[1]?.authority == "a:443")
    #expect(server.received[1] == 3)
    let client = Endpoint.client(method: .connect)
    client.read([.headers(1, [(":status", "200"), ("content-length", "1")], ends: false), .data(1, [1, 2, 3])])
    #expect(client.received[1] == 3)
    #expect(client.refusals.isEmpty)
  }

  @Test("RFC 8441 4: extended CONNECT has all pseudo-fields, and only where we offer it")
  func extendedConnect() {
    let lines = [(":method", "CONNECT"), (":protocol", "websocket")] + request("/chat").dropFirst()
    let server = Endpoint.server(offersExtendedConnect: true)
    server.read([.headers(1, Array(lines), ends: false)])
    #expect(server.requests[1]?.protocol == "websocket")
    server.read([.headers(3, request() + [(":protocol", "websocket")])])
    #expect(server.refusals[3] == .malformed(.unexpectedPseudoField))
    server.read([.headers(5, lines.filter { $0.0 != ":path" }, ends: false)])
    #expect(server.refusals[5] == .malformed(.missingPseudoField))
    let other = Endpoint.server()
    other.read([.headers(1, Array(lines), ends: false)])
    #expect(other.refusals[1] == .malformed(.unofferedProtocol))
  }

  @Test("RFC 8441 3: the setting is sent where we offer it, and read where the origin does")
  func extendedConnectSetting() {
    let client = Endpoint.client()
    #expect(!client.peerSettings.offersExtendedConnect)
    let server = Endpoint(.server, offersExtendedConnect: true)
    let other = Endpoint(.client)
    exchange(server, other)
    #expect(other.peerSettings.offersExtendedConnect)
  }

  @Test("RFC 9113 10.5.1: a header list beyond the limits ends its stream, not the connection")
  func headerListLimits() {
    let limits = HTTP2Limits(HTTPLimits(headerBlock: 64 << 10, fields: 1000))
    let server = Endpoint.server(limits: limits)
    // 996 lines and four pseudo-fields.
    server.read([.headers(1, request("/", (0..<996).map { _ in ("cookie", "a") }))])
    #expect(server.requests[1]?.list.count == 1000)
    server.read([.headers(3, request("/", (0..<997).map { _ in ("cookie", "a") }))])
    #expect(server.oversized[3]?.excess == .headerLines && server.oversized[3]?.method == "GET")
    #expect(server.violation == nil)
    let big = String(repeating: "x", count: 40_000)
    let client = Endpoint(.client)
    client.submit(request("/", [("a", big), ("b", big)]))
    let other = Endpoint(.server, limits: limits)
    other.read(client.write())
    #expect(other.oversized[1]?.excess == .headerList)
    #expect(other.requests.isEmpty && other.refusals.isEmpty && other.violation == nil)
  }

  @Test("RFC 6585 5: a request beyond the limits is answered, and the rest of it is not told", arguments: [true, false])
  func oversizedRequest(endsStream: Bool) {
    var limits = HTTP2Limits()
    limits.headerList = 1000
    let (client, server) = (Endpoint(.client), Endpoint(.server, limits: limits))
    client.contents[1] = [.bytes([1, 2, 3]), .trailers(HTTP2HeaderList([("x", "y")]))]
    let lines = request("/", method: "POST", [("x", String(repeating: "x", count: 1000))])
    client.submit(lines, method: .post, hasContent: !endsStream)
    exchange(client, server)
    #expect(server.oversized[1]?.excess == .headerList && server.oversized[1]?.method == "POST")
    #expect(server.received[1] == nil && server.requests.isEmpty)
    server.respond(1, [(":status", "431")])
    exchange(client, server)
    #expect(client.responses[1]?.status == 431)
    #expect(server.openStreams == 0 || !endsStream)
    client.submit(request("/next"))
    exchange(client, server)
    #expect(server.requests[3] != nil && server.violation == nil)
  }

  @Test("Extended CONNECT can be offered later, by a second SETTINGS (RFC 8441 3)") func laterOffer() {
    let server = Endpoint(.server)
    let client = Endpoint(.client)
    exchange(client, server)
    #expect(!client.peerSettings.offersExtendedConnect)
    server.connection.offerExtendedConnect()
    server.connection.offerExtendedConnect()
    exchange(client, server)
    #expect(client.peerSettings.offersExtendedConnect)
    #expect(client.transcript.filter { $0.hasPrefix("settings streams") }.count == 2)
    client.submit(
      [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":authority", "a"), (":path", "/")],
      method: .connect, hasContent: true)
    exchange(client, server)
    #expect(server.requests[1]?.protocol == "websocket")
  }
}
