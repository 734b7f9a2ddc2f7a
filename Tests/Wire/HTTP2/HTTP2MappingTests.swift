import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import Testing

/// Messages between HTTP/2 and HTTP/1.1.
@Suite struct HTTP2MappingTests {
  /// The request as it goes to an origin that speaks HTTP/1.1.
  private static func wire(_ head: HTTP2RequestHead, endsStream: Bool = true) throws -> String {
    var output: [UInt8] = []
    var forwarding = RequestForwarding(framing: head.http1Framing(endsStream: endsStream))
    forwarding.append(try head.head(), into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private static func head(_ lines: [(String, String)], offersProtocols: Bool = false) throws -> HTTP2RequestHead {
    try HTTP2RequestHead(HTTP2HeaderList(lines), offersProtocols: offersProtocols)
  }

  @Test("RFC 9113 8.3.1: the authority becomes Host, before all other fields")
  func authority() throws {
    let head = try Self.head(request("/x?y", [("accept", "*/*"), ("x", "1")]))
    #expect(try Self.wire(head) == "GET /x?y HTTP/1.1\r\nHost: a\r\naccept: */*\r\nx: 1\r\n\r\n")
    let named = try Self.head(request("/", [("x", "1"), ("host", "A:443")]))
    #expect(try Self.wire(named).contains("\r\nhost: a\r\n"), "a line of the client's own keeps its place")
  }

  @Test("RFC 9113 8.2.3: crumbs of cookies are joined toward HTTP/1.1, and only there")
  func cookies() throws {
    let head = try Self.head(request("/", [("cookie", "a=1"), ("x", "1"), ("cookie", "b=2"), ("cookie", "c=3")]))
    #expect(try Self.wire(head) == "GET / HTTP/1.1\r\nHost: a\r\ncookie: a=1; b=2; c=3\r\nx: 1\r\n\r\n")
    #expect(head.list.texts.filter { $0.name == "cookie" }.map(\.value) == ["a=1", "b=2", "c=3"])
  }

  @Test("RFC 9113 8.1.1: the framing of HTTP/1.1 follows from Content-Length and the end of the stream")
  func framing() throws {
    let plain = try Self.head(request(method: "POST"))
    #expect(try Self.wire(plain, endsStream: false).contains("Transfer-Encoding: chunked\r\n"))
    #expect(try !Self.wire(plain).contains("Transfer-Encoding"))
    let length = try Self.head(request(method: "POST", [("content-length", "005")]))
    #expect(try Self.wire(length, endsStream: false).contains("content-length: 5\r\n"))
    let response = try HTTP2ResponseHead(HTTP2HeaderList([(":status", "200")]))
    #expect(response.http1Framing(to: .get, endsStream: true) == .length(0))
    #expect(response.http1Framing(to: .get, endsStream: false) == .chunked)
    #expect(response.http1Framing(to: .head, endsStream: true) == .none)
    #expect(response.http1Framing(to: .connect, endsStream: false) == .none)
  }

  @Test("RFC 9113 8.3.1: targets have their four forms")
  func targets() throws {
    let head = try Self.head(request("/x"))
    #expect(try head.head().targetText == "https://a/x")
    #expect(try Self.wire(head).hasPrefix("GET /x HTTP/1.1\r\n"))
    let asterisk = try Self.head(request("*", method: "OPTIONS"))
    #expect(try Self.wire(asterisk).hasPrefix("OPTIONS * HTTP/1.1\r\n"))
    #expect(try asterisk.head().targetText == "https://a")
    let connect = try Self.head([(":method", "CONNECT"), (":authority", "a:443")])
    #expect(try connect.head().targetText == "a:443")
    #expect(connect.http1Framing(endsStream: false) == .none)
  }

  @Test("Bytes of a path and of a value that are not UTF-8 go through unchanged")
  func bytes() throws {
    var builder = HTTP2HeaderList.Builder()
    for (name, value) in request().dropLast() { builder.append(name: name, value: value) }
    let path: [UInt8] = [0x2F, 0xE9, 0xFF]
    builder.append(name: ":path".utf8.span, value: path.span)
    builder.append(name: "x".utf8.span, value: path.span)
    let head = try HTTP2RequestHead(builder.take())
    var output: [UInt8] = []
    var forwarding = RequestForwarding(framing: .none)
    forwarding.append(try head.head(), into: &output)
    #expect(output == Array("GET ".utf8) + path + Array(" HTTP/1.1\r\nHost: a\r\nx: ".utf8) + path + Array("\r\n\r\n".utf8))
    let again = HTTP2HeaderList(try head.head(), scheme: .https, authority: "")
    #expect(try HTTP2RequestHead(again).path == path)
  }

  @Test("Every request that passes the rules is one request of HTTP/1.1, and the same again as HTTP/2")
  func roundTrip() throws {
    let lists = [
      request(), request("/a?b=c;d&e=%00#".dropLast().description, [("x", ""), ("y", "a\tb"), ("z", "\u{e9}")]),
      request(method: "PROPFIND", [("te", "trailers"), ("cookie", "a")]), request("*", method: "OPTIONS"),
      [(":method", "GET"), (":scheme", "http"), (":authority", "[::1]:8080"), (":path", "/\\..//")],
    ]
    for lines in lists {
      let head = try Self.head(lines)
      var connection = HTTP1Connection(role: .server)
      let bytes = Array(try Self.wire(head).utf8)
      var offset = 0
      guard case .requestHead(let read)? = try connection.receive(bytes.span, from: &offset) else {
        Issue.record("a head is read from \(lines)")
        continue
      }
      #expect(offset == bytes.count)
      #expect(read.method == head.method)
      #expect(read.fields.first(of: .host) == head.authority)
      let again = try HTTP2RequestHead(HTTP2HeaderList(read, scheme: head.scheme ?? .https, authority: ""))
      #expect(again.path == head.path)
      #expect(again.authority == head.authority)
      #expect(again.scheme == head.scheme)
      #expect(again.fields.map(\.name).sorted() == head.fields.map(\.name).sorted())
    }
  }

  @Test("RFC 9113 8.2.2: what belongs to a connection of HTTP/1.1 ends there, and names lose their capitals")
  func requestToHTTP2() throws {
    let fields: HeaderFields = [
      "Host": "b", "Connection": "X-Hop, close", "X-Hop": "1", "Keep-Alive": "1", "Proxy-Connection": "1", "Upgrade": "h2c",
      "HTTP2-Settings": "AA", "Transfer-Encoding": "chunked", "TE": "gzip, trailers", "X-Kept": "Value", "Cookie": "a=1; b=2",
    ]
    let head = try RequestHead(method: .post, target: "/x?y", fields: fields)
    let list = HTTP2HeaderList(head, scheme: .https, authority: "c")
    #expect(
      list.texts.map { "\($0.name): \($0.value)" } == [
        ":method: POST", ":scheme: https", ":authority: b", ":path: /x?y", "te: trailers", "x-kept: Value", "cookie: a=1; b=2",
      ])
    _ = try HTTP2RequestHead(list)
  }

  @Test("RFC 9113 8.3.1: a request without Host gets the connection's authority")
  func missingHost() throws {
    let old = try RequestHead(method: .get, target: "/", version: .http10)
    #expect(HTTP2HeaderList(old, scheme: .http, authority: "c:8080").texts[2].value == "c:8080")
    let absolute = try RequestHead(method: .get, target: "http://u@d:81/p", fields: ["Host": "d:81"])
    let list = HTTP2HeaderList(absolute, scheme: .http, authority: "c")
    #expect(list.texts.map(\.value) == ["GET", "http", "d:81", "/p"])
    let connect = try RequestHead(method: .connect, target: "[::1]:443", fields: ["Host": "[::1]:443"])
    #expect(HTTP2HeaderList(connect, scheme: .http, authority: "c").texts.map(\.value) == ["CONNECT", "[::1]:443"])
    _ = try HTTP2RequestHead(HTTP2HeaderList(connect, scheme: .http, authority: "c"))
  }

  @Test("RFC 9113 8.3.2: a response has its status, and neither phrase nor connection-specific fields")
  func responses() throws {
    let fields: HeaderFields = ["Connection": "close", "Content-Length": "5", "Set-Cookie": "a=1", "Content-Length": "5"]
    let list = HTTP2HeaderList(ResponseHead(status: 404, reason: "Gone fishing", fields: fields))
    #expect(list.texts.map { "\($0.name): \($0.value)" } == [":status: 404", "content-length: 5", "set-cookie: a=1"])
    let head = try HTTP2ResponseHead(list)
    #expect(head.http1Head.status == 404)
    #expect(head.http1Head.reason == "Not Found")
    #expect(head.http1Head.fields == ["content-length": "5", "set-cookie": "a=1"])
  }

  @Test("RFC 9113 8.1: trailers go both ways, without fields of framing and routing")
  func trailers() throws {
    let list = HTTP2HeaderList(trailers: ["Grpc-Status": "0", "Content-Length": "5", "Host": "b", "Connection": "x"])
    #expect(list.texts.map { "\($0.name): \($0.value)" } == ["grpc-status: 0"])
    #expect(try HTTP2Trailers(list).fields == ["grpc-status": "0"])
  }

  @Test("RFC 8441 5: a WebSocket's extended CONNECT is an upgrade in HTTP/1.1, and back")
  func webSockets() throws {
    let lines = [(":method", "CONNECT"), (":protocol", "websocket")] + request("/chat").dropFirst()
    let head = try Self.head(lines + [("sec-websocket-version", "13")], offersProtocols: true)
    var forwarding = RequestForwarding(framing: .none)
    forwarding.forwardsUpgrade = true
    forwarding.upgrade = RequestForwarding.Upgrade(to: "websocket", key: "a2V5")
    var wire: [UInt8] = []
    forwarding.append(try head.head(), into: &wire)
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    guard case .requestHead(let upgrade)? = try connection.receive(wire.span, from: &offset) else {
      return #expect(Bool(false), "an upgrade is one head")
    }
    #expect(upgrade.method == .get)
    #expect(upgrade.targetText == "/chat")
    #expect(
      upgrade.fields == [
        "Host": "a", "sec-websocket-version": "13", "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "a2V5",
      ])
    let list = HTTP2HeaderList(upgrade: upgrade, to: "websocket", scheme: .https, authority: "")
    let again = try HTTP2RequestHead(list, offersProtocols: true)
    #expect(again.protocol == "websocket")
    #expect(again.fields == ["sec-websocket-version": "13"])
    let response = ResponseHead(
      status: 101, fields: ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "x"])
    #expect(HTTP2HeaderList(upgraded: response).texts.map(\.value) == ["200"])
  }
}
