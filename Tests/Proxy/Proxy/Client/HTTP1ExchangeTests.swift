import TapelineHTTP
import Testing

@testable import TapelineProxy

/// One exchange on a client's HTTP/1 connection, without sockets.
@Suite struct HTTP1ExchangeTests {
  /// An exchange whose request is complete, and whose response has begun.
  private func exchange(_ framing: BodyFraming) -> HTTP1Exchange {
    var exchange = HTTP1Exchange(persists: true)
    exchange.endRequest()
    _ = exchange.begin(framing, mayPersist: true)
    return exchange
  }

  @Test(
    "A piece goes on as the client's framing has it; no bytes go where there is no content (RFC 9112 6)",
    arguments: [
      (BodyFraming.chunked, HTTP1Exchange.Passage.chunk, true), (.length(5), .plain, false), (.untilClose, .plain, false),
      (.none, .none, false),
    ])
  func passages(framing: BodyFraming, passage: HTTP1Exchange.Passage, endsWithChunk: Bool) {
    #expect(HTTP1Exchange(persists: true).passage == .none)
    var exchange = exchange(framing)
    #expect(exchange.passage == passage)
    let first = exchange.end()
    let second = exchange.end()
    #expect(first == endsWithChunk && !second && exchange.passage == .none)
  }

  @Test(
    "The connection persists if the request, the framing and the origin let it (RFC 9112 9.3)",
    arguments: [
      (true, true, BodyFraming.chunked, true, true), (true, true, .none, true, true), (true, true, .length(0), true, true),
      (false, true, .chunked, true, false), (true, true, .untilClose, true, false),
      (true, true, .chunked, false, false), (true, false, .untilClose, true, false),
    ])
  func persistence(persists: Bool, isWhole: Bool, framing: BodyFraming, mayPersist: Bool, expected: Bool) {
    var exchange = HTTP1Exchange(persists: persists)
    if isWhole { exchange.endRequest() }
    let said = exchange.begin(framing, mayPersist: mayPersist)
    _ = exchange.end()
    #expect(said == expected && exchange.mayBeFollowed(leadsOn: true) == expected)
    #expect(!exchange.mayBeFollowed(leadsOn: false))
  }

  @Test("An early answer leaves the connection as the origin does: another request follows when this one is complete")
  func earlyAnswer() {
    var exchange = HTTP1Exchange(persists: true)
    let said = exchange.begin(.length(1), mayPersist: true)
    _ = exchange.end()
    #expect(said && !exchange.mayBeFollowed(leadsOn: true), "the rest of the request would be read as the next one")
    exchange.endRequest()
    #expect(exchange.mayBeFollowed(leadsOn: true))
    exchange.endOutput()
    #expect(!exchange.mayBeFollowed(leadsOn: true))
  }

  @Test("Cut content that ends with the connection is reset, other content ends with it (RFC 9112 6.3, 8)")
  func interruptions() {
    for (framing, interruption) in [
      (BodyFraming.untilClose, HTTP1Exchange.Interruption.reset), (.length(9), .end), (.chunked, .end), (.none, .end),
    ] {
      var exchange = exchange(framing)
      let first = exchange.breakOff()
      let second = exchange.breakOff()
      #expect(first == interruption && second == .end)
      #expect(!exchange.mayBeFollowed(leadsOn: true) && exchange.passage == .none)
    }
    var complete = exchange(.untilClose)
    _ = complete.end()
    let late = complete.breakOff()
    #expect(late == .reset, "its last bytes may still wait")
  }

  @Test("After our own answer the connection persists wherever it leads, if all of the request is here")
  func answers() {
    var whole = HTTP1Exchange(persists: true)
    whole.endRequest()
    let said = whole.answer()
    #expect(said && whole.mayBeFollowed(leadsOn: false))
    var open = HTTP1Exchange(persists: true)
    let closes = open.answer()
    open.endRequest()
    #expect(!closes && !open.mayBeFollowed(leadsOn: true))
    var broken = HTTP1Exchange(persists: true)
    broken.endRequest()
    broken.requestDidFail()
    let ends = broken.answer()
    #expect(!ends)
  }

  @Test("After a 101 the connection carries no messages (RFC 9110 7.8)")
  func upgrades() {
    var exchange = HTTP1Exchange(persists: true)
    exchange.endRequest()
    exchange.upgrade()
    #expect(exchange.passage == .none && !exchange.mayBeFollowed(leadsOn: true))
  }

  @Test("Our own answer says how it is framed, how the connection goes on, and why we answer (RFC 9110 15, RFC 9209 2)")
  func replies() {
    func text(_ reply: LocalReply, _ version: HTTPVersion = .http11, persists: Bool = true, hasBody: Bool = true) -> String {
      var output: [UInt8] = []
      HeadSerializer.append(reply, to: version, persists: persists, hasBody: hasBody, date: "now", into: &output)
      return String(decoding: output, as: UTF8.self)
    }
    var reply = LocalReply(status: 502, text: "no", proxyError: .connectionRefused)
    reply.fields = [("Retry-After", "1")]
    let head =
      "HTTP/1.1 502 Bad Gateway\r\nDate: now\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
      + "Retry-After: 1\r\nProxy-Status: tapeline; error=connection_refused\r\n"
    #expect(text(reply) == head + "\r\nno\n")
    #expect(text(reply, hasBody: false) == head + "\r\n")
    #expect(text(reply, persists: false) == head + "Connection: close\r\n\r\nno\n")
    #expect(text(reply, .http10) == head + "Connection: keep-alive\r\n\r\nno\n")
  }
}
