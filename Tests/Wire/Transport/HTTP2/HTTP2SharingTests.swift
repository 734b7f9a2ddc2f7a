import Dispatch
import Synchronization
import TapelineHTTP
import TapelineHTTP2
import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTransport

/// Which connection carries a task, where an origin may speak HTTP/2.
@Suite("Connections that tasks share")
struct HTTP2SharingTests {
  let scene: HTTP2Scene

  init() throws {
    scene = try HTTP2Scene()
  }

  @Test("Tasks wait for an opening that may be HTTP/2, and go their own ways if it is not")
  func goTheirOwnWays() throws {
    let origin = try scene.echo(choosing: [.http11])
    let wire = try scene.wire()
    let runs = wire.begin(together: try (0..<4).map { try .over(origin, "/\($0)") })
    for (number, run) in runs.enumerated() {
      let outcome = try run.wait()
      #expect(outcome.received == Array("/\(number)".utf8))
      #expect(outcome.metrics.stream == nil && outcome.metrics.attempts == 1)
    }
    #expect(origin.connections.count == 4)
  }

  @Test("Nothing is shared where HTTP/2 is switched off")
  func switchedOff() throws {
    let origin = try scene.echo(choosing: [.http2, .http11])
    let outcome = try scene.wire { $0.speaksHTTP2 = false }.run(.over(origin, "/a"))
    #expect(outcome.received == Array("/a".utf8))
    #expect(outcome.metrics.transactions.first?.networkProtocolName == "http/1.1")
  }

