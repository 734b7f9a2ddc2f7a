import TapelineCore
import TapelineTLS
import TapelineTestSupport
import TapelineBase
import TapelineTime
import Testing

@testable import TapelineProxy

/// What goes through a tunnel without being decrypted.
@Suite struct TunnelTests {
  private let authorities: Authorities

  init() throws {
    authorities = try Authorities.shared.get()
  }

  private func relayed(_ record: ExchangeRecord) -> [UInt64]? {
    guard case .tunnel(let toServer, let toClient) = record.kind else { return nil }
    return [toServer, toClient]
  }

  @Test func withoutInterceptionTheHellosAreRecorded() throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness()
    let raw = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: raw, trusting: .origins)
    try stream.connect()
    try stream.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try stream.receiveMessage()
    raw.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.serverTLS?.serverName == "localhost")
    #expect(record.serverTLS?.offeredVersions.contains("TLSv1.3") == true)
    #expect(record.serverTLS?.offeredProtocols == ["http/1.1"])
    #expect(record.serverTLS?.version == "TLSv1.3")
    #expect((record.serverTLS?.helloNanoseconds ?? 0) > 0)
    #expect(record.clientTLS == nil)
    #expect(record.implied == nil)
    #expect(record.unread == .notIntercepted)
  }

  @Test(arguments: [["localhost"], ["127.0.0.1"], ["*"]])
  func hostsToPassThroughAreLeftAlone(hosts: [String]) throws {
    let origin = try ScriptedOrigin([authorities.echo()])
    let proxy = try ProxyHarness.intercepting { _, interception in
      interception.passthroughHosts = hosts.compactMap { HostPattern($0) }
    }
    let raw = try proxy.tunnel(to: origin)
    let stream = try authorities.client(over: raw, trusting: .origins)
    try stream.connect()
    raw.close()
    let record = try #require(try proxy.records(1).first)
    #expect(relayed(record) != nil)
    #expect(record.comment == nil)
  }

  @Test func onlyTheHostsNamedAreIntercepted() throws {
    let origin = try ScriptedOrigin(scripts: { [authorities] _ in [authorities.echo()] })
    let proxy = try ProxyHarness.intercepting { _, interception in
      interception.interceptHosts = ["*.example.com"].compactMap { HostPattern($0) }
    }
    let stream = try authorities.client(over: try proxy.tunnel(to: origin), trusting: .origins)
    try stream.connect()
    let other = try authorities.client(over: try proxy.tunnel(to: origin), serverName: "www.example.com")
    try other.connect()
    #expect(other.parameters.certificate?.names == ["www.example.com"])
  }

  @Test func aClientThatSpeaksOnlyHTTP2IsPassedThrough() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let raw = try proxy.tunnel(to: origin)
    try authorities.client(over: raw, protocols: [.http2]).sendHello()
    _ = try origin.waitForConnections(1)
    raw.close()
    let record = try #require(try proxy.records(1).first)
    #expect(record.comment?.contains("only h2") == true)
    #expect(record.serverTLS?.offeredProtocols == ["h2"])
  }

  @Test func aServerMaySpeakFirst() throws {
    let origin = try ScriptedOrigin([.send("220 ready\r\n"), .expect(bytes: 6), .send("250 fine\r\n"), .expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    #expect(try client.receive(through: "\r\n") == Array("220 ready\r\n".utf8))
    try client.send("EHLO\r\n")
    #expect(try client.receive(through: "\r\n") == Array("250 fine\r\n".utf8))
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(relayed(record) == [6, 21])
    #expect(record.serverTLS == nil)
  }

  @Test(arguments: ["NICK somebody\r\n", "PRI * HTTP/2.0\r\n\r\n", "GETX", "\u{16}garbage"])
  func whatIsNeitherTLSNorHTTPIsRelayed(greeting: String) throws {
    let count = greeting.utf8.count
    let origin = try ScriptedOrigin([.expect(bytes: count), .send("yes"), .expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    try client.send(Array(greeting.utf8), inPiecesOf: 1)
    #expect(try client.receive(exactly: 3) == Array("yes".utf8))
    client.close()
    let record = try #require(try proxy.records(1).first)
    #expect(relayed(record) == [UInt64(count), 3])
  }

  @Test func aGreetingThatBreaksOffGoesThrough() throws {
    let origin = try ScriptedOrigin([.expectEnd, .send("bye"), .close])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    try client.send("GE")
    try client.halfClose()
    #expect(try client.receiveToEnd().bytes == Array("bye".utf8))
    let record = try #require(try proxy.records(1).first)
    #expect(relayed(record) == [2, 3])
    #expect(origin.connections.first?.received == Array("GE".utf8))
  }

  @Test func plainHTTPInATunnelIsRead() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "in clear")])])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    for _ in 0..<2 {
      try client.send("GET /x HTTP/1.1\r\nHost: plain.example\r\n\r\n")
      #expect(try client.receiveResponse().bodyText == "in clear")
    }
    let records = try proxy.records(2)
    #expect(
      records.map { $0.request?.urlText(implied: $0.implied) } == Array(repeating: "http://127.0.0.1:\(origin.port)/x", count: 2))
    #expect(records.allSatisfy { $0.comment?.contains("the request names plain.example") == true })
    #expect(records.allSatisfy { $0.clientTLS == nil && $0.serverTLS == nil && $0.failure == nil })
    #expect(records.map { $0.marks[.tunnelHeadEnd] != nil } == [true, false])
    #expect(origin.connections.count == 1)
  }

  @Test func aTunnelUnderWayAtShutdownIsAnEntry() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 4), .send("yes"), .expectEnd])
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.tunnel(to: origin)
    try client.send("WHAT")
    _ = try client.receive(exactly: 3)
    proxy.server.shutdown(gracePeriod: .zero)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "shut-down")
    #expect(relayed(record) == [4, 3])
  }
}
