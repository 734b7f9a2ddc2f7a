import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Exchange summary")
struct ExchangeSummaryTests {
  private func summary(_ entry: HAREntry, palette: Palette = Palette(isColored: false)) -> ExchangeSummary {
    ExchangeSummary(number: 3, entry: entry, width: 66, palette: palette, clock: .utc)
  }

  private func text(_ entry: HAREntry, palette: Palette = Palette(isColored: false)) -> String {
    summary(entry, palette: palette).lines.joined(separator: "\n")
  }

  @Test("The text that the events of a model's answer make together stands before them")
  func answer() {
    var exchange = ModelExchange()
    exchange.pieces = ["One ", "word", "\\n\\nand others, so many that they do not fit ", "into one line."].enumerated().map {
      (Double($0) * 10 + 20, exchange.event(#"{"choices":[{"index":0,"delta":{"content":"\#($1)"}}]}"#))
    }
    #expect(
      text(exchange.entry).contains(
        """

        answer
          One word

          and others, so many that they do not fit into one line.

        events

        """), "\(text(exchange.entry))")
    exchange.pieces.removeAll()
    #expect(!text(exchange.entry).contains("answer"))
  }

  @Test("An exchange that went well")
  func ordinary() {
    #expect(
      text(.ordinary()) == """
        #3 GET http://example.com/a?b=1
        started   2026-01-02 03:04:05.678901 UTC
        page      page_1
        status    200 OK (HTTP/1.1)
        server    192.0.2.1:80 (new connection)
        request   head 60 B, body 0 B
        response  head 120 B, body 5 B, text/plain

        timings
          blocked       1.000 ms  ━
          dns           2.000 ms  ━
          connect      30.456 ms  ━━━━━━━━━━
            ssl                -
          send          0.500 ms            ━
          wait         80.000 ms             ━━━━━━━━━━━━━━━━━━━━━━━━━━
          receive       9.500 ms                                      ━━━
          total       123.456 ms  dccccccccccwwwwwwwwwwwwwwwwwwwwwwwwwwrrr
          longest: wait, 80.0ms of 123ms (65 %): the server had the
          request and had not answered yet

        request
          GET http://example.com/a?b=1 HTTP/1.1
          Host: example.com
          accept: */*

        response
          HTTP/1.1 200 OK
          Set-Cookie: a=1
          Set-Cookie: b=2

          hello
        """)
  }

  @Test("An exchange that went through an upstream proxy, and what its tunnel took")
  func upstreamProxy() {
    var entry = HAREntry.ordinary()
    entry.custom["_upstreamProxy"] = ["address": "proxy.example:3128"]
    #expect(text(entry).contains("\nserver    192.0.2.1:80 (new connection)\nthrough   upstream proxy proxy.example:3128\n"))
    entry.custom["_upstreamProxy"] = ["address": "proxy.example:3128", "tunnelTime": HARValue.number(HARNumber(12.5))]
    #expect(text(entry).contains("\nthrough   upstream proxy proxy.example:3128, a tunnel opened in\n          12.5ms\n"))
  }

  @Test(
    "A tunnel says in a sentence why it was not read",
    arguments: [
      ("pinned", "the client refuses our certificate"), ("own-authority", "the client trusts other authorities than ours"),
      ("h2-only", "the client offers no protocol that is decrypted"),
      ("not-tls", "what passed was neither TLS nor HTTP"), ("passed-through", "the host was to be left alone"),
      ("server-tls-failed", "tapeline's own TLS with the server failed"),
      ("not-intercepted", "nothing was decrypted in this recording"), ("else", "else"),
    ])
  func unread(reason: String, sentence: String) {
    var tunnel = HAREntry.tunnel()
    #expect(!text(tunnel).contains("not read"))
    tunnel.custom["_tunnel"] = ["toServer": 1, "toClient": 2, "unread": .string(reason)]
    #expect(text(tunnel).split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("tunnel not read: \(sentence) "))
  }

