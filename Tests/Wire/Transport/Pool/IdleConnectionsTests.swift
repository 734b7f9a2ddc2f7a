import TapelineTime
import Testing

@testable import TapelineTransport

@Suite struct IdleConnectionsTests {
  private let route = Route(host: "origin.example", port: 80)
  private let other = Route(host: "origin.example", port: 8080)

  private func second(_ value: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: value * 1_000_000_000)
  }

  private func pool(perRoute: Int = 4, total: Int = 6) -> IdleConnections {
    var limits = IdleConnections.Limits()
    limits.perRoute = perRoute
    limits.total = total
    limits.idleTime = .seconds(60)
    return IdleConnections(limits: limits)
  }

  @Test func anEmptyPoolHasNothing() {
    var pool = pool()
    #expect(pool.take(for: route, at: second(0)) == nil)
    #expect(pool.count == 0)
  }

  @Test func theNewestIsReusedFirst() {
    var pool = pool()
    #expect(pool.put(1, for: route, at: second(0)) == nil)
    #expect(pool.put(2, for: route, at: second(1)) == nil)
    #expect(pool.take(for: route, at: second(2)) == 2)
    #expect(pool.take(for: route, at: second(2)) == 1)
    #expect(pool.take(for: route, at: second(2)) == nil)
  }

  @Test func theOldestOfAllIsGivenUp() {
    var pool = pool()
    _ = pool.put(1, for: route, at: second(1))
    _ = pool.put(2, for: other, at: second(0))
    _ = pool.put(3, for: route, at: second(2))
    #expect((0..<4).map { _ in pool.takeOldest() } == [2, 1, 3, nil])
    #expect(pool.count == 0)
  }

  @Test("A connection that carries many tasks counts, and is not taken for one") func sharedConnections() {
    var pool = pool(perRoute: 2, total: 2)
    _ = pool.put(1, for: route, at: second(0))
    _ = pool.put(2, for: route, at: second(1), isShared: true)
    let surplus = pool.put(3, for: other, at: second(2), isShared: true)
    #expect(surplus == 3, "two are the limit")
    let taken = (0..<2).map { _ in pool.take(for: route, at: second(3)) }
    #expect(taken == [1, nil] && pool.count == 1)
    let oldest = pool.takeOldest()
    #expect(oldest == 2)
  }

  @Test func routesDoNotMix() {
    var pool = pool()
    _ = pool.put(1, for: route, at: second(0))
    #expect(pool.take(for: other, at: second(0)) == nil)
    #expect(pool.count == 1)
  }

  @Test func aConnectionThatIdledTooLongIsNotGivenOut() {
    var pool = pool()
    _ = pool.put(1, for: route, at: second(0))
    #expect(pool.take(for: route, at: second(60)) == nil)
    #expect(pool.expire(at: second(60)) == [1])
    #expect(pool.count == 0)
  }

  @Test func expiryTakesTheOldAndLeavesTheYoung() {
    var pool = pool()
    _ = pool.put(1, for: route, at: second(0))
    _ = pool.put(2, for: route, at: second(30))
    _ = pool.put(3, for: other, at: second(0))
    #expect(pool.expire(at: second(61)).sorted() == [1, 3])
    #expect(pool.count == 1)
    #expect(pool.take(for: route, at: second(61)) == 2)
  }

  @Test func tooManyForARouteClosesItsOldest() {
    var pool = pool(perRoute: 2)
    _ = pool.put(1, for: route, at: second(0))
    _ = pool.put(2, for: route, at: second(1))
    #expect(pool.put(3, for: route, at: second(2)) == 1)
    #expect(pool.count == 2)
  }

  @Test func tooManyInAllRefusesTheNewcomer() {
    var pool = pool(total: 1)
    _ = pool.put(1, for: route, at: second(0))
    #expect(pool.put(2, for: other, at: second(1)) == 2)
    #expect(pool.count == 1)
  }

  @Test func aRemovedConnectionIsForgotten() {
    var pool = pool()
    _ = pool.put(1, for: route, at: second(0))
    pool.remove(1, for: route)
    pool.remove(1, for: route)
    #expect(pool.count == 0)
    #expect(pool.take(for: route, at: second(0)) == nil)
  }

  /// Whatever happens in whatever order: no connection is given out twice, and the count is right.
  @Test func randomLifeKeepsItsInvariants() {
    var generator = SystemRandomNumberGenerator()
    var pool = pool(perRoute: 3, total: 5)
    var idle: Set<UInt64> = []
    var next: UInt64 = 0
    for step in 0..<5_000 {
      let route = Bool.random(using: &generator) ? route : other
      let now = second(Int64(step))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        next += 1
        idle.insert(next)
        if let closed = pool.put(next, for: route, at: now) { idle.remove(closed) }
      case 2:
        if let taken = pool.take(for: route, at: now) { #expect(idle.remove(taken) != nil) }
      default:
        for expired in pool.expire(at: now) { #expect(idle.remove(expired) != nil) }
      }
      #expect(pool.count == idle.count)
      #expect(pool.count <= 5)
    }
  }
}
