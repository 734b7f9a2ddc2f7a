import Testing

@testable import TapelineLoop

struct HappyEyeballsTests {
  private func addresses(_ literals: [String]) throws -> [SocketAddress] {
    try literals.map { try #require(SocketAddress(literal: $0, port: 80)) }
  }

  @Test(arguments: [
    (["::1", "::2", "::3", "10.0.0.1", "10.0.0.2"], ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"]),
    (["10.0.0.1", "10.0.0.2", "::1"], ["10.0.0.1", "::1", "10.0.0.2"]),
    (["10.0.0.1", "10.0.0.1", "::1"], ["10.0.0.1", "::1"]),
    (["10.0.0.2", "10.0.0.1"], ["10.0.0.2", "10.0.0.1"]),
    ([], []),
  ])
  func familiesTakeTurnsInTheResolversOrder(_ given: [String], _ expected: [String]) throws {
    #expect(HappyEyeballs.order(try addresses(given)) == (try addresses(expected)))
  }
}
