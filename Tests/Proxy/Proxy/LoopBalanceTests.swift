import TapelineTestSupport
import Testing

@testable import TapelineProxy

@Suite struct LoopBalanceTests {
  @Test(arguments: [
    (own: 0, other: 0, handsOver: false), (7, 0, false), (8, 0, true), (9, 0, true), (9, 2, false), (10, 2, true),
    (48, 40, false), (57, 40, false), (58, 40, true), (40, 58, false),
  ])
  func aLoopHandsOverWhenItHasManyMoreClients(own: Int, other: Int, handsOver: Bool) {
    #expect(LoopBalance.handsOver(own: own, other: other, share: 512) == handsOver)
  }

  @Test(arguments: [
    (own: 8, other: 8, handsOver: false), (9, 8, true), (9, 9, true), (9, 10, false), (10, 9, true), (10, 10, false),
    (0, 10, false),
  ])
  func aLoopKeepsItsLastPlaceWhileAnotherHasOne(own: Int, other: Int, handsOver: Bool) {
    #expect(LoopBalance.handsOver(own: own, other: other, share: 10) == handsOver)
  }

  @Test func aLoopWithOnePlaceTakesItsClient() {
    #expect(LoopBalance.handsOver(own: 0, other: 1, share: 1) == false)
    #expect(LoopBalance.handsOver(own: 0, other: 0, share: 1), "either may take it")
  }

  /// The statuses that a client with one thread gets, all of whose connections come on one processor.
  private func statuses(of count: Int, at proxy: ProxyHarness) throws -> [(client: RawClient, status: Int)] {
    try onProcessor(try #require(allowedProcessors().first)) {
      try (0..<count).map { _ in
        let client = try proxy.connect()
        try client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return (client, try client.receiveResponse().status)
      }
    }
  }

  @Test func theConnectionsOfOneThreadAreSpreadWhenTheyAreMany() throws {
    let proxy = try ProxyHarness { $0.threads = 2 }
    let clients = try statuses(of: 40, at: proxy)
    #expect(clients.allSatisfy { $0.status == 200 })
    let counts = proxy.server.counters.map(\.clients).sorted()
    #expect(counts == [15, 25])
    #expect(proxy.server.activity.clientConnections == 40)
  }

  @Test func theConnectionsOfOneThreadMayTakeAllPlaces() throws {
    let proxy = try ProxyHarness {
      $0.threads = 3
      $0.maxConnections = 15
    }
    let clients = try statuses(of: 15, at: proxy)
    #expect(clients.allSatisfy { $0.status == 200 })
    #expect(proxy.server.counters.map(\.clients) == [5, 5, 5])
    for (client, _) in clients { client.close() }
    try proxy.waitForActivity { $0.clientConnections == 0 }
    #expect(proxy.server.counters.map(\.clients) == [0, 0, 0])
  }
}
