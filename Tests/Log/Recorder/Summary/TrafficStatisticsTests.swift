import TapelineCore
import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineRecorder

struct TrafficStatisticsTests {
  @Test func countsByHostStatusAndKind() throws {
    var traffic = TrafficStatistics()
    traffic.count(ExchangeCounts(try ExampleExchange.make(), totalMicroseconds: 2_000))
    traffic.count(ExchangeCounts(try ExampleExchange.refused(), totalMicroseconds: 1_000))
    traffic.count(ExchangeCounts(try ExampleExchange.tunnel(), totalMicroseconds: 9_000))
    #expect(traffic.exchanges == 3)
    #expect(traffic.tunnels == 1)
    #expect(traffic.failures == 1)
    #expect(traffic.failuresByKind == ["refused": 1])
    #expect(traffic.responsesByClass.reduce(0, +) == 3)
    #expect(traffic.latency.count == 1, "a tunnel lasts as long as its user likes, and a refused connection is no answer")
    #expect(traffic.hosts.values.reduce(0) { $0 + $1.exchanges } == 3)
    let failure = try #require(traffic.recentFailures.first)
    #expect(failure.kind == "refused")
    #expect(failure.host != nil)
  }

  @Test func hostsAreBounded() throws {
    var traffic = TrafficStatistics()
    for number in 0..<(TrafficStatistics.hostLimit + 20) {
      traffic.count(ExchangeCounts(try Self.exchange(with: "host\(number).example"), totalMicroseconds: 1))
    }
    // A host that is known goes on being counted for itself.
    traffic.count(ExchangeCounts(try Self.exchange(with: "host0.example"), totalMicroseconds: 1))
    #expect(traffic.hosts.count == TrafficStatistics.hostLimit)
    #expect(traffic.otherHosts.exchanges == 20)
    #expect(traffic.hosts["host0.example"]?.exchanges == 2)
  }

  @Test func onlyTheLastFailuresAreKept() throws {
    var traffic = TrafficStatistics()
    for _ in 0..<100 { traffic.count(ExchangeCounts(try ExampleExchange.refused(), totalMicroseconds: 1)) }
    #expect(traffic.failures == 100)
    #expect(traffic.recentFailures.count == TrafficStatistics.recentFailureLimit)
  }

  @Test func aReadingDoesNotChangeWithWhatComesLater() throws {
    let board = TrafficBoard()
    board.count(ExchangeCounts(try ExampleExchange.make(), totalMicroseconds: 5_000))
    let before = board.traffic
    board.count(ExchangeCounts(try ExampleExchange.make(), totalMicroseconds: 7_000))
    #expect(before.exchanges == 1)
    #expect(before.latency.values.map(\.count) == [1])
    #expect(board.traffic.latency.values.map(\.count) == [1, 1])
  }

  private static func exchange(with host: String) throws -> ExchangeRecord {
    let head = try RequestHead(method: .get, target: "http://\(host)/")
    return ExchangeRecord(
      id: 1, kind: .exchange, client: ExchangeRecord.Peer(connectionID: 1, address: "127.0.0.1", port: 1, isReused: false),
      request: head, requestBody: BodyCapture(limit: 0), responseBody: BodyCapture(limit: 0), marks: TimelineMarks(),
      timeline: Timeline())
  }
}

struct LatencyDistributionTests {
  @Test func percentilesAndBounds() throws {
    var latency = LatencyDistribution()
    for milliseconds in 1...100 { latency.record(microseconds: Int64(milliseconds) * 1_000) }
    #expect(latency.count == 100)
    #expect((49_000...51_000).contains(try #require(latency.percentile(50))))
    #expect(latency.count(upToMicroseconds: 999) == 0)
    #expect((24...26).contains(latency.count(upToMicroseconds: 25_000)))
    #expect(latency.totalMicroseconds == 5_050_000)
  }

  @Test func emptyHasNone() {
    #expect(LatencyDistribution().percentile(50) == nil)
    #expect(LatencyDistribution().count(upToMicroseconds: .max) == 0)
  }
}
