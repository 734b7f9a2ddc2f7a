import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineHTTP2
import TapelineTransport
import Testing

@testable import TapelineRecorder
@testable import TapelineRedaction

/// One gate for every text of an entry, whoever made it: the proxy's own texts repeat what peers said.
@Suite("No secret reaches the file in a text that is neither a line nor content")
struct ComposedTextTests {
  private static let cookies = ["Kq83nd0aZ9xYw7pL2mVb", "9f8e7d6c5b4a39281706"]
  /// Known by its form, wherever it stands.
  private static let token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
  /// Known because a line has it under a secret name.
  private static let echoed = "q8Zk4Lw0Xys3cr3tV7"

  private static let lines = [
    (":method", "GET"), (":scheme", "https"), (":authority", "example.com"), (":path", "/"),
    ("cookie", "sessionid=\(cookies[0])"), ("x-api-key", echoed), ("cookie", "csrf=\(cookies[1])"),
  ]

  private func written(_ record: ExchangeRecord) throws -> (entry: HAREntry, text: String) {
    let (entry, text) = try entry(of: record, redacts: true, includesDebug: true)
    for secret in Self.cookies + [Self.token, Self.echoed] {
      if let range = text.firstRange(of: secret) {
        Issue.record("\(text[..<range.lowerBound].suffix(80)) has a secret")
      }
    }
    return (entry, text)
  }

  @Test("the joined cookies of a client that speaks HTTP/2, and the log still says which cookies they were")
  func joinedCookies() throws {
    let request = try HTTP2RequestHead(HTTP2HeaderList(Self.lines))
    var record = try ExampleExchange.make()
    record.request = try request.head()
    record.http2 = HTTP2Details(clientStream: 1, stream: nil, request: request.list, response: nil)
    record.requestForwarding = RequestForwarding(framing: .none)
    let (entry, _) = try written(record)
    let changes = try #require(entry.custom["_changes"]?.array)
    let joined = try #require(changes.first { $0["name"] == "cookie" && $0["change"] == "rewritten" }?["to"]?.string)
    #expect(joined == entry.request.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    #expect(entry.request.cookies.allSatisfy { $0.value.hasPrefix("SENSITIVE_") })
  }

  @Test(
    "every translation, with a secret in each value that is rewritten, removed or added",
    arguments: [
      HTTPVersion.http11, .http2,
    ], [HTTPVersion.http10, .http11, .http2])
  func translations(client: HTTPVersion, sent: HTTPVersion) throws {
    var record = try ExampleExchange.make(
      url: "http://\(Self.token).example/",
      fields: [
        ("Host", "\(Self.token).example"), ("X-Api-Key", Self.echoed), ("Connection", "X-Note"),
        ("X-Note", "Bearer \(Self.token)"), ("TE", "trailers, x"), ("Via", "1.1 \(Self.token)"),
        ("Cookie", "a=\(Self.cookies[0])"), ("Max-Forwards", "3"),
        ("Proxy-Authorization", "Bearer \(Self.echoed)"), (Self.token, "1"),
      ],
      responseFields: [
        ("Connection", "X-Note"), ("X-Note", "Bearer \(Self.token)"), ("Alt-Svc", "h2=\"\(Self.token).example:443\""),
        ("Set-Cookie", "b=\(Self.cookies[1])"), ("Via", "1.1 \(Self.token)"),
      ])
    if client == .http2 { record.request = try HTTP2RequestHead(HTTP2HeaderList(Self.lines)).head() }
    var request = RequestForwarding(framing: .none, version: sent)
    request.host = "\(Self.token).example"
    request.isPaired = true
    record.requestForwarding = request
    record.requestTrailers = ["Transfer-Encoding": Self.token]
    var response = ResponseForwarding(to: .get, of: client, framing: .chunked, persists: true)
    response.date = "Thu, 01 Jan 1970 00:00:00 GMT"
    response.stripsAlternatives = true
    record.responseForwarding = response
    record.responseTrailers = ["Content-Length": Self.token]
    let (entry, _) = try written(record)
    #expect(entry.custom["_changes"]?.array?.isEmpty == false)
  }

  @Test("messages, remarks, names that were looked up, proxies, methods, calls")
  func proxysOwnTexts() throws {
    var record = try ExampleExchange.make(
      method: HTTPMethod(rawValue: Self.token), fields: [("Host", "h"), ("X-Api-Key", Self.echoed)])
    for secret in [Self.token, Self.echoed] {
      record.failure = ExchangeRecord.Failure(
        origin: .upstream, phase: .dns, kind: .transport(.nameNotFound), message: "look up \(secret).example: not found")
      record.comment = "the request names \(secret).example"
      record.lookup = NameLookup(name: "\(secret).example", server: "\(secret):53", nanoseconds: 1)
      record.server = ExchangeRecord.Peer(
        connectionID: 4, address: "192.0.2.1", port: 80, isReused: false, proxy: "\(secret).example:3128")
      record.grpc = GRPCDetails(messages: [], toServer: 0, toClient: 0, note: secret)
      record.responseTrailers = ["grpc-status": "3", "grpc-message": "no%20\(secret)", Self.token: "1"]
      record.informational = [ResponseHead(status: 103, fields: HeaderFields([(Self.token, "1")]))]
      _ = try written(record)
    }
  }

  @Test("TLS: names, protocols and certificates, rendered before the secret was known too")
  func tls() throws {
    var details = TLSDetails()
    details.serverName = "\(Self.echoed).example"
    details.offeredProtocols = ["h2", Self.echoed, Self.token]
    details.applicationProtocol = Self.token
    details.certificate = TLSDetails.Certificate(
      subject: "CN=\(Self.echoed)", issuer: "CN=\(Self.token)", names: ["\(Self.echoed).example"], notBefore: 0, notAfter: 0,
      fingerprint: "ab", serialNumber: "01")
    var plain = try ExampleExchange.make()
    plain.serverTLS = details
    plain.clientTLS = details
    var record = try ExampleExchange.make(fields: [("Host", "h"), ("X-Api-Key", Self.echoed)])
    record.serverTLS = details
    record.clientTLS = details
    var entryWriter = EntryWriter(anchor: ExampleExchange.anchor, redactor: Redactor(.standard), includesDebug: true)
    for (record, secrets) in [(plain, [Self.token]), (record, [Self.token, Self.echoed]), (plain, [Self.token])] {
      var writer = JSONWriter()
      _ = entryWriter.append(record, page: .first, to: &writer)
      let text = String(decoding: writer.bytes, as: UTF8.self)
      for secret in secrets { #expect(!text.contains(secret)) }
      _ = try HAREntry(json: writer.bytes)
    }
  }
}
