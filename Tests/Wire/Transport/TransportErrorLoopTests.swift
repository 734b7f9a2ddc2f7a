import TapelineLoop
import Testing

@testable import TapelineTransport

/// What the loop says, in the words of an exchange.
@Suite struct TransportErrorLoopTests {
  @Test(
    "A lookup is in its phase; what this machine lacks is its own failure, and all else is the origin's",
    arguments: [
      (LoopError.Kind.nameNotFound, TransportError.Kind.nameNotFound, "upstream dns"),
      (.resolverFailure, .resolverFailure, "upstream dns"), (.resolverBusy, .resolverFailure, "local dns"),
      (.refused, .refused, "upstream connect"), (.unreachable, .unreachable, "upstream connect"),
      (.timedOut, .timedOut, "upstream connect"), (.tooManyFiles, .tooManyFiles, "local connect"),
      (.addressNotAvailable, .addressNotAvailable, "local connect"), (.permissionDenied, .permissionDenied, "local connect"),
      (.other(5), .other(5), "upstream connect"),
    ])
  func connecting(kind: LoopError.Kind, expected: TransportError.Kind, place: String) {
    let error = TransportError(LoopError(kind, "why"), connectingTo: "origin.example")
    #expect(error.kind == expected)
    #expect(error.description == "\(place): why")
    #expect(error.limit == nil)
  }

  @Test("Only our own patience is a limit of ours")
  func limits() {
    #expect(TransportError(LoopError(.tooLate, ""), connectingTo: "origin.example").limit == .connecting)
    #expect(TransportError(LoopError(.timedOut, ""), connectingTo: "origin.example").limit == nil)
  }

  @Test("A client is told where it may not be taken")
  func prohibited() throws {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 80))
    let named = TransportError(LoopError(.prohibited([address]), ""), connectingTo: "localhost")
    #expect(named.kind == .destinationProhibited && named.origin == .client && named.phase == .connect)
    #expect(named.message == "this proxy may not take its client to localhost, which is 127.0.0.1")
    let literal = TransportError(LoopError(.prohibited([address]), ""), connectingTo: "127.0.0.1")
    #expect(literal.message == "this proxy may not take its client to 127.0.0.1")
  }

  @Test func learnsItsSideAndPhaseLater() {
    let error = TransportError(LoopError(.reset, "why"), origin: .local, phase: .receive)
    let known = error.at(.upstream, .wait)
    #expect(known.origin == .upstream && known.phase == .wait)
    #expect(known.kind == error.kind && known.message == error.message)
  }
}
