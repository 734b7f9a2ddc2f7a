import TapelineCore
import Testing

@testable import TapelineRecorder

@Suite("Tunnels that were not read")
struct UnreadTunnelsTests {
  @Test("They are counted by reason, and by host as the client named it")
  func counted() throws {
    var traffic = TrafficStatistics()
    var tunnel = try ExampleExchange.tunnel()
    traffic.count(ExchangeCounts(tunnel, totalMicroseconds: 1))
    #expect(traffic.unreadTunnels == UnreadTunnels())
    for reason in [UnreadReason.pinned, .h2Only, .pinned] {
      tunnel.unread = reason
      traffic.count(ExchangeCounts(tunnel, totalMicroseconds: 1))
    }
    #expect(traffic.unreadTunnels.counts == [.pinned: 2, .h2Only: 1])
    #expect(traffic.unreadTunnels.total == 3)
    #expect(traffic.unreadTunnels.hostsByCount.map(\.host.name) == ["example.com", "example.com"])
    #expect(traffic.unreadTunnels.hostsByCount.map(\.host.reason) == [.pinned, .h2Only])
    #expect(traffic.unreadTunnels.hostsByCount.map(\.count) == [2, 1])
  }

  @Test("Of more hosts than there is room for, only the reasons are counted")
  func bounded() {
    var tunnels = UnreadTunnels()
    for number in 0..<200 { tunnels.count(.notTLS, host: "\(number).example") }
    tunnels.count(.notTLS, host: "7.example")
    tunnels.count(.notTLS, host: nil)
    #expect(tunnels.hosts.count == UnreadTunnels.hostLimit)
    #expect(tunnels.total == 202)
    #expect(tunnels.hostsByCount.first?.host.name == "7.example")
  }
}
