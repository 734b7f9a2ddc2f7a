import TapelineCore
import TapelineTLS
import TapelineTestSupport
import TapelineBase
import TapelineTime
import Testing

@testable import TapelineProxy

/// TLS that is spoken to the listener itself.
@Suite struct DirectTLSTests {
  private let authorities: Authorities

  init() throws {
    authorities = try Authorities.shared.get()
  }

  @Test func withoutInterceptionItIsRefusedAndRecorded() throws {
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try authorities.client(over: client).sendHello()
    #expect(try client.receiveToEnd().bytes == [21, 3, 3, 0, 2, 2, 112])
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "tls-to-proxy")
    #expect(record.clientTLS?.serverName == "localhost")
    #expect(record.request == nil)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "proxy.localhost", "example.com:443"])
  func aHelloThatNamesNobodyElseIsRefused(name: String) throws {
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.connect()
    try authorities.client(over: client, serverName: name).sendHello(inPiecesOf: 100)
    #expect(try client.receiveToEnd().bytes == [21, 3, 3, 0, 2, 2, 112])
    #expect(try proxy.records(1).first?.failure?.kind.name == "no-server-name")
  }

  @Test func otherwiseTheHostInTheHelloIsAsked() throws {
    let proxy = try ProxyHarness.intercepting()
    let stream = try authorities.client(over: try proxy.connect(), serverName: "nowhere.invalid")
    try stream.connect()
    #expect(stream.parameters.certificate?.names == ["nowhere.invalid"])
    try stream.send("GET /x HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
    #expect(try stream.receiveMessage().head.hasPrefix("HTTP/1.1 502 "))
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.phase == .dns)
    #expect(record.request?.urlText(implied: record.implied) == "https://nowhere.invalid/x")
    #expect(record.marks[.clientTLSEnd] != nil)
    #expect(record.comment == "TLS came directly, without CONNECT")
  }

  @Test func aHostToPassThroughIsRelayed() throws {
    let proxy = try ProxyHarness.intercepting { _, interception in
      interception.passthroughHosts = ["nowhere.invalid"].compactMap { HostPattern($0) }
    }
    let client = try proxy.connect()
    try authorities.client(over: client, serverName: "nowhere.invalid").sendHello()
    #expect(try client.receiveToEnd().bytes.isEmpty)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.phase == .dns)
    #expect(record.request?.urlText() == "nowhere.invalid:443")
  }

  @Test func whatOnlyBeginsLikeTLSIsABadRequest() throws {
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.connect()
    try client.send([22, 22, 22, 22, 22, 22])
    #expect(try client.receiveResponse().status == 400)
    #expect(try proxy.records(1).count == 1)
  }

  @Test func aHelloThatBreaksOffIsRecorded() throws {
    let proxy = try ProxyHarness.intercepting()
    let client = try proxy.connect()
    try client.send([22, 3, 1])
    client.close()
    #expect(try proxy.records(1).first?.failure?.origin == .client)
  }
}
