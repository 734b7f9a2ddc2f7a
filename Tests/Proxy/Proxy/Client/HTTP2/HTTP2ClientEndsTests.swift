import Dispatch
import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import Testing

@testable import TapelineProxy

/// How streams and connections of clients that speak HTTP/2 end early.
@Suite("Clients that speak HTTP/2: ends") struct HTTP2ClientEndsTests {
  @Test("A client may reset its stream; the entry has its code (RFC 9113 8.1)") func reset() throws {
    let origin = try ScriptedOrigin(scripts: { _ in [.expectRequest, .expectEnd] })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(origin.request())
    _ = try origin.waitForRequests(1)
    try client.reset(stream, HTTP2ErrorCode(rawValue: 0x77))
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure == nil && record.endedByClient == .wait)
    #expect(record.http2?.clientReset?.code.rawValue == 0x77 && record.http2?.clientReset?.who == .client)
    let upload = try client.open(origin.request(method: "POST"), hasContent: true)
    try client.send([1, 2], on: upload)
    try client.reset(upload)
    let second = try proxy.records(2)[1]
    #expect(second.failure?.kind.name == "stream-reset" && second.failure?.origin == .client)
    try proxy.waitForActivity { $0.inFlight == 0 }
  }

  @Test("RFC 9113 8.1.1: a request that announces no content is forwarded when it has ended without any")
  func announcesNoContent() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let lines = { (path: String) in origin.request(path, method: "POST", [("content-length", "0")]) }
    let ended = try client.open(lines("/ended"), hasContent: true)
    let trailing = try client.open(lines("/trailing"), hasContent: true)
    #expect(try client.response(to: try client.open(origin.request("/probe"))).bodyText == "ok")
    #expect(origin.requests.count == 1, "the head alone is not forwarded")
    try client.send([], on: ended, isLast: true)
    try client.end(trailing, trailers: [("x", "y")])
    #expect(try client.response(to: ended).bodyText == "ok")
    #expect(try client.response(to: trailing).bodyText == "ok")
    #expect(try proxy.records(3).allSatisfy { $0.failure == nil && $0.response?.status == 200 })
  }

  @Test(
    "A request that never ends is an entry, however its stream is lost",
    arguments: ["reset", "content", "close", "shutdown", "time"])
  func heldRequest(loss: String) throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness.speakingHTTP2 { if loss == "time" { $0.idleTimeout = .milliseconds(100) } }
    let raw = try proxy.connect()
    let client = HTTP2Client(over: raw)
    let stream = try client.open(origin.request("/held", method: "POST", [("content-length", "0")]), hasContent: true)
    if loss != "time" { #expect(try client.response(to: try client.open(origin.request("/later"))).bodyText == "ok") }
    let failure: String
    switch loss {
    case "reset":
      try client.reset(stream)
      failure = "stream-reset"
    case "content":
      try client.send([1], on: stream)
      failure = "content-length-differs-from-data"
    case "close":
      raw.close()
      failure = "closed"
    case "shutdown":
      proxy.server.shutdown(gracePeriod: .zero)
      failure = "shut-down"
    default:
      #expect(try client.response(to: stream).status == 408)
      failure = "timed-out"
    }
    let record = try #require(try proxy.records(loss == "time" ? 1 : 2).last)
    #expect(record.request?.method == .post && record.http2?.clientStream == stream)
    #expect(record.failure?.kind.name == failure)
    #expect(origin.requests.count == (loss == "time" ? 0 : 1), "nobody else sees the request")
  }

  @Test("A client that closes its connection ends all its exchanges") func close() throws {
    let origin = try ScriptedOrigin(scripts: { _ in [.expectRequest, .expectEnd] })
    let proxy = try ProxyHarness.speakingHTTP2()
    let raw = try proxy.connect()
    let client = HTTP2Client(over: raw)
    for _ in 0..<3 { _ = try client.open(origin.request()) }
    _ = try origin.waitForRequests(3)
    raw.close()
    let records = try proxy.records(3)
    #expect(records.allSatisfy { $0.endedByClient == .wait && $0.http2?.clientReset == nil })
  }

  @Test("An origin that fails before its head is answered for; after it, the stream is reset (RFC 9113 8.1)") func originFails()
    throws
  {
    let origin = try ScriptedOrigin(scripts: { number in
      number == 0
        ? [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close]
        : [.expectRequest, .close]
    })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let cut = try client.response(to: try client.open(origin.request()))
    #expect(cut.status == 200 && cut.reset == .internalError)
    let answered = try client.response(to: try client.open(origin.request()))
    #expect(answered.status == 502 && answered.ended)
    let records = try proxy.records(2)
    #expect(records[0].http2?.clientReset?.who == .local && records[0].failure?.origin == .upstream)
    #expect(records[1].localStatus == 502)
  }

  @Test("RFC 9113 8.1: an origin that has answered early and gone ends the request without a fault")
  func earlyResponse() throws {
    let origin = try ScriptedOrigin([
      .expectHead, .expect(bytes: 1),
      .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig"), .reset,
    ])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(origin.request(method: "POST", [("content-length", "1000")]), hasContent: true)
    try client.send([1], on: stream)
    let response = try client.response(to: stream)
    #expect(response.status == 413 && response.bodyText == "big" && response.ended)
    try client.wait { $0.responses[stream]?.reset != nil }
    #expect(client.responses[stream]?.reset == .noError)
    let record = try #require(try proxy.records(1).first)
    #expect(record.response?.status == 413 && record.http2?.clientReset == nil)
    #expect(record.failure == nil && record.requestEndedBy == .server)
  }

  @Test("RFC 9113 8.1: an origin that has answered early and reads on gets the rest of the request")
  func restOfRequest() throws {
    let origin = try ScriptedOrigin([
      .expectHead, .expect(bytes: 1), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .expect(bytes: 999),
      .expectRequest, .respond(body: "next"), .expectEnd,
    ])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let stream = try client.open(origin.request(method: "POST", [("content-length", "1000")]), hasContent: true)
    try client.send([1], on: stream)
    #expect(try client.response(to: stream).ended)
    try client.send([UInt8](repeating: 2, count: 999), on: stream, isLast: true)
    let record = try #require(try proxy.records(1).first)
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "next")
    #expect(record.requestBody.size == 1000 && record.failure == nil && record.requestEndedBy == nil)
    #expect(client.responses[stream]?.reset == nil && origin.connections.count == 1)
  }

  @Test("A client that resets a stream whose window holds back the end of a length lacks that (RFC 9113 5.2)")
  func resetWithClosedWindow() throws {
    var limits = HTTP2Limits()
    limits.streamWindow = 65_535
    let size = limits.streamWindow + 1
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: String(repeating: "x", count: size)), .expectEnd])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = HTTP2Client(over: try proxy.connect(), limits: limits)
    let stream = try client.open(origin.request())
    client.stopped.insert(stream)
    try client.wait { $0.unconsumed(on: stream) == size - 1 }
    try client.reset(stream)
    let record = try #require(try proxy.records(1).first)
    #expect(record.responseBody.size == size && record.endedByClient == nil)
    #expect(record.failure?.origin == .client && record.failure?.phase == .receive)
  }

  @Test("A malformed request is an entry with its reason, and other streams go on") func malformed() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    let bad = try client.open(origin.request("/", [("x", "a\r\nb: c")]))
    #expect(try client.response(to: bad).reset == .protocolError)
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "ok")
    let records = try proxy.records(2)
    #expect(records[0].failure?.kind.name == "invalid-field-value" && records[0].request == nil)
    #expect(records[0].http2?.clientStream == bad && records[0].http2?.clientReset?.who == .local)
    let short = try client.open(origin.request(method: "POST", [("content-length", "5")]), hasContent: true)
    try client.send([1], on: short, isLast: true)
    #expect(try client.response(to: short).reset == .protocolError)
    #expect(try proxy.records(3)[2].failure?.kind.name == "content-length-differs-from-data")
  }

  @Test("A flood ends the connection, and is an entry", arguments: ["pings", "settings", "resets"]) func flood(_ kind: String)
    throws
  {
    let origin = try ScriptedOrigin(scripts: { _ in [.expectRequest, .expectEnd] })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    try client.flush()
    try client.wait { $0.settings != nil }
    var bytes: [UInt8] = []
    for number in 0..<3_000 {
      switch kind {
      case "pings": bytes += [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 8)
      case "settings": bytes += [0, 0, 0, 4, 0, 0, 0, 0, 0]
      default:
        let stream = [UInt8(0), 0, UInt8((2 * number + 1) >> 8), UInt8((2 * number + 1) & 0xFF)]
        // A literal head without its lines: refused, and reset.
        bytes += [0, 0, 1, 1, 5] + stream + [0x82] + [0, 0, 4, 3, 0] + stream + [0, 0, 0, 8]
      }
    }
    // The proxy stops reading when it has seen enough.
    try? client.send(raw: bytes)
    try? client.wait { $0.goAway != nil }
    #expect(client.goAway == .enhanceYourCalm || kind == "resets")
    var names: [String] = []
    var count = 0
    while !names.contains(where: { $0.hasPrefix("too-many") }) {
      count += 1
      names = try proxy.records(count).compactMap { $0.failure?.kind.name }
    }
    #expect(names.last?.hasPrefix("too-many") == true)
    #expect(origin.connections.isEmpty)
  }

  @Test("A client that exceeds its windows or breaks a frame is told, and its exchanges end") func brokenConnection() throws {
    let origin = try ScriptedOrigin(scripts: { _ in [.expectRequest, .expectEnd] })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    _ = try client.open(origin.request())
    _ = try origin.waitForRequests(1)
    // A WINDOW_UPDATE of 0 on the connection (RFC 9113 6.9).
    try client.send(raw: [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    try client.wait { $0.goAway != nil }
    #expect(client.goAway == .protocolError)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.kind.name == "PROTOCOL_ERROR" && record.http2?.clientReset?.who == .local)
  }

  @Test("Shutdown lets open streams end (RFC 9113 6.8)") func shutdown() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "last"), .expectEnd])
    let proxy = try ProxyHarness.speakingHTTP2()
    let idle = try proxy.http2()
    try idle.wait { $0.settings != nil }
    let client = try proxy.http2()
    let stream = try client.open(origin.request())
    #expect(try client.response(to: stream).bodyText == "last")
    proxy.server.shutdown(gracePeriod: .seconds(10))
    try client.wait { $0.goAway != nil }
    #expect(client.goAway == .noError)
    try idle.wait { $0.goAway != nil }
    #expect(idle.goAway == .noError)
  }

  @Test("Streams in flight at the end of the grace period are entries") func abort() throws {
    let origin = try ScriptedOrigin(scripts: { _ in [.expectRequest, .expectEnd] })
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    for _ in 0..<2 { _ = try client.open(origin.request()) }
    _ = try origin.waitForRequests(2)
    #expect(proxy.server.exchangesInFlight().compactMap { $0.http2?.clientStream } == [1, 3])
    #expect(proxy.server.activity.inFlight == 2)
    proxy.server.shutdown(gracePeriod: .zero)
    #expect(try proxy.records(2).allSatisfy { $0.failure?.isShutdown == true })
  }

  @Test("When the origin ends its idle connection, the client hears of it") func originGoesAway() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "bye"), .close])
    let proxy = try ProxyHarness.speakingHTTP2()
    let client = try proxy.http2()
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "bye")
    try client.wait { $0.goAway != nil }
    #expect(client.goAway == .noError)
  }

  @Test("Time-outs: an idle connection, late settings, a stream whose content is late") func timeouts() throws {
    let origin = try ScriptedOrigin(scripts: { _ in [.expectHead, .expectEnd] })
    let proxy = try ProxyHarness.speakingHTTP2 {
      $0.idleTimeout = .milliseconds(100)
      $0.headerTimeout = .milliseconds(100)
    }
    let silent = try proxy.connect()
    try silent.send(HTTP2Preface.bytes)
    _ = try silent.receiveToEnd()
    #expect(try proxy.records(1).first?.failure?.option == "--header-timeout")
    let idle = try proxy.http2()
    try idle.wait { $0.goAway != nil }
    #expect(idle.goAway == .noError)
    let late = try proxy.http2()
    let stream = try late.open(origin.request(method: "POST", [("content-length", "5")]), hasContent: true)
    #expect(try late.response(to: stream).status == 408)
    #expect(try proxy.records(2)[1].failure?.option == "--idle-timeout")
  }

  @Test("A client that never opens a stream's window loses that stream (RFC 9113 5.2)") func closedWindow() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
      .send([UInt8](repeating: 7, count: 1_000_000)), .expectEnd,
    ])
    let proxy = try ProxyHarness.speakingHTTP2 { $0.idleTimeout = .milliseconds(200) }
    let client = try proxy.http2()
    let stream = try client.open(origin.request())
    client.stopped.insert(stream)
    #expect(try client.response(to: stream).reset == .cancel)
    #expect(client.goAway == nil)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.option == "--idle-timeout" && record.http2?.clientReset?.who == .local)
  }

  @Test("A window may close between two pieces of a response: what comes then waits no longer (RFC 9113 5.2)")
  func windowClosedBefore() throws {
    var limits = HTTP2Limits()
    limits.streamWindow = 65_535
    let size = limits.streamWindow + 1
    let isClosed = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
      .send([UInt8](repeating: 7, count: size - 1)), .run { _ in isClosed.wait() }, .send([7]), .expectEnd,
    ])
    let proxy = try ProxyHarness.speakingHTTP2 { $0.idleTimeout = .milliseconds(200) }
    let client = HTTP2Client(over: try proxy.connect(), limits: limits)
    let stream = try client.open(origin.request())
    client.stopped.insert(stream)
    try client.wait { $0.unconsumed(on: stream) == size - 1 }
    isClosed.signal()
    #expect(try client.response(to: stream).reset == .cancel)
    let record = try #require(try proxy.records(1).first)
    #expect(record.failure?.option == "--idle-timeout" && record.failure?.phase == .receive)
  }
}
