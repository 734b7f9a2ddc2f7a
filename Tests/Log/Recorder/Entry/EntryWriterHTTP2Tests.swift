import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineHTTP2
import TapelineTransport
import Testing

@testable import TapelineRecorder

@Suite("HTTP/2 in the log")
struct EntryWriterHTTP2Tests {
  private static let request = [
    (":method", "GET"), (":scheme", "https"), (":authority", "example.com"), (":path", "/a?b=1"), ("accept", "*/*"),
    ("cookie", "a=1"), ("cookie", "b=2"),
  ]

  /// From an HTTP/2 client to an HTTP/2 origin.
  private func record(
    _ lines: [(String, String)] = request, stream: StreamMetrics? = StreamMetrics(id: 3), priorityUpdate: String? = nil,
    clientReset: StreamMetrics.Reset? = nil
  ) throws -> ExchangeRecord {
    var record = try ExampleExchange.make()
    let request = try HTTP2RequestHead(HTTP2HeaderList(lines), wireSize: 41)
    let response = try HTTP2ResponseHead(
      HTTP2HeaderList([(":status", "200"), ("date", "d"), ("content-type", "text/plain")]), wireSize: 17)
    record.request = try request.head()
    record.response = response.head
    record.http2 = HTTP2Details(
      clientStream: 5, stream: stream, request: request.list, response: response.list, priorityUpdate: priorityUpdate,
      clientReset: clientReset)
    return record
  }

  @Test("The messages: version, pseudo-fields apart, the size of the header blocks, no phrase")
  func messages() throws {
    let (entry, text) = try entry(of: record())
    #expect(entry.request.httpVersion == "HTTP/2")
    #expect(entry.response.httpVersion == "HTTP/2")
    #expect(entry.response.statusText == "")
    #expect(entry.request.url == "https://example.com/a?b=1")
    #expect(entry.request.headers.map(\.name) == ["accept", "cookie", "cookie"])
    #expect(entry.request.cookies.map(\.name) == ["a", "b"])
    #expect(entry.response.headers.map(\.name) == ["date", "content-type"])
    #expect([entry.request.headersSize, entry.response.headersSize] == [-1, -1])
    #expect(entry.request.custom["_headersWire"] == 41)
    #expect(entry.response.custom["_headersWire"] == 17)
    #expect(
      entry.request.custom["_pseudo"] == [
        ["name": ":method", "value": "GET"], ["name": ":scheme", "value": "https"],
        ["name": ":authority", "value": "example.com"], ["name": ":path", "value": "/a?b=1"],
      ])
    #expect(entry.response.custom["_pseudo"] == nil)
    #expect(
      text.contains(#""_http2":{"streamId":3,"clientStreamId":5,"windowStalls":0,"sendStalled":0.000,"receiveStalled":0.000}"#))
  }

  @Test("HTTP/1 has none of it")
  func none() throws {
    let (entry, _) = try entry(of: ExampleExchange.make())
    #expect(entry.custom["_http2"] == nil)
    #expect(entry.request.custom["_pseudo"] == nil)
    #expect(entry.request.custom["_headersWire"] == nil)
    #expect(entry.custom["_grpc"] == nil)
  }

  @Test("Each message has the version in which it came; the stream tells the version of the other leg")
  func mixed() throws {
    var downgraded = try record(stream: nil)
    downgraded.response = ResponseHead(status: 200, fields: ["Content-Type": "text/plain"])
    let (toHTTP1, _) = try entry(of: downgraded)
    #expect([toHTTP1.request.httpVersion, toHTTP1.response.httpVersion] == ["HTTP/2", "HTTP/1.1"])
    #expect(toHTTP1.custom["_http2"] == ["clientStreamId": 5])
    #expect(toHTTP1.response.headersSize > 0)
    var upgraded = try ExampleExchange.make()
    upgraded.http2 = HTTP2Details(clientStream: nil, stream: StreamMetrics(id: 7), request: nil, response: nil)
    let (toHTTP2, _) = try entry(of: upgraded)
    #expect(toHTTP2.request.httpVersion == "HTTP/1.1")
    #expect(toHTTP2.custom["_http2"]?["streamId"] == 7)
    #expect(toHTTP2.custom["_http2"]?["clientStreamId"] == nil)
  }

  @Test("Stalls, the reset and GOAWAY of a stream")
  func life() throws {
    var stream = StreamMetrics(id: 9)
    stream.sendStalls = 2
    stream.sendStalled = .microseconds(1_500)
    stream.receiveStalled = .microseconds(250)
    stream.reset = StreamMetrics.Reset(code: .refusedStream, who: .origin)
    stream.goAway = HTTP2ErrorCode(rawValue: 0x99)
    let (entry, _) = try entry(of: record(stream: stream))
    let http2 = try #require(entry.custom["_http2"])
    #expect(http2["windowStalls"] == 2)
    #expect(http2["sendStalled"]?.double == 1.5)
    #expect(http2["receiveStalled"]?.double == 0.25)
    #expect(http2["reset"] == ["code": "REFUSED_STREAM", "who": "origin"])
    #expect(http2["goaway"] == "0x99")
  }

