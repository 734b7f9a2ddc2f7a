import TapelineTLS
import Testing

@testable import TapelineTransport

@Suite struct SessionCacheTests {
  let authority: TestAuthority

  init() throws {
    authority = try TestAuthority()
  }

  private static func route(_ number: Int) -> Route {
    Route(host: "host\(number).test", port: 443, security: .tls(serverName: "localhost"))
  }

  @Test func theNewestSessionComesFirstAndOnce() throws {
    let sessions = try authority.sessions(2)
    var cache = SessionCache<Route>(keyLimit: 16)
    cache.put(sessions[0], for: Self.route(1))
    cache.put(sessions[1], for: Self.route(1))
    let taken = (0..<3).map { _ in cache.take(for: Self.route(1)) }
    #expect(taken[0] === sessions[1])
    #expect(taken[1] === sessions[0])
    #expect(taken[2] == nil)
  }

  @Test func aSessionOfTLS12IsUsedAgain() throws {
    let session = try #require(try authority.sessions(1, version: .tls12).first)
    var cache = SessionCache<Route>(keyLimit: 16)
    cache.put(session, for: Self.route(1))
    let taken = (0..<2).map { _ in cache.take(for: Self.route(1)) }
    #expect(taken.allSatisfy { $0 === session })
  }

  @Test func routesDoNotShare() throws {
    let session = try #require(try authority.sessions(1).first)
    var cache = SessionCache<Route>(keyLimit: 16)
    cache.put(session, for: Self.route(1))
    let other = cache.take(for: Self.route(2))
    #expect(other == nil)
  }

  @Test func theOldestSessionOfARouteGivesWay() throws {
    let sessions = try authority.sessions(SessionCache<Route>.sessionLimit + 1)
    var cache = SessionCache<Route>(keyLimit: 16)
    for session in sessions { cache.put(session, for: Self.route(1)) }
    let taken = sessions.compactMap { _ in cache.take(for: Self.route(1)) }
    #expect(taken.count == SessionCache<Route>.sessionLimit)
    #expect(!taken.contains { $0 === sessions[0] })
  }

  @Test func theRouteThatWasLeastRecentlyUsedIsForgotten() throws {
    let session = try #require(try authority.sessions(1, version: .tls12).first)
    var cache = SessionCache<Route>(keyLimit: 16)
    for number in 0..<16 { cache.put(session, for: Self.route(number)) }
    // Used, so that the next one is the oldest.
    _ = cache.take(for: Self.route(0))
    cache.put(session, for: Self.route(1_000))
    #expect(cache.keyCount == 16)
    let first = cache.take(for: Self.route(0))
    let second = cache.take(for: Self.route(1))
    #expect(first != nil)
    #expect(second == nil)
  }
}
