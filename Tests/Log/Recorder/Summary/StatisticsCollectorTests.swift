import TapelineCore
import Testing

@testable import TapelineRecorder

struct StatisticsCollectorTests {
  @Test func countsEverything() throws {
    var statistics = StatisticsCollector(board: TrafficBoard())
    for microseconds in 1...100 {
      statistics.count(ExchangeCounts(try ExampleExchange.make(), totalMicroseconds: Int64(microseconds) * 1_000))
    }
    statistics.count(ExchangeCounts(try ExampleExchange.refused(), totalMicroseconds: 1))
    statistics.count(ExchangeCounts(try ExampleExchange.tunnel(), totalMicroseconds: 10_000_000))
    statistics.count(droppedBodies: 2, droppedRecords: 3)
    let summary = statistics.summary(files: ["a", "b"], lostRecords: 4, writeError: .finished)
    #expect(summary.exchanges == 102)
    #expect(summary.failures == 1)
    #expect(summary.bytesToClient == 500 + 56_789)
    #expect(summary.bytesToServer == 1_234)
    #expect(summary.droppedBodies == 2)
    #expect(summary.droppedRecords == 3)
    #expect(summary.lostRecords == 4)
    #expect(summary.files == ["a", "b"])
    #expect(summary.writeError == .finished)
    // Two significant digits; the tunnel is no exchange.
    let p50 = try #require(summary.p50Microseconds)
    #expect((49_000...51_000).contains(p50))
    let p95 = try #require(summary.p95Microseconds)
    #expect((93_000...97_000).contains(p95))
  }

  @Test func nothingHasNoPercentiles() {
    let summary = StatisticsCollector(board: TrafficBoard()).summary(files: [], lostRecords: 0, writeError: nil)
    #expect(summary == RecorderSummary())
  }

  @Test func whatWasRelayedCounts() throws {
    let statistics = StatisticsCollector(board: TrafficBoard())
    var record = try ExampleExchange.make(responseBody: ExampleExchange.body(""))
    var relayed = RelayedBytes()
    relayed.toServer = 3
    relayed.toClient = 4
    record.relayed = relayed
    statistics.count(ExchangeCounts(record, totalMicroseconds: 1))
    let summary = statistics.counts(files: [], lostRecords: 0, writeError: nil)
    #expect(summary.bytesToServer == 3)
    #expect(summary.bytesToClient == 4)
  }
}
