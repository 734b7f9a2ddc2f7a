import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import Testing

@testable import TapelineProxy

/// What HTTP/2 calls malformed, and can be read in one way only.
@Suite("HTTP/2: what is odd is passed on, and noted") struct HTTP2LeniencyTests {
  /// Answers with these lines and content, in HTTP/2 in clear.
  private func origin(_ status: Int = 200, _ fields: [(String, String)] = [], body: String = "hello") throws -> ScriptedOrigin {
    try HTTP2Origin.start(nil) { peer, _ in
      while true {
        let stream = try peer.nextRequest()
        try peer.respond(stream, status, fields, body: body)
      }
    }
  }

  @Test("RFC 9113 8.2.1: blanks around a response's values go on to the client")
  func blanksInResponses() throws {
    let origin = try origin(200, [("content-security-policy", "frame-ancestors 'none' "), ("x", "\ta\u{1}b")])
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin))
    let response = try client.response(to: try client.open(origin.request()))
    #expect(response.status == 200 && response.bodyText == "hello")
    #expect(response.values(of: "content-security-policy") == ["frame-ancestors 'none' "])
    #expect(response.values(of: "x") == ["\ta\u{1}b"])
    let record = try #require(try proxy.records(1).first)
    #expect(record.response?.anomalies == [.blankAroundValue, .controlInValue])
    #expect(record.failure == nil)
  }

  @Test("RFC 9113 8.2.1: blanks around a request's values go on to an origin that speaks HTTP/1.1")
  func blanksInRequests() throws {
    let origin = try ScriptedOrigin([.expectHead, .respond(body: "ok")])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(origin.request("/", [("x", " a "), ("content-length", "0"), ("content-length", "0")]))
    #expect(try client.response(to: stream).bodyText == "ok")
    let received = try #require(origin.connections.first?.receivedText)
    #expect(received.contains("\r\nx:  a \r\ncontent-length: 0\r\ncontent-length: 0\r\n"), "\(received)")
    let record = try #require(try proxy.records(1).first)
    #expect(record.request?.anomalies == [.blankAroundValue, .repeatedContentLength])
  }

  @Test("The same heads pass in both versions: 128 KiB of fields, and 5,000 of them", arguments: [true, false])
  func largeHeads(isHTTP2: Bool) throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness.speakingHTTP2()
    let large = (0..<32).map { ("x-\($0)", String(repeating: "v", count: 4096)) }
    let many = (0..<5000).map { ("x-\($0)", "v") }
    for fields in [large, many] {
      if isHTTP2 {
        let client = try proxy.http2()
        #expect(try client.response(to: try client.open(origin.request("/", fields))).bodyText == "ok")
      } else {
        let client = try proxy.connect()
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(lines)\r\n")
        #expect(try client.receiveResponse().bodyText == "ok")
      }
    }
    #expect(origin.requests.count == 2)
  }

  @Test("The number of fields has an option in both versions, and exceeding it is ours", arguments: [true, false])
  func fieldCount(isHTTP2: Bool) throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let proxy = try ProxyHarness.speakingHTTP2 { $0.limits = HTTPLimits(fields: 10) }
    let fields = (0..<11).map { ("x-\($0)", "v") }
    if isHTTP2 {
      let client = try proxy.http2()
      #expect(try client.response(to: try client.open(origin.request("/", fields))).status == 431)
    } else {
      let client = try proxy.connect()
      let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
      try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(lines)\r\n")
      #expect(try client.receiveResponse().status == 431)
    }
    let failure = try #require(try proxy.records(1).first?.failure)
    #expect(failure.origin == .local && failure.option == "--max-header-fields")
  }

  @Test("A 204 with content is complete without it: the client did not end the exchange")
  func contentIn204() throws {
    let origin = try HTTP2Origin.start(nil) { peer, _ in
      let first = try peer.nextRequest()
      try peer.sendHead(first, 204)
      let second = try peer.nextRequest()
      try peer.send("none of it", on: first, isLast: true)
      try peer.respond(second, body: "ok")
      try peer.waitForEnd()
    }
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin))
    let response = try client.response(to: try client.open(origin.request()))
    #expect(response.status == 204 && response.bodyText == "" && response.reset == nil)
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "ok")
    #expect(try proxy.records(2).allSatisfy { $0.endedByClient == nil })
  }

  @Test("RFC 9112 6.3: underscores in a framing field's name are refused, unless they are tolerated")
  func underscores() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "ok")])
    let strict = try ProxyHarness.speakingHTTP2()
    let client = try strict.http2()
    let stream = try client.open(origin.request("/", [("content_length", "5")]))
    try client.wait { $0.responses[stream]?.reset != nil }
    let failure = try #require(try strict.records(1).first?.failure)
    #expect(failure.origin == .client && failure.option == "--tolerate underscore-framing")
    let lenient = try ProxyHarness.speakingHTTP2 { $0.limits = HTTPLimits(tolerance: .underscoreFraming) }
    let other = try lenient.http2()
    #expect(try other.response(to: try other.open(origin.request("/", [("content_length", "5")]))).bodyText == "ok")
  }
}
