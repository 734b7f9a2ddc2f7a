import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineLoop
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

/// A forwarded exchange between an origin and a client that are both scripted: no sockets, and no version of HTTP at the client's
/// end.
@Suite struct ForwardedExchangeTests {
  private let scripted: ScriptedShard
  private let client: Client
  private let instant = MonotonicInstant.now

  private var origin: TaskOrigin { scripted.origin }
  private var records: RecordList { scripted.records }

  init() throws {
    scripted = try ScriptedShard()
    let peer = try #require(SocketAddress(literal: "127.0.0.1", port: 9))
    client = Client(shard: scripted.shard, peer: peer, acceptedAt: .now)
  }

  /// An exchange that has begun, its task, and the client's end of it.
  private func begin(
    _ method: HTTPMethod = .get, framing: BodyFraming = .none, fields: HeaderFields = HeaderFields()
  ) throws -> (exchange: ForwardedExchange, task: SessionTask, client: ScriptedClient) {
    let head = try RequestHead(method: method, target: "http://origin.example/", fields: fields)
    let draft = client.record(of: head, began: nil, at: instant)
    let request = OutgoingRequest(
      head: head, framing: framing, route: Route(host: "origin.example", port: 80), allowsUpgrade: true)
    let end = ScriptedClient()
    let exchange = ForwardedExchange(client: end, shard: scripted.shard, draft: draft, request: request)
    exchange.begin()
    return (exchange, try #require(origin.tasks.last), end)
  }

  private func answer(_ task: SessionTask, _ framing: BodyFraming, status: Int = 200) -> ResponseDisposition {
    task.responseFraming = framing
    return task.didReceive(ResponseHead(status: status))
  }

  private func body(_ text: String, to task: SessionTask) -> Demand {
    task.didReceive(Array(text.utf8).span, at: instant)
  }

  @Test("Exchanges of one connection run side by side, and each ends by itself")
  func parallel() throws {
    let (slow, fast) = (try begin(), try begin())
    slow.exchange.endRequest(at: instant)
    fast.exchange.endRequest(at: instant)
    _ = answer(slow.task, .chunked)
    _ = answer(fast.task, .length(1))
    _ = body("s", to: slow.task)
    _ = body("f", to: fast.task)
    fast.task.complete(with: nil)
    #expect(fast.client.events == ["head 200", "body f", "end", "over"])
    #expect(slow.client.events == ["head 200", "body s"])
    #expect(records.all.count == 1)
    slow.task.didReceiveTrailers(["Checksum": "1"])
    slow.task.complete(with: nil)
    #expect(slow.client.events == ["head 200", "body s", "end with trailers", "over"])
    let sizes = records.all.map(\.responseBody.size)
    #expect(sizes == [1, 1] && records.all.allSatisfy { $0.failure == nil })
    #expect(records.all.map { $0.client.isReused } == [true, false], "they share the count of their connection's requests")
  }

  @Test("Interim responses come before the head, and the record has them")
  func interim() throws {
    let (exchange, task, client) = try begin()
    task.didReceiveInformational(ResponseHead(status: 103))
    _ = answer(task, .none, status: 204)
    // Nothing of the kind follows a final head.
    task.didReceiveInformational(ResponseHead(status: 103))
    exchange.endRequest(at: instant)
    task.complete(with: nil)
    #expect(client.events == ["interim 103", "head 204", "end", "over"])
    #expect(records.all.first?.informational.count == 2)
  }

  @Test("The messages of a gRPC call are noted in both directions, as far as they have come")
  func call() throws {
    let (exchange, task, _) = try begin(.post, framing: .chunked, fields: ["content-type": "application/grpc+proto"])
    exchange.receiveBody([0, 0, 0, 0, 1, 7, 1, 0].span, at: instant)
    #expect(exchange.recordSoFar(at: instant)?.grpc?.toServer == 1)
    #expect(exchange.recordSoFar(at: instant)?.grpc?.note == nil)
    exchange.endRequest(at: instant)
    _ = answer(task, .chunked)
    _ = task.didReceive([0, 0, 0, 0, 2, 7, 7, 0, 0, 0, 0, 0].span, at: instant.advanced(byNanoseconds: 5))
    task.complete(with: nil)
    let call = try #require(records.all.first?.grpc)
    #expect(call.messages.map(\.size) == [1, 2, 0])
    #expect(call.messages.map(\.direction) == [.toServer, .toClient, .toClient])
    #expect(call.messages.map { $0.instant.nanoseconds(since: instant) } == [0, 5, 5])
    #expect([call.toServer, call.toClient] == [1, 2])
    #expect(call.note == "the client's last message is incomplete")
  }

  @Test("The response alone can say that it is a call; no other exchange is taken for one")
  func callOfTheResponse() throws {
    let (_, task, _) = try begin()
    task.responseFraming = .chunked
    _ = task.didReceive(ResponseHead(status: 200, fields: ["Content-Type": "application/grpc"]))
    _ = body("{\"a\":1}", to: task)
    task.complete(with: nil)
    #expect(records.all.first?.grpc?.note == "the server's bytes are not gRPC messages: a prefix begins with 123")
    let (_, other, _) = try begin()
    _ = answer(other, .length(0))
    other.complete(with: nil)
    #expect(records.all.last?.grpc == nil)
  }

  @Test("The exchange is recorded when the client has taken everything, not before")
  func delivery() throws {
    let (exchange, task, client) = try begin()
    exchange.endRequest(at: instant)
    _ = answer(task, .length(4))
    client.bufferedBytes = 4
    _ = body("data", to: task)
    task.complete(with: nil)
    #expect(client.takeEvents() == ["head 200", "body data", "end"] && records.all.isEmpty)
    #expect(exchange.recordSoFar(at: instant)?.responseBody.size == 4)
    client.bufferedBytes = 0
    exchange.didDeliver(at: instant)
    exchange.didDeliver(at: instant)
    #expect(client.events == ["over"] && records.all.count == 1 && exchange.recordSoFar(at: instant) == nil)
  }

  @Test("A client that is slower than the origin has the task pause, and one that is faster is not read")
  func backPressure() throws {
    let (exchange, task, client) = try begin(.post, framing: .length(6))
    exchange.receiveBody(Array("abcdef".utf8).span, at: instant)
    #expect(client.takeEvents() == ["pause"] && origin.events == ["more body"])
    guard case .bytes(let bytes) = task.nextBodyChunk(limit: 100) else { return #expect(Bool(false), "there is a body") }
    #expect(bytes == Array("abcdef".utf8) && client.takeEvents() == ["resume"])
    exchange.endRequest(at: instant)
    _ = answer(task, .chunked)
    client.demand = .pause
    #expect(body("x", to: task) == .pause)
    exchange.clientCanTakeMore()
    #expect(origin.events.last == "resume")
  }

  @Test("A failure of the origin is answered while the client was told nothing, and breaks off a response after that")
  func originFails() throws {
    let (early, late) = (try begin(), try begin())
    early.exchange.endRequest(at: instant)
    early.task.complete(with: TransportError(origin: .upstream, phase: .connect, kind: .refused, message: "refused"))
    #expect(early.client.events == ["answer 502", "over"])
    _ = answer(late.task, .chunked)
    late.task.complete(with: TransportError(origin: .upstream, phase: .receive, kind: .reset, message: "reset"))
    #expect(late.client.events == ["head 200", "break off", "over"])
    #expect(records.all.map(\.localStatus) == [502, nil] && records.all.allSatisfy { $0.failure?.origin == .upstream })
  }

  @Test("A client that breaks its own message is answered while it was told nothing, and its task is cancelled")
  func clientBreaks() throws {
    let (exchange, task, client) = try begin(.post, framing: .chunked)
    exchange.clientBroke(.clientTimedOut(in: .request, option: "--idle-timeout"), status: 408)
    #expect(client.events == ["answer 408", "over"] && task.state == .completed)
    #expect(records.all.first?.localStatus == 408 && records.all.first?.failure?.origin == .local)
  }

  @Test("A client that leaves ends the exchange, and may do so unless something was promised")
  func clientLeaves() throws {
    let free = try begin()
    free.exchange.endRequest(at: instant)
    _ = answer(free.task, .chunked)
    free.exchange.clientDidLeave(.left, lacksContent: false)
    #expect(free.task.state == .completed && free.client.events == ["head 200", "over"])
    let bound = try begin()
    bound.exchange.endRequest(at: instant)
    _ = answer(bound.task, .length(9))
    bound.exchange.clientDidLeave(.left, lacksContent: false)
    #expect(records.all.first?.endedByClient != nil && records.all.first?.failure == nil)
    #expect(records.all.last?.failure?.origin == .client)
    let satisfied = try begin(.post, framing: .chunked)
    _ = answer(satisfied.task, .length(4))
    _ = body("full", to: satisfied.task)
    satisfied.exchange.clientDidLeave(.left, lacksContent: false)
    #expect(records.all.count == 3)
    #expect(records.all.last?.failure == nil && records.all.last?.endedByClient == nil, "it has its answer, if not asked in full")
    #expect(records.all.map(\.requestEndedBy) == [nil, nil, .client])
  }

  @Test("After an early answer the rest of the request goes up, and the exchange ends with it")
  func earlyAnswer() throws {
    let (exchange, task, client) = try begin(.post, framing: .chunked)
    _ = answer(task, .length(2))
    _ = body("ok", to: task)
    task.didEndResponse()
    #expect(client.takeEvents() == ["head 200", "body ok", "end"])
    exchange.receiveBody(Array("rest".utf8).span, at: instant)
    guard case .bytes(let rest) = task.nextBodyChunk(limit: 100) else { return #expect(Bool(false), "the rest goes up") }
    #expect(rest == Array("rest".utf8) && client.takeEvents() == ["pause", "resume"])
    exchange.endRequest(at: instant)
    task.complete(with: nil)
    #expect(client.events == ["over"])
    #expect(records.all.first?.requestEndedBy == nil && records.all.first?.failure == nil)
  }

  @Test("A client that has sent everything and has its early answer may leave: the rest still reaches the origin")
  func leavesWithEverything() throws {
    let (exchange, task, client) = try begin(.post, framing: .chunked)
    exchange.receiveBody(Array("rest".utf8).span, at: instant)
    _ = answer(task, .none)
    task.didEndResponse()
    exchange.endRequest(at: instant)
    exchange.clientDidLeave(.left, lacksContent: false)
    #expect(task.state == .running && records.all.isEmpty)
    #expect(scripted.shard.exchangesInFlight().count == 1)
    guard case .bytes = task.nextBodyChunk(limit: 100) else { return #expect(Bool(false), "the rest goes up") }
    task.complete(with: nil)
    #expect(client.events.last == "over" && scripted.shard.exchangesInFlight().isEmpty)
    let record = try #require(records.all.first)
    #expect(record.requestEndedBy == nil && record.failure == nil && record.endedByClient == nil)
  }

  @Test("An origin that has answered early and goes is no failure: the client's connection ends alike, and the entry says so")
  func earlyAnswerAndGone() throws {
    for (hasEnded, end) in [(false, "reset"), (true, "end of connection")] {
      let (exchange, task, client) = try begin(.post, framing: .chunked)
      _ = answer(task, .none)
      task.didEndResponse()
      if hasEnded { task.didReceiveEnd() }
      #expect(client.takeEvents() == ["head 200", "end"] + (hasEnded ? ["end of relay"] : []))
      exchange.receiveBody(Array("more".utf8).span, at: instant)
      _ = client.takeEvents()
      task.complete(with: TransportError(origin: .upstream, phase: .send, kind: .reset, message: "gone"))
      #expect(client.events == [end, "over"])
      #expect(records.all.last?.requestEndedBy == .server && records.all.last?.failure == nil)
    }
  }

  @Test("An exchange is in `send` while its request is incomplete, and an early answer ends there")
  func sending() throws {
    let sent = instant
    func begin() throws -> (ForwardedExchange, SessionTask) {
      let (exchange, task, _) = try self.begin(.post, framing: .chunked)
      task.metrics.marks.stamp(.sentFirst, at: sent)
      task.metrics.marks.stamp(.sentLast, at: sent)
      return (exchange, task)
    }
    let (stalled, lost) = try begin()
    stalled.clientDidLeave(.left, lacksContent: false)
    #expect(lost.state == .completed)
    let cut = try #require(records.all.last)
    #expect(cut.marks[.sentLast] == nil && ExchangePhases(cut.marks).wait == 0 && ExchangePhases(cut.marks).send > 0)

    let (early, task) = try begin()
    let answered = sent.advanced(by: .milliseconds(5))
    task.metrics.marks.stamp(.responseFirstByte, at: answered)
    task.metrics.marks.stamp(.responseLastByte, at: answered)
    _ = answer(task, .none, status: 413)
    task.didEndResponse()
    early.clientDidLeave(.left, lacksContent: false)
    let phases = ExchangePhases(try #require(records.all.last).marks)
    #expect(phases.send == 5_000_000 && phases.wait == 0 && phases.receive == 0)
  }

  @Test(
    "A client that leaves while it owes us the end of its request, and we owe it the end of the response",
    arguments: [true, false])
  func clientLeavesAtTheEnd(lacksContent: Bool) throws {
    let (exchange, task, client) = try begin(.post, framing: .chunked)
    _ = answer(task, .length(4))
    _ = body("full", to: task)
    client.bufferedBytes = 1
    task.complete(with: nil)
    #expect(client.events == ["head 200", "body full", "end"], "the exchange waits for its delivery")
    exchange.clientDidLeave(.left, lacksContent: lacksContent)
    let record = try #require(records.all.first)
    #expect(record.endedByClient == nil && (record.failure != nil) == lacksContent, "it knows the length, and so the end")
  }

  @Test("A client that leaves before we could send it the rest of a length lacks it, as while the origin is sending")
  func clientLeavesBeforeDelivery() throws {
    for isComplete in [true, false] {
      let (exchange, task, client) = try begin()
      exchange.endRequest(at: instant)
      _ = answer(task, .length(4))
      _ = body("full", to: task)
      client.bufferedBytes = 1
      if isComplete { task.complete(with: nil) }
      exchange.clientDidLeave(.left, lacksContent: true)
      let record = try #require(records.all.last)
      #expect(record.failure?.origin == .client && record.endedByClient == nil)
    }
    #expect(records.all.count == 2)
  }

  @Test("After a 101 bytes go both ways, with back-pressure and half-close in each (RFC 9110 7.8)")
  func upgrade() throws {
    let (exchange, task, client) = try begin()
    exchange.endRequest(at: instant)
    let disposition = answer(task, .none, status: 101)
    #expect(disposition == .proceed)
    task.didUpgrade()
    #expect(client.takeEvents() == ["switch", "upgraded"])
    exchange.relayFromClient(Array("up".utf8).span, at: instant)
    #expect(origin.events == ["send up"] && client.takeEvents() == ["pause"])
    task.canSendMore()
    #expect(body("down", to: task) == .more)
    task.didReceiveEnd()
    exchange.clientDidEnd()
    #expect(client.takeEvents() == ["resume", "relay down", "end of relay"] && origin.events.last == "finish")
    task.complete(with: nil)
    #expect(client.events == ["over"] && records.all.first?.relayed?.toServer == 2 && records.all.first?.relayed?.toClient == 4)
  }
}