  @Test("Those who wait fail with the opening, and go on without it when its task is cancelled")
  func openingEnds() throws {
    let refusing = try scene.origin(choosing: [ApplicationProtocol(name: "other")]) { _, _ in }
    let wire = try scene.wire()
    let runs = wire.begin(together: try (0..<3).map { try .over(refusing, "/\($0)") })
    for run in runs { #expect(try run.wait().error?.kind == .alert("no_application_protocol")) }
    #expect(refusing.connections.count == 1)

    let origin = try scene.echo()
    let slow = try ScriptedOrigin([.expectEnd])
    let waiting = wire.begin(together: try (0..<2).map { try .over(slow, "/\($0)") })
    _ = try slow.waitForConnections(1)
    waiting[0].task.cancel()
    #expect(try waiting[0].wait().error?.kind == .cancelled)
    _ = try slow.waitForConnections(2)
    waiting[1].task.cancel()
    _ = try waiting[1].wait()
    #expect(try wire.run(.over(origin, "/x")).error == nil)
  }

  @Test("Each client connection has connections of its own, and they end with it")
  func paired() throws {
    let origin = try scene.echo()
    let wire = try scene.wire()
    let first = PairedConnections()
    let second = PairedConnections()
    let lines = [(":method", "GET"), (":scheme", "https"), (":authority", "example.test"), (":path", "/")]
    var numbers: [UInt64?] = []
    for connections in [first, second, first] {
      let outcome = try wire.run(.over(origin, lines: lines, connections: connections))
      numbers.append(outcome.metrics.connection?.id)
    }
    #expect(numbers[0] == numbers[2] && numbers[0] != numbers[1])
    wire.onLoop { _ in
      first.close()
      second.close()
    }
    _ = try origin.waitForFinished(2)
  }

  @Test("A client's store hears that its origin goes away, and that its last connection has ended")
  func goesAway() throws {
    let origin = try scene.origin { peer, _ in
      let first = try peer.nextRequest()
      let second = try peer.nextRequest()
      try peer.respond(first)
      try peer.leave()
      try peer.respond(second, body: "still")
      try peer.waitForEnd()
    }
    let wire = try scene.wire()
    let connections = PairedConnections()
    let events = EventList()
    wire.onLoop { _ in
      connections.onEvent = { event in
        switch event {
        case .goesAway: events.append("go away")
        case .lastDidEnd: events.append("last end")
        case .offersExtendedConnect: break
        }
      }
    }
    let lines = [(":method", "GET"), (":scheme", "https"), (":authority", "example.test"), (":path", "/")]
    let runs = wire.begin(together: try (0..<2).map { _ in try .over(origin, lines: lines, connections: connections) })
    #expect(try runs[0].wait().error == nil)
    let second = try runs[1].wait()
    #expect(second.received == Array("still".utf8))
    #expect(second.metrics.stream?.goAway == .noError)
    _ = try origin.waitForFinished(1)
    try events.wait(for: ["go away", "last end"])
    wire.onLoop { _ in connections.close() }
  }

  @Test("A multiplexed connection has one place, and gives it back")
  func places() throws {
    let origin = try scene.echo()
    let other = try scene.echo()
    let wire = try scene.wire { configuration in
      configuration.places = ConnectionPlaces.Limits(perRoute: 1, total: 1, patience: nil)
    }
    let runs = wire.begin(together: try (0..<20).map { try .over(origin, "/\($0)") })
    for run in runs { #expect(try run.wait().error == nil) }
    #expect(origin.connections.count == 1)
    // The idle connection makes room for another route.
    #expect(try wire.run(.over(other, "/b")).received == Array("/b".utf8))
    #expect(try wire.run(.over(origin, "/c")).received == Array("/c".utf8))
    #expect(origin.connections.count == 2)
  }

  @Test("Idle connections are limited in number, by any protocol")
  func idleLimit() throws {
    let origins = try (0..<3).map { _ in try scene.echo() }
    let wire = try scene.wire { $0.idleConnections.total = 2 }
    for origin in origins { #expect(try wire.run(.over(origin)).error == nil) }
    // There was no room for the last.
    _ = try origins[2].waitForFinished(1)
    for origin in origins.prefix(2) {
      #expect(try wire.run(.over(origin)).metrics.connection?.isReused == true)
      #expect(origin.connections.count == 1)
    }
    #expect(try wire.run(.over(origins[2])).metrics.connection?.isReused == false)
  }

  @Test("A response beyond the limit of heads fails by that limit")
  func headLimit() throws {
    let origin = try scene.origin { peer, _ in
      try peer.respond(try peer.nextRequest(), 200, [("x", String(repeating: "x", count: 5000))])
      try peer.waitForEnd()
    }
    let wire = try scene.wire { $0.limits = HTTPLimits(headerBlock: 4096) }
    let error = try #require(try wire.run(.over(origin)).error)
    #expect(error.kind == .headTooLarge && error.limit == .head(.size))
  }

  @Test("A connection that has idled for too long ends")
  func idles() throws {
    let origin = try scene.echo()
    let wire = try scene.wire { $0.idleConnections.idleTime = .milliseconds(1) }
    #expect(try wire.run(.over(origin)).error == nil)
    _ = try origin.waitForFinished(1)
    #expect(try wire.run(.over(origin)).error == nil)
    #expect(origin.connections.count == 2)
  }

  @Test("A prepared connection that agreed on HTTP/2 carries its first task, and those after it")
  func prepared() throws {
    let origin = try scene.echo()
    let wire = try scene.wire()
    let stream = try wire.open(origin.route)
    let done = EventList()
    let detached = try #require(
      wire.onLoop { transport in
        let detached = stream.task.detach()
        detached?.connection?.onHandshakeEnd { done.append((try? $0.get().applicationProtocol?.name) ?? "failed") }
        detached?.connection?.startTLS(
          serverName: "localhost", following: ClientHandshake(lineage: 1, resumed: nil, applicationProtocols: [.http2, .http11]))
        return detached
      })
    try done.wait(for: ["h2"])
    let connections = PairedConnections()
    let outcome = try wire.run(.over(origin, "/1", connections: connections, prepared: detached.connection))
    #expect(outcome.received == Array("/1".utf8))
    #expect(outcome.metrics.connection?.isReused == false)
    #expect(outcome.metrics.marks[.tlsEnd] != nil)
    let second = try wire.run(.over(origin, "/2", connections: connections))
    #expect(second.metrics.connection?.id == outcome.metrics.connection?.id)
    #expect(origin.connections.count == 1)
    wire.onLoop { _ in connections.close() }
  }

  @Test("An upgrade is asked for on a connection of HTTP/1.1, which is offered alone")
  func upgrades() throws {
    let origin = try scene.echo(choosing: [.http2, .http11])
    let wire = try scene.wire()
    #expect(try wire.run(.over(origin, "/1")).metrics.stream != nil)
    let outcome = try wire.run(.over(origin, "/2", fields: ["Upgrade": "x", "Connection": "Upgrade"], allowsUpgrade: true))
    #expect(outcome.received == Array("/2".utf8))
    #expect(outcome.metrics.tls?.applicationProtocol == .http11)
    #expect(try wire.run(.over(origin, "/3")).metrics.stream?.id == 3)
  }

  @Test("RFC 7301 3.2: an origin that speaks HTTP/2 alone is offered it after it has refused")
  func refusesOffer() throws {
    try expectSecondAttempt(at: scene.echo(choosing: [.http2]))
  }

  @Test(
    "RFC 7301 3.2: an origin that chooses no protocol, and closes instead of answering, is offered HTTP/2",
    arguments: LastWord.allCases)
  func choosesNoProtocol(lastWord: LastWord) throws {
    try expectSecondAttempt(at: originOfHTTP2Alone(lastWord))
  }

  /// The first one offers what the client does, HTTP/1.1 alone.
  private func expectSecondAttempt(at origin: ScriptedOrigin) throws {
    let connections = pairedWithHTTP1()
    let wire = try scene.wire()
    let outcome = try wire.run(.over(origin, "/a", sender: .client, connections: connections))
    #expect(outcome.received == Array("/a".utf8))
    #expect(outcome.metrics.attempts == 2)
    #expect(outcome.metrics.stream?.id == 1)
    wire.onLoop { _ in connections.close() }
  }

  @Test("RFC 7301 3.2: such an origin gets no POST twice; the next request's connection offers HTTP/2")
  func choosesNoProtocolForPOST() throws {
    let origin = try originOfHTTP2Alone(.end)
    let connections = pairedWithHTTP1()
    let wire = try scene.wire()
    let first = try wire.run(
      .over(origin, "/a", method: .post, framing: .length(0), sender: .client, connections: connections))
    #expect(first.error?.kind == .closed)
    #expect(first.metrics.attempts == 1)
    let second = try wire.run(
      .over(origin, "/b", method: .post, framing: .length(0), sender: .client, connections: connections))
    #expect(second.received == Array("/b".utf8))
    #expect(second.metrics.attempts == 1)
    wire.onLoop { _ in connections.close() }
  }

  /// For a client that offers HTTP/1.1 alone.
  private func pairedWithHTTP1() -> PairedConnections {
    let connections = PairedConnections()
    connections.handshake = ClientHandshake(lineage: 1, resumed: nil, applicationProtocols: [.http11])
    return connections
  }

  /// How a server leaves a client that it cannot talk to.
  enum LastWord: CaseIterable {
    case end
    case reset
  }

  /// Answers over HTTP/2 alone. To others it says nothing: its handshake succeeds without a protocol.
  private func originOfHTTP2Alone(_ lastWord: LastWord) throws -> ScriptedOrigin {
    let context = try TLSServerContext(applicationProtocols: [.http2])
    context.ignoreOtherOffers()
    let tls = HTTP2Origin.TLS(context: context, credentials: try scene.authority.credentials(for: "localhost"))
    return try HTTP2Origin.start(tls) { peer, _ in
      guard peer.applicationProtocol == nil else { return try HTTP2Scene.echo(peer) }
      switch lastWord {
      case .end: _ = try peer.receiveHead()
      // The kernel resets a connection that is closed with unread input.
      case .reset: _ = try peer.origin.receive(exactly: 1)
      }
    }
  }
}

/// What was heard, in order.
private final class EventList: Sendable {
  private let events = Mutex<[String]>([])
  private let happened = DispatchSemaphore(value: 0)

  func append(_ event: String) {
    events.withLock { $0.append(event) }
    happened.signal()
  }

  func wait(for expected: [String]) throws {
    let deadline = DispatchTime.now() + 120
    while events.withLock({ $0.count }) < expected.count, happened.wait(timeout: deadline) == .success {}
    #expect(events.withLock { $0 } == expected)
  }
}