  @Test(
    "The reset that came first is told",
    arguments: [
      (StreamMetrics.Who.client, StreamMetrics.Who.local, "client"), (.local, .origin, "origin"), (.origin, .origin, "origin"),
    ])
  func resets(client: StreamMetrics.Who, origin: StreamMetrics.Who, told: String) throws {
    var stream = StreamMetrics(id: 1)
    stream.reset = StreamMetrics.Reset(code: .cancel, who: origin)
    let (both, _) = try entry(of: record(stream: stream, clientReset: StreamMetrics.Reset(code: .cancel, who: client)))
    #expect(both.custom["_http2"]?["reset"]?["who"]?.string == told)
    let (alone, _) = try entry(of: record(clientReset: StreamMetrics.Reset(code: .cancel, who: client)))
    #expect(alone.custom["_http2"]?["reset"]?["who"]?.string == client.rawValue)
  }

  private static let wishes: [(String?, String?, Int, Bool)] = [
    ("u=1, i", nil, 1, true), ("u=1, i", "u=5", 5, false), (nil, "i", 3, true),
  ]

  @Test("The priority is the field's, or that of the last update (RFC 9218 7)", arguments: wishes)
  func priorities(field: String?, update: String?, urgency: Int, incremental: Bool) throws {
    let lines = Self.request + (field.map { [("priority", $0)] } ?? [])
    let (entry, _) = try entry(of: record(lines, priorityUpdate: update))
    #expect(entry.custom["_http2"]?["urgency"]?.integer == urgency)
    #expect(entry.custom["_http2"]?["incremental"]?.bool == incremental)
  }

  @Test("A client without a wish has none in the log")
  func noPriority() throws {
    #expect(try entry(of: record()).0.custom["_http2"]?["urgency"] == nil)
  }

  @Test("Secrets in pseudo-fields are replaced as in the URL, and equal ones are equal")
  func redaction() throws {
    let lines = [
      (":method", "GET"), (":scheme", "https"), (":authority", "example.com"),
      (":path", "/reset/Kq83nvA0zLwE?token=Kq83nvA0zLwE&x=1"), ("x-api-key", "Kq83nvA0zLwE"),
    ]
    let (entry, text) = try entry(of: record(lines), redacts: true)
    #expect(!text.contains("Kq83nvA0zLwE"))
    let path = try #require(entry.request.custom["_pseudo"]?.array?.last?["value"]?.string)
    #expect(path.hasPrefix("/reset/SENSITIVE_"))
    #expect(entry.request.url == "https://example.com" + path)
    #expect(entry.request.custom["_pseudo"]?.array?[2]["value"] == "example.com")
  }

  @Test("The debug description is that of any other exchange")
  func debug() throws {
    let (entry, _) = try entry(of: record(), includesDebug: true)
    let text = try #require(entry.custom["_debug"]?.string)
    #expect(text.contains("GET https://example.com/a?b=1"))
    #expect(text.contains("Status Code: 200"))
  }

  @Test("A tunnel through a stream is answered in HTTP/2 (RFC 9113 8.5)")
  func tunnel() throws {
    var record = try ExampleExchange.tunnel()
    let head = try HTTP2RequestHead(HTTP2HeaderList([(":method", "CONNECT"), (":authority", "example.com:443")]))
    record.request = try head.head()
    record.http2 = HTTP2Details(clientStream: 1, stream: nil, request: head.list, response: nil)
    let logged = try entry(of: record).0
    #expect([logged.request.httpVersion, logged.response.httpVersion] == ["HTTP/2", "HTTP/2"])
    #expect(logged.request.url == "https://example.com:443/")
    #expect(try entry(of: ExampleExchange.tunnel()).0.response.httpVersion == "HTTP/1.1")
  }

  // MARK: Changes

  @Test("From HTTP/2 to HTTP/2 nothing is changed, also trailers and ALPN")
  func unchanged() throws {
    var record = try record()
    record.requestForwarding = RequestForwarding(framing: .chunked, version: .http2)
    record.responseForwarding = ResponseForwarding(to: .get, of: .http2, framing: .none, persists: true)
    record.requestTrailers = ["x-sum": "1"]
    record.responseTrailers = ["grpc-status": "0"]
    var tls = TLSDetails()
    tls.offeredProtocols = ["h2", "http/1.1"]
    tls.passedProtocols = tls.offeredProtocols
    tls.applicationProtocol = "h2"
    record.clientTLS = tls
    #expect(try entry(of: record).0.custom["_changes"] == nil)
  }

  @Test("From HTTP/2 to HTTP/1.1 and back the versions are changed")
  func translated() throws {
    var record = try record(stream: nil)
    record.response = ResponseHead(status: 200, fields: ["Date": "d", "Content-Type": "text/plain", "Connection": "keep-alive"])
    record.requestForwarding = RequestForwarding(framing: .none)
    record.responseForwarding = ResponseForwarding(to: .get, of: .http2, framing: .none, persists: true)
    let changes = try #require(try entry(of: record).0.custom["_changes"]?.array)
    #expect(
      changes.first
        == ["leg": "request", "change": "rewritten", "name": ":version", "from": "HTTP/2", "to": "HTTP/1.1"])
    #expect(
      changes.contains([
        "leg": "response", "change": "rewritten", "name": ":version", "from": "HTTP/1.1", "to": "HTTP/2",
      ]))
    #expect(changes.last == ["leg": "response", "change": "removed", "name": "Connection", "from": "keep-alive"])
  }
}
