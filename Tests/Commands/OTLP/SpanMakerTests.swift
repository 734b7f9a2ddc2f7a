import TapelineHAR
import Testing

@testable import TapelineOTLP

/// The spans of entries as our recorder writes them, in figures that can be added up by head.
struct SpanMakerTests {
  private static let page = SpanPage(id: "page_1", title: "checkout", began: 1_767_323_045_000_000)
  /// Nanoseconds since 1970 of the entry below.
  private static let start: Int64 = 1_767_323_045_000_000_000

  private func entry(_ number: Int = 1, connection: String = "3", _ change: (inout HAREntry) -> Void = { _ in }) -> HAREntry {
    var entry = HAREntry(
      pageref: "page_1", startedDateTime: "2026-01-02T03:04:05.000000Z", time: 10.5,
      request: HARRequest(method: "GET", url: "https://example.com/a", httpVersion: "HTTP/2"),
      response: HARResponse(
        status: 200, statusText: "", httpVersion: "HTTP/2", content: HARContent(size: 0, mimeType: ""), bodySize: 0),
      timings: HARTimings(blocked: 0.5, dns: -1, connect: -1, send: 1, wait: 8, receive: 1, ssl: -1))
    entry.custom["_exchangeId"] = .number(HARNumber(number))
    entry.custom["_connectionId"] = .string(connection)
    entry.custom["_events"] = ["requestFirstByte": 0, "requestHeadEnd": 200]
    change(&entry)
    return entry
  }

  /// The first in an intercepted tunnel: blocked for the transport, for the client's hello, and for its request.
  private func paying(_ number: Int = 1) -> HAREntry {
    entry(number) { entry in
      entry.timings = HARTimings(blocked: 6, dns: 2, connect: 7, send: 1, wait: 8, receive: 1, ssl: 4)
      entry.time = 25
      entry.custom["_events"] = [
        "requestFirstByte": 0, "tunnelHeadEnd": 100, "dnsStart": 1_100, "dnsEnd": 3_100, "connectStart": 3_100,
        "connectEnd": 6_100, "clientTLSStart": 8_000, "tlsStart": 8_100, "tlsEnd": 12_100, "requestHeadEnd": 15_100,
        "sentFirst": 15_100,
      ]
    }
  }

  private func layout(_ spans: [TraceSpan], below parent: SpanID) -> [String] {
    spans.filter { $0.parent == parent }.map { "\($0.name) \(($0.start - Self.start) / 1_000)-\(($0.end - Self.start) / 1_000)" }
  }

  @Test("The phases follow each other from the end of the request's head")
  func phases() {
    var maker = SpanMaker()
    let spans = maker.spans(for: entry(), number: 1, page: Self.page)
    #expect(spans.count == 5)
    #expect(spans[0].kind == .client && spans[0].start == Self.start && spans[0].end == Self.start + 10_700_000)
    #expect(
      layout(spans, below: spans[0].context.span) == ["blocked 200-700", "send 700-1700", "wait 1700-9700", "receive 9700-10700"])
  }

  @Test("The exchange that paid for a tunnel has its waits where they were, and brings its connection")
  func tunnel() {
    var maker = SpanMaker()
    let spans = maker.spans(for: paying(), number: 1, page: Self.page)
    #expect(
      layout(spans, below: spans[0].context.span) == [
        "blocked 100-1100", "dns 1100-3100", "connect 3100-6100", "blocked 6100-8100", "ssl 8100-12100", "blocked 12100-15100",
        "send 15100-16100", "wait 16100-24100", "receive 24100-25100",
      ])
    let setup = spans[10]
    #expect(setup.name == "HTTP connection_setup" && setup.parent == nil)
    #expect(setup.start == Self.start + 1_100_000 && setup.end == Self.start + 12_100_000)
    #expect(
      layout(spans, below: setup.context.span)
        == ["DNS lookup 1100-3100", "socket connect 3100-6100", "TLS handshake 8100-12100"])
    #expect(spans[0].links == [setup.context])
  }

  @Test("A stream that ends before the one that opened the connection is linked to the same connection, on another page, too")
  func earlyStream() {
    var maker = SpanMaker()
    let early = maker.spans(for: entry(2), number: 1, page: SpanPage(id: "page_2", title: "x", began: 1))
    let paid = maker.spans(for: paying(1), number: 2, page: Self.page)
    #expect(early[0].links == [paid[10].context])
    #expect(early[0].context.trace != paid[0].context.trace)
    let other = maker.spans(for: entry(3, connection: "4"), number: 3, page: Self.page)
    #expect(other[0].links != early[0].links)
  }

  @Test("Identifiers come from the log: the same for the same log, others for each exchange, and a shown title changes none")
  func identifiers() {
    func identifiers(_ page: SpanPage) -> [SpanContext] {
      var maker = SpanMaker()
      return (maker.spans(for: paying(1), number: 1, page: page) + maker.spans(for: entry(2), number: 2, page: page)).map(
        \.context)
    }
    let first = identifiers(Self.page)
    #expect(Set(first).count == first.count)
    var shown = Self.page
    shown.title = "SENSITIVE_"
    #expect(identifiers(shown) == first)
    #expect(Set(identifiers(SpanPage(id: "page_1", title: "checkout", began: 7))).isDisjoint(with: first))
  }

  @Test("traceparent joins the application's trace; a malformed one does not")
  func traceparent() {
    for (value, isValid) in [("00-0123456789abcdef0123456789abcdef-00000000000000aa-00", true), ("00-0-0-00", false)] {
      var maker = SpanMaker()
      let spans = maker.spans(
        for: entry { $0.request.headers = [HARHeader(name: "Traceparent", value: value)] }, number: 1, page: Self.page)
      #expect((spans[0].parent == SpanID(0xAA)) == isValid)
      #expect((spans[0].context.trace == TraceID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)) == isValid)
      #expect(spans.dropFirst().allSatisfy { $0.context.trace == spans[0].context.trace })
    }
  }

  @Test("Exchanges that have not ended and dates that are none make no spans")
  func leftOut() {
    var maker = SpanMaker()
    #expect(maker.spans(for: entry { $0.custom["_inFlight"] = true }, number: 1, page: nil).isEmpty)
    #expect(maker.spans(for: entry { $0.startedDateTime = "yesterday" }, number: 1, page: nil).isEmpty)
    #expect(maker.spans(for: entry { $0.startedDateTime = "9999-01-01T00:00:00Z" }, number: 1, page: nil).isEmpty)
  }

  @Test("Absurd figures of a stranger's log stay within what can be added up")
  func absurd() {
    for value in [Double.infinity, 1e300, -1e300, .nan] {
      var maker = SpanMaker()
      let spans = maker.spans(
        for: entry {
          $0.timings = HARTimings(
            blocked: value, dns: value, connect: value, send: value, wait: value, receive: value, ssl: value)
          $0.time = value
          $0.custom["_events"] = ["requestHeadEnd": .number(HARNumber(value)), "tunnelHeadEnd": .number(HARNumber(value))]
        }, number: 1, page: nil)
      #expect(spans.allSatisfy { $0.start <= $0.end })
    }
  }
}