  @Test("A refused connection")
  func refused() {
    #expect(
      text(.refused()) == """
        #3 GET http://example.com/a?b=1
        started   2026-01-02 03:04:05.678901 UTC
        page      page_1
        status    none from the server; the proxy answered 502
        failure   upstream refused in connect: Connection refused
        server    192.0.2.1:80 (new connection)
        request   head 60 B, body 0 B

        timings
          blocked       1.000 ms  ━━━━━━━━━━
          dns                  -
          connect       3.000 ms            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
            ssl                -
          send          0.000 ms
          wait          0.000 ms
          receive       0.000 ms
          total         4.000 ms  bbbbbbbbbbcccccccccccccccccccccccccccccc
          longest: connect, 3.00ms of 4.00ms (75 %): a connection was
          opened (TCP)

        request
          GET http://example.com/a?b=1 HTTP/1.1
          Host: example.com
          accept: */*
        """)
  }

  @Test("The parts of client and proxy have bars, and are not of the total")
  func client() {
    #expect(
      text(.afterSlowClient()).contains(
        """

        timings
          client      100.000 ms  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
          proxy         1.000 ms                                  ━
          blocked       0.500 ms                                  ━
          dns                  -
          connect      12.000 ms                                  ━━━━
            ssl        10.000 ms                                   ━━━
          send          0.456 ms                                      ━
          wait          8.000 ms                                      ━━━
          receive       1.500 ms                                         ━
          total        22.456 ms
          + both      123.456 ms  CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCctttwwwr
          longest: client, 100ms of 123ms (81 %): it waited for the client
          itself: for its TLS hello, or for its request
        """))
  }

  @Test("What the client ended is no failure, and what the proxy changed is told")
  func endedAndChanged() {
    var entry = HAREntry.ended()
    entry.custom["_changes"] = [["leg": "request", "change": "removed", "name": "Proxy-Connection", "from": "Keep\u{1B}-Alive"]]
    let text = text(entry)
    #expect(text.contains("\nstatus    none\nend       ended by the client while waiting\n"))
    #expect(text.contains("\n\nchanged by the proxy\n  request: removed Proxy-Connection: Keep"))
    #expect(!text.contains("failure") && !text.contains("\u{1B}"))
  }

  @Test("A reused connection, an IPv6 server, decoded content, a body that was sent, and what was measured")
  func variations() {
    var entry = HAREntry.ordinary()
    entry.timings.connect = -1
    entry.serverIPAddress = "2001:db8::1"
    entry.custom = [
      "_serverPort": 8_080, "_tls": ["version": "TLSv1.3", "cipher": "TLS_X", "alpn": "http/1.1", "resumed": true],
      "_tcp": ["server": ["rtt": 12, "minRtt": 10, "retransmits": 2]], "_overhead": ["request": 1, "response": 2],
    ]
    entry.comment = "passed through"
    entry.request.postData = HARPostData(mimeType: "application/json", text: #"{"a":[1,2]}"#)
    entry.request.bodySize = 11
    entry.response.content.size = 4_096
    let text = text(entry)
    for line in [
      "server    [2001:db8::1]:8080 (reused connection)", "request   head 60 B, body 11 B, application/json",
      "response  head 120 B, body 5 B (4.0 KiB decoded), text/plain", "TLS       TLSv1.3, TLS_X, http/1.1, resumed",
      "TCP       round trip 12.0ms, at least 10.0ms, 2 retransmitted",
      "proxy     itself took 1.00ms on the way out, 2.00ms on the way", "          back", "note      passed through",
      "    \"a\": [1, 2]",
    ] {
      #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
  }

  @Test("Nothing recorded can drive the terminal")
  func controls() {
    var entry = HAREntry.refused()
    entry.request.url = "http://h/\u{1B}[2J"
    entry.startedDateTime = "\u{1B}c"
    entry.pageref = "\u{1B}"
    entry.comment = "\u{202E}"
    entry.serverIPAddress = "\u{9B}"
    entry.custom["_error"] = "\u{1B}]0;x\u{7}"
    entry.custom["_tls"] = ["version": "\u{1B}"]
    entry.request.postData = HARPostData(mimeType: "\u{1B}", text: "a\u{1B}[2Jb")
    #expect(!text(entry).unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value)) })
    #expect(!text(entry).contains("\u{202E}"))
  }

  @Test("Colour adds nothing but escape sequences where letters stay letters; without Unicode bars are ASCII")
  func color() {
    let plain = text(.refused(), palette: Palette(isColored: false, isUnicode: false))
    let colored = text(.refused(), palette: Palette(isColored: true, isUnicode: false))
    #expect(colored.replacing(/\u{1B}\[[0-9]*m/, with: "") == plain)
    #expect(plain.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("HTTP/2: both versions, the stream, its stalls and end, and the size of the header block")
  func http2() {
    var entry = HAREntry.ordinary()
    entry.request.httpVersion = "HTTP/2"
    entry.request.headersSize = -1
    entry.request.custom["_headersWire"] = 41
    entry.custom["_http2"] = [
      "clientStreamId": 5, "urgency": 1, "incremental": true, "windowStalls": 1, "sendStalled": 2, "receiveStalled": 0,
      "reset": ["code": "CANCEL", "who": "client"], "goaway": "NO\u{1B}_ERROR",
    ]
    entry.custom["_grpc"] = [
      "status": 0, "statusName": "OK", "requestMessages": 1, "responseMessages": 0,
      "messages": [["type": "send", "size": 5, "compressed": false]],
    ]
    let lines = summary(entry).lines
    for line in [
      "versions  HTTP/2 from the client, HTTP/1.1 to the server", "gRPC      0 OK; 1 message sent, 0 received",
      "stream    5 from the client, urgency 1, incremental", "stalled   sending once, 2.00ms, for the server's window",
      "reset     CANCEL by the client", "GOAWAY    NO\u{FFFD}_ERROR", "request   head 41 B compressed, body 0 B",
      "gRPC messages", "        - → 5 B",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    entry.response.httpVersion = "h2"
    #expect(!text(entry).contains("versions"), "both are the same")
  }
}
