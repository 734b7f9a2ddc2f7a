import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineLoop
import TapelineTestSupport
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

/// What rules do to exchanges of real sockets, in HTTP/1.1 and HTTP/2.
@Suite struct InjectedExchangeTests {
  private static func rules(
    _ actions: [InjectionAction], _ share: InjectionShare = .all
  ) -> @Sendable () -> InjectionRules {
    let rules = InjectionRules(actions.map { InjectionRule(query: "*", text: "\($0)", action: $0, share: share) }, seed: 1) { _ in
      Array(actions.indices)
    }
    return { rules }
  }

  private static func proxy(_ actions: InjectionAction..., share: InjectionShare = .all) throws -> ProxyHarness {
    try ProxyHarness.speakingHTTP2 { $0.rules = rules(actions, share) }
  }

  private static func origin(_ body: String = "the answer") throws -> ScriptedOrigin {
    try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["ETag: 1"], body: body)])])
  }

  private func get(_ origin: ScriptedOrigin, _ path: String = "/") -> String {
    "GET \(origin.url(path)) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
  }

  private static func status(_ status: Int, retryAfter: Int? = nil) -> InjectionAction {
    var answer = InjectedAnswer(status: status)
    answer.retryAfter = retryAfter
    return .answer(answer)
  }

  @Test("A status stands for the server's answer, and the connection goes on")
  func status() throws {
    let (origin, proxy) = (try Self.origin(), try Self.proxy(Self.status(503, retryAfter: 2), share: .first(2)))
    let client = try proxy.connect()
    try client.send(get(origin))
    let first = try client.receiveResponse()
    #expect(first.status == 503 && first.value(of: "Retry-After") == "2" && first.value(of: "Proxy-Status") == nil)
    try client.send("POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 4\r\n\r\nbody")
    #expect(try client.receiveResponse().status == 503)
    try client.send(get(origin))
    #expect(try client.receiveResponse().bodyText == "the answer")
    #expect(origin.requests.count == 1)
    let records = try proxy.records(3)
    let failure = try #require(records[0].failure)
    #expect(failure.origin == .local && failure.kind.name == "injected" && failure.message.contains("rule 1 (*: "))
    #expect(records[0].localStatus == 503 && records[0].injections.count == 1 && records[0].marks[.failed] != nil)
    #expect(records[2].failure == nil && records[2].injections.isEmpty)
  }

  @Test("In HTTP/2 the stream alone has the answer, or ends")
  func streams() throws {
    let (origin, proxy) = (try Self.origin(), try Self.proxy(Self.status(429), share: .first(1)))
    let client = try proxy.http2()
    let refused = try client.response(to: try client.open(origin.request()))
    #expect(refused.status == 429 && refused.ended)
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "the answer")
    let other = try Self.proxy(.reset, share: .first(1))
    let second = try other.http2()
    let reset = try second.response(to: try second.open(origin.request()))
    #expect(reset.reset == .internalError && reset.head == nil)
    #expect(try second.response(to: try second.open(origin.request())).bodyText == "the answer")
    #expect(try other.records(2)[0].failure?.kind.name == "injected")
  }

  @Test("A reset and an end come without an answer")
  func endings() throws {
    let origin = try Self.origin()
    for (action, end) in [(InjectionAction.reset, StreamEnd.reset), (.close, .closed)] {
      let proxy = try Self.proxy(action)
      let client = try proxy.connect()
      try client.send(get(origin))
      let received = try client.receiveToEnd()
      #expect(received.bytes.isEmpty && received.end == end, "\(action)")
      #expect(try proxy.records(1)[0].failure?.origin == .local)
    }
    #expect(origin.requests.isEmpty)
  }

  @Test("Without an answer, the exchange lasts until its client leaves")
  func timeout() throws {
    let (origin, proxy) = (try Self.origin(), try Self.proxy(.timeout))
    let client = try proxy.connect()
    try client.send(get(origin))
    try proxy.waitForActivity { $0.inFlight == 1 }
    client.close()
    let record = try proxy.records(1)[0]
    #expect(record.failure?.message.contains("without an answer") == true && origin.requests.isEmpty)
  }

  @Test("A delay comes before the server has the request, and belongs to the time of the exchange")
  func delay() throws {
    let (origin, proxy) = (try Self.origin(), try Self.proxy(.delay(.around(.milliseconds(40), spread: .zero))))
    let client = try proxy.connect()
    let began = MonotonicInstant.now
    try client.send(get(origin))
    #expect(try client.receiveResponse().bodyText == "the answer")
    #expect(MonotonicInstant.now.nanoseconds(since: began) >= 40_000_000)
    let record = try proxy.records(1)[0]
    let phases = ExchangePhases(record.marks)
    #expect(phases.blockedParts.connection >= 40_000_000)
    #expect(record.injections.first?.nanoseconds == 40_000_000 && record.failure == nil)
    // A client that leaves meanwhile ends it.
    let impatient = try Self.proxy(.delay(.around(.seconds(60), spread: .zero)))
    let other = try impatient.connect()
    try other.send(get(origin))
    try impatient.waitForActivity { $0.inFlight == 1 }
    other.close()
    let broken = try impatient.records(1)[0]
    #expect(broken.isBrokenOff)
    #expect((1..<60_000_000_000).contains(broken.injections.first?.nanoseconds ?? 0), "the part that was waited for")
    #expect(ExchangePhases(broken.marks).blockedParts.connection > 0, "and none of it is the proxy's own time")
  }

  @Test("Heads are edited on their way, and the log has them as they came", arguments: [false, true])
  func edits(isHTTP2: Bool) throws {
    let origin = try Self.origin()
    let proxy = try Self.proxy(
      .edit(.request, InjectedEdit(name: "X-New", value: "yes")), .edit(.request, InjectedEdit(name: "accept", value: nil)),
      .edit(.response, InjectedEdit(name: "ETag", value: "\"2\"")),
      .edit(.response, InjectedEdit(name: "X-Secret", value: "s", isSecret: true)))
    if isHTTP2 {
      let client = try proxy.http2()
      let response = try client.response(to: try client.open(origin.request("/", [("accept", "text/html")])))
      #expect(response.values(of: "etag") == ["\"2\""] && response.values(of: "x-secret") == ["s"])
    } else {
      let client = try proxy.connect()
      try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nAccept: text/html\r\n\r\n")
      let response = try client.receiveResponse()
      #expect(response.values(of: "ETag") == ["\"2\""] && response.values(of: "X-Secret") == ["s"])
    }
    let request = try #require(origin.requests.first)
    #expect(request.value(of: "X-New") == "yes" && request.value(of: "Accept") == nil)
    let record = try proxy.records(1)[0]
    #expect(record.request?.fields.values(named: "accept") == ["text/html"])
    #expect(record.response?.fields.values(named: "etag") == ["1"])
    #expect(record.injections.map { $0.field?.value } == ["yes", nil, "\"2\"", nil])
  }

  @Test("A response is cut, and cannot be taken for the whole", arguments: [false, true])
  func truncation(isHTTP2: Bool) throws {
    let (origin, proxy) = (try Self.origin("0123456789"), try Self.proxy(.truncate(after: 4)))
    if isHTTP2 {
      let client = try proxy.http2()
      let response = try client.response(to: try client.open(origin.request()))
      #expect(response.bodyText == "0123" && response.reset == .internalError)
    } else {
      let client = try proxy.connect()
      try client.send(get(origin))
      let received = try client.receiveToEnd()
      #expect(String(decoding: received.bytes, as: UTF8.self).hasSuffix("\r\n\r\n0123"))
    }
    let record = try proxy.records(1)[0]
    #expect(record.failure?.phase == .receive && record.failure?.origin == .local && record.response?.status == 200)
  }

  @Test("A stall and a rate hold the content, and the log says for how long", arguments: [false, true])
  func holding(isHTTP2: Bool) throws {
    let origin = try Self.origin(String(repeating: "x", count: 4_000))
    let proxy = try Self.proxy(.stall(.milliseconds(30), after: 1_000), .rate(100_000))
    let began = MonotonicInstant.now
    if isHTTP2 {
      let client = try proxy.http2()
      #expect(try client.response(to: try client.open(origin.request())).body.count == 4_000)
    } else {
      let client = try proxy.connect()
      try client.send(get(origin))
      #expect(try client.receiveResponse().body.count == 4_000)
    }
    #expect(MonotonicInstant.now.nanoseconds(since: began) >= 70_000_000)
    let record = try proxy.records(1)[0]
    #expect(record.failure == nil && record.responseBody.size == 4_000)
    #expect(ExchangePhases(record.marks).receive >= 60_000_000)
    let parts = record.injections.map(\.nanoseconds)
    #expect(parts.count == 2 && parts.allSatisfy { $0 >= 30_000_000 })
    #expect(parts.reduce(0, +) <= ExchangePhases(record.marks).receive + 5_000_000, "no time counts twice")
  }

  @Test("A client that leaves while content is held ends the exchange")
  func departure() throws {
    let (origin, proxy) = (try Self.origin(), try Self.proxy(.stall(.seconds(60), after: 0)))
    let client = try proxy.connect()
    try client.send(get(origin))
    _ = try client.receiveHead()
    client.close()
    let record = try proxy.records(1)[0]
    #expect(record.response?.status == 200 && (record.injections.first?.nanoseconds ?? 0) > 0, "the stall has a length")
    try proxy.waitForActivity { $0.inFlight == 0 }
  }

  @Test("A call of gRPC fails by its status; other requests go on")
  func call() throws {
    var answer = InjectedAnswer(status: 200)
    answer.grpc = GRPCStatus(name: "UNAVAILABLE")
    let (origin, proxy) = (try Self.origin(), try Self.proxy(.answer(answer)))
    let client = try proxy.http2()
    let call = try client.open(origin.request("/S/M", method: "POST", [("content-type", "application/grpc")]), hasContent: true)
    try client.send([0, 0, 0, 0, 0], on: call, isLast: true)
    let response = try client.response(to: call)
    #expect(response.status == 200 && response.values(of: "grpc-status") == ["14"] && response.body.isEmpty && response.ended)
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "the answer")
    // gRPC-Web, as a browser speaks it.
    let browser = try proxy.connect()
    try browser.send(
      "POST \(origin.url("/S/M")) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Type: application/grpc-web+proto\r\n"
        + "Content-Length: 5\r\n\r\n\0\0\0\0\0")
    let web = try browser.receiveResponse()
    #expect(web.value(of: "Content-Type") == "application/grpc-web+proto" && web.value(of: "grpc-status") == "14")
  }

  @Test("A stream is cut off after its events, whatever would follow", arguments: [false, true])
  func events(isHTTP2: Bool) throws {
    let streams = [
      ("text/event-stream", "data: 1\n\n: ping\n\ndata: 2\n\ndata: 3\n\n", "data: 1\n\n: ping\n\ndata: 2\n\n"),
      ("application/x-ndjson; charset=utf-8", "{}\r\n\r\n[1]\r\n[2]\r\n", "{}\r\n\r\n[1]\r\n"),
      ("application/grpc+proto", "\0\0\0\0\u{1}a\0\0\0\0\u{2}bc\0\0\0\0\0", "\0\0\0\0\u{1}a\0\0\0\0\u{2}bc"),
      // All that comes: it is cut off nevertheless, at once.
      ("text/event-stream", "data: 1\n\ndata: 2\n\n", "data: 1\n\ndata: 2\n\n"),
    ]
    for (type, content, cut) in streams {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: \(type)"], body: content)])])
      let proxy = try Self.proxy(.cut(after: 2))
      if isHTTP2 {
        let client = try proxy.http2()
        let response = try client.response(to: try client.open(origin.request()))
        #expect(response.bodyText == cut && response.reset == .internalError && !response.ended)
      } else {
        let client = try proxy.connect()
        try client.send(get(origin))
        #expect(String(decoding: try client.receiveToEnd().bytes, as: UTF8.self).hasSuffix("\r\n\r\n\(cut)"))
      }
      let record = try proxy.records(1)[0]
      #expect(record.failure?.kind.name == "injected" && record.failure?.phase == .receive)
      #expect(record.responseBody.size == UInt64(cut.utf8.count))
    }
  }

  @Test("A response that is no stream has no events to count, and the log says so")
  func noEvents() throws {
    let (origin, proxy) = (try Self.origin(), try Self.proxy(.cut(after: 1)))
    let client = try proxy.connect()
    try client.send(get(origin))
    #expect(try client.receiveResponse().bodyText == "the answer")
    let record = try proxy.records(1)[0]
    #expect(record.failure == nil)
    #expect(record.injections.first?.action.hasSuffix("(not done: no stream of events that can be read)") == true)
  }

  @Test("What a response never came to is not done, and the log says so")
  func unreached() throws {
    let origin = try Self.origin("0123456789")
    let proxy = try Self.proxy(.truncate(after: 20), .stall(.seconds(3_600), after: 11), .truncate(after: 10))
    let client = try proxy.connect()
    try client.send(get(origin))
    #expect(try client.receiveResponse().bodyText == "0123456789")
    let record = try proxy.records(1)[0]
    #expect(record.failure == nil && record.injections.count == 3)
    #expect(record.injections.allSatisfy { $0.action.hasSuffix(" (not done: no content came that far)") }, "\(record.injections)")
  }

  @Test("The failure names the rule that cut the response off first")
  func firstCut() throws {
    let (origin, proxy) = (try Self.origin("0123456789"), try Self.proxy(.truncate(after: 8), .truncate(after: 4)))
    let client = try proxy.connect()
    try client.send(get(origin))
    #expect(String(decoding: try client.receiveToEnd().bytes, as: UTF8.self).hasSuffix("\r\n\r\n0123"))
    let record = try proxy.records(1)[0]
    #expect(record.failure?.message.hasPrefix("rule 2 ") == true)
    #expect(record.injections.map { $0.action.contains("not done") } == [true, false])
  }

  @Test("A client that is slower than a rule lets content through has the server pause")
  func backPressure() throws {
    let scripted = try ScriptedShard { $0.rules = Self.rules([.truncate(after: 1_000)]) }
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 9))
    let peer = Client(shard: scripted.shard, peer: address, acceptedAt: .now)
    let (head, client) = (try RequestHead(method: .get, target: "http://origin.example/"), ScriptedClient())
    let exchange = ForwardedExchange(
      client: client, shard: scripted.shard, draft: peer.record(of: head, began: nil, at: .now),
      request: OutgoingRequest(head: head, framing: .none, route: Route(host: "origin.example", port: 80)))
    exchange.begin()
    let task = try #require(scripted.origin.tasks.last)
    func body(_ text: String) -> Demand { task.didReceive(Array(text.utf8).span, at: .now) }
    task.responseFraming = .chunked
    _ = task.didReceive(ResponseHead(status: 200))
    client.demand = .pause
    #expect(body("abc") == .pause)
    client.demand = .more
    exchange.clientCanTakeMore()
    #expect(scripted.origin.events == ["resume"])
    #expect(body("d") == .more)
    #expect(client.events == ["head 200", "body abc", "body d"])
    task.complete(with: nil)
  }

  @Test("Connections to a place lead to another, and the request still names the first")
  func placement() throws {
    let origin = try Self.origin()
    let port = try #require(UInt16(origin.authority.split(separator: ":").last ?? ""))
    let proxy = try Self.proxy(
      .map(Route(host: "nowhere.invalid", port: 80), to: Route(host: "127.0.0.1", port: port)))
    let client = try proxy.connect()
    try client.send("GET http://nowhere.invalid/ HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
    #expect(try client.receiveResponse().bodyText == "the answer")
    #expect(origin.requests.first?.value(of: "Host") == "nowhere.invalid")
    #expect(try proxy.records(1)[0].injections.count == 1)
  }

  @Test("A request goes to another URL, and the log has the one that was asked for", arguments: [false, true])
  func rewriting(isHTTP2: Bool) throws {
    let origin = try Self.origin()
    let proxy = try Self.proxy(
      .rewrite("http://nowhere.invalid/v1/", to: origin.url("/new/")))
    if isHTTP2 {
      let client = try proxy.http2()
      let lines = [(":method", "GET"), (":scheme", "http"), (":authority", "nowhere.invalid"), (":path", "/v1/a?b")]
      #expect(try client.response(to: try client.open(lines)).bodyText == "the answer")
    } else {
      let client = try proxy.connect()
      try client.send("GET http://nowhere.invalid/v1/a?b HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
      #expect(try client.receiveResponse().bodyText == "the answer")
    }
    #expect(origin.requests.first?.startLine == "GET /new/a?b HTTP/1.1")
    #expect(origin.requests.first?.value(of: "Host") == origin.authority)
    #expect(try proxy.records(1)[0].request?.targetText.contains("nowhere.invalid/v1/a?b") == true)
  }

  @Test("The content of a response is edited when all of it is here, or the log says why not", arguments: [false, true])
  func content(isHTTP2: Bool) throws {
    let edit: @Sendable ([UInt8]) -> [UInt8]? = { $0 + Array("!".utf8) }
    for (type, isEdited) in [("application/json", true), ("text/plain", false)] {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: \(type)"], body: "{}")])])
      let proxy = try Self.proxy(.content(edit), .edit(.response, InjectedEdit(name: "X-New", value: "yes")))
      let body: String
      if isHTTP2 {
        let client = try proxy.http2()
        let response = try client.response(to: try client.open(origin.request()))
        #expect(response.values(of: "x-new") == ["yes"] && response.values(of: "content-length") == [isEdited ? "3" : "2"])
        body = response.bodyText
      } else {
        let client = try proxy.connect()
        try client.send(get(origin))
        let response = try client.receiveResponse()
        #expect(response.value(of: "X-New") == "yes" && response.values(of: "Content-Length") == [isEdited ? "3" : "2"])
        body = response.bodyText
      }
      #expect(body == (isEdited ? "{}!" : "{}"))
      let record = try proxy.records(1)[0]
      #expect(record.failure == nil && record.response?.fields.values(named: "content-length") == ["2"])
      #expect(record.injections.first?.action.hasSuffix("(not done: no JSON)") == !isEdited)
    }
  }

  @Test("Inside TLS that we read, rules act as in clear")
  func intercepted() throws {
    let authorities = try Authorities.shared.get()
    let origin = try ScriptedOrigin(scripts: { _ in [authorities.echo()] })
    let proxy = try ProxyHarness.interceptingHTTP2 { $0.rules = Self.rules([Self.status(503)]) }
    let client = try proxy.secureHTTP2(to: origin)
    #expect(try client.response(to: try client.open(origin.request(scheme: "https"))).status == 503)
    #expect(try proxy.records(1)[0].failure?.kind.name == "injected")
  }
}
