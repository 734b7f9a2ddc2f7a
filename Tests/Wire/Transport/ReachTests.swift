import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineTransport

/// Where a route may lead is asked of every address that is about to be connected to.
@Suite struct ReachTests {
  private static func guarding() throws -> Wire {
    try Wire { $0.prohibits = { address, route in route.reach == .guarded && address.isLoopback } }
  }

  private func get(_ origin: ScriptedOrigin, host: String, reach: Reach) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: "http://\(host):\(origin.port)/"), framing: .none,
      route: Route(host: host, port: origin.port, reach: reach))
  }

  @Test(
    "An address that is prohibited is not connected to, whatever name led there", arguments: ["127.0.0.1", "localhost", "127.1"])
  func prohibited(host: String) throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "secret"), .expectEnd])
    let outcome = try Self.guarding().run(try get(origin, host: host, reach: .guarded))
    #expect(outcome.error?.kind == .destinationProhibited)
    #expect(origin.connections.isEmpty)
    #expect(outcome.metrics.attempts == 1, "nor tried again")
  }

  @Test("A connection made for one reach is not reused for another")
  func pool() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "secret")])])
    let wire = try Self.guarding()
    #expect(try wire.run(try get(origin, host: "127.0.0.1", reach: .everywhere)).error == nil)
    #expect(try wire.run(try get(origin, host: "127.0.0.1", reach: .guarded)).error?.kind == .destinationProhibited)
    #expect(try wire.run(try get(origin, host: "127.0.0.1", reach: .everywhere)).metrics.connection?.isReused == true)
    #expect(origin.requests.count == 2)
  }

  @Test("A stream is judged like an exchange")
  func stream() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let wire = try Self.guarding()
    defer { withExtendedLifetime(wire) {} }
    let outcome = try wire.start(Route(host: "localhost", port: origin.port, reach: .guarded)).wait()
    #expect(outcome.error?.kind == .destinationProhibited)
    #expect(origin.connections.isEmpty)
  }

  @Test("A retry on a new connection is judged again")
  func retry() throws {
    // Keeps the first connection open until the second request has come, then closes it without an answer: the transport tries
    // again.
    let origin = try ScriptedOrigin { number in
      number == 0
        ? [.expectRequest, .respond(body: "first"), .expectRequest, .close] : [.expectRequest, .respond(body: "second")]
    }
    let questions = Questions()
    let wire = try Wire { $0.prohibits = { _, _ in questions.count() > 1 } }
    #expect(try wire.run(try get(origin, host: "127.0.0.1", reach: .guarded)).error == nil)
    #expect(try wire.run(try get(origin, host: "127.0.0.1", reach: .guarded)).error?.kind == .destinationProhibited)
    #expect(origin.connections.count == 1)
  }
}

/// How often it was asked.
private final class Questions: Sendable {
  private let asked = Atomic(0)

  func count() -> Int {
    asked.add(1, ordering: .relaxed).newValue
  }
}

@Suite("Addresses that a listener covers")
struct SocketAddressCoversTests {
  private func covers(_ own: String, _ other: String, otherPort: UInt16 = 80) throws -> Bool {
    let own = try #require(SocketAddress(literal: own, port: 80))
    return own.covers(try #require(SocketAddress(literal: other, port: otherPort)))
  }

  @Test("Its own, however it is written, at its own port")
  func same() throws {
    #expect(try covers("127.0.0.1", "127.0.0.1"))
    #expect(try covers("127.0.0.1", "::ffff:127.0.0.1"))
    #expect(try covers("127.0.0.1", "0.0.0.0"))
    #expect(try !covers("127.0.0.1", "127.0.0.1", otherPort: 81))
    #expect(try !covers("127.0.0.1", "127.0.0.2"))
  }

  @Test(
    "An unspecified one covers what interfaces have",
    .enabled(if: InterfaceAddress.first != nil, "this machine has loopback only"))
  func unspecified() throws {
    let own = try #require(InterfaceAddress.first).host
    #expect(try covers("0.0.0.0", own))
    #expect(try !covers("0.0.0.0", own, otherPort: 81))
    #expect(try !covers("127.0.0.1", own))
    #expect(try covers("0.0.0.0", "127.0.0.2"))
    #expect(try !covers("0.0.0.0", "198.51.100.7"))
  }
}
