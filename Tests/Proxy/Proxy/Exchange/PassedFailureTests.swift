import TapelineCore
import TapelineHTTP2
import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineTransport
import Testing

@testable import TapelineProxy

/// Servers that fail before they answer, as their clients hear of it.
@Suite struct PassedFailureTests {
  private static func error(
    _ kind: TransportError.Kind, _ origin: TransportError.Origin = .upstream, limit: TransportError.Limit? = nil
  ) -> TransportError {
    TransportError(origin: origin, phase: .wait, kind: kind, message: "", limit: limit)
  }

  @Test("A server's failure has an ending, and what is ours or told in words has none")
  func endings() {
    #expect(Self.error(.closed).ending == .end)
    #expect(Self.error(.reset).ending == .reset)
    #expect(Self.error(.refused, .proxy).ending == .reset)
    #expect(Self.error(.nameNotFound).ending == .reset)
    #expect(Self.error(.timedOut).ending == .reset, "the kernel's")
    #expect(Self.error(.timedOut, limit: .response).ending == nil, "ours")
    #expect(Self.error(.headTooLarge, limit: .head(.size)).ending == nil)
    #expect(Self.error(.protocolViolation, .local).ending == nil)
    #expect(Self.error(.permissionDenied, .local).ending == .reset, "the client would have had it")
    #expect(Self.error(.tooManyFiles, .local).ending == nil)
    #expect(Self.error(.loopDetected, .client).ending == nil)
    #expect(Self.error(.destinationProhibited, .client).ending == nil)
    #expect(Self.error(.proxyAuthenticationRequired, .proxy).ending == nil)
  }

  @Test("Another proxy's refusal of a tunnel is passed on, if failures are")
  func refusals() {
    var configuration = ProxyConfiguration(listen: [])
    let refusal = Self.error(.tunnelRefused(403), .proxy)
    #expect(configuration.passes(refusal) == nil && configuration.status(of: refusal) == 502)
    configuration.failures = .connection
    #expect(configuration.passes(refusal) == nil && configuration.status(of: refusal) == 403)
    #expect(configuration.status(of: Self.error(.loopDetected)) == 508)
  }

  // MARK: Kept connections

  @Test("A kept connection over TLS that ends under a request ends the client's", arguments: ["GET", "POST"])
  func keptTLS(method: String) throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin([
      authorities.secure { stream in
        try stream.receive(through: "\r\n\r\n")
        try stream.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        try stream.receive(through: "\r\n\r\n")
        try stream.shutdownOutput()
      }
    ])
    let proxy = try ProxyHarness.intercepting()
    let client = try authorities.client(over: try proxy.tunnel(to: origin))
    try client.connect()
    let rest = " / HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 0\r\n\r\n"
    try client.send("GET" + rest)
    #expect(try client.receiveMessage().body == "ok")
    try client.send(method + rest)
    #expect(try client.receiveToEnd().isEmpty)
    let record = try #require(try proxy.records(2).last)
    #expect(record.failure?.kind == .transport(.closed) && record.localStatus == nil && record.attempts == 1)
    #expect(origin.connections.count == 1)
  }

  @Test(
    "A kept connection over HTTP/2 that ends under a request resets the client's stream as refused", arguments: ["GET", "POST"])
  func keptHTTP2(method: String) throws {
    let authorities = try Authorities.shared.get()
    let origin = try authorities.http2Origin { peer, number in
      let first = try peer.nextRequest()
      try peer.respond(first)
      guard number == 0 else { return try peer.waitForEnd() }
      _ = try peer.nextRequest()
    }
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = try proxy.secureHTTP2(to: origin)
    #expect(try client.response(to: client.open(origin.request("/1", scheme: "https"))).status == 200)
    let second = try client.open(origin.request("/2", method: method, scheme: "https"))
    #expect(try client.response(to: second).reset == .refusedStream)
    let record = try #require(try proxy.records(2).last)
    #expect(record.failure?.kind == .transport(.closed) && record.localStatus == nil && record.attempts == 1)
    #expect(origin.connections.count == 1)
  }
}
