import TapelineCore
import TapelineHAR
import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineRecorder

@Suite("TCP in an entry")
struct EntryWriterTCPTests {
  private static func sample(_ milliseconds: Int64, paused: Bool = false, _ change: (inout TCPTraffic) -> Void) -> TCPSample {
    var traffic = TCPTraffic()
    change(&traffic)
    return TCPSample(
      instant: ExampleExchange.anchor.instant.advanced(byNanoseconds: milliseconds * 1_000_000),
      statistics: TCPStatistics(
        rttMicroseconds: 512, rttVariationMicroseconds: 90, minimumRTTMicroseconds: 480, totalRetransmits: 1,
        congestionWindow: 10, deliveryRate: 1_000, traffic: traffic),
      isPaused: paused)
  }

  private static func history(_ samples: [TCPSample]) -> TCPHistory {
    var series = TCPSeries()
    for sample in samples.dropFirst().dropLast() { series.append(sample) }
    return TCPHistory(from: samples[0], series, to: samples[samples.count - 1])
  }

  /// The response came from 100 to 400 ms, and left from 110 to 420 ms.
  private static func record() throws -> ExchangeRecord {
    let marks = ExampleExchange.marks([
      (.requestFirstByte, 0), (.requestHeadEnd, 10), (.sentFirst, 1_000), (.sentLast, 1_000), (.responseFirstByte, 100_000),
      (.responseHeadEnd, 100_000), (.responseLastByte, 400_000), (.deliveredFirst, 110_000), (.deliveredLast, 420_000),
    ])
    return try ExampleExchange.make(marks: marks)
  }

  @Test("A long download: the series of both legs from the start of the entry, and the limit of each")
  func series() throws {
    var record = try Self.record()
    record.server?.tcpHistory = Self.history([
      Self.sample(1) { _ in }, Self.sample(100) { $0.bytesReceived = 1_000 },
      Self.sample(200, paused: true) { $0.bytesReceived = 5_000 }, Self.sample(400, paused: true) { $0.bytesReceived = 9_000 },
    ])
    record.client.note(
      Self.history([
        Self.sample(1) { _ in },
        Self.sample(210) {
          ($0.bytesAcknowledged, $0.busyMilliseconds, $0.windowLimitedMilliseconds, $0.inFlight) = (4_000, 100, 90, 77)
        },
        Self.sample(420) { ($0.bytesAcknowledged, $0.busyMilliseconds, $0.windowLimitedMilliseconds) = (9_000, 310, 300) },
      ]))
    let tcp = try #require(try entry(of: record).0.custom["_tcp"])
    let server = tcp["server"]
    #expect(server?["direction"] == "receiving" && server?["limitedBy"] == "receiver")
    #expect(server?["limits"]?["receiver"]?.double == 300)
    #expect(server?["series"]?.array?.map { $0["ts"] } == [100_000, 200_000, 400_000])
    #expect(server?["series"]?.array?.map { $0["received"] } == [1_000, 4_000, 4_000])
    #expect(server?["series"]?.array?.map { $0["limitedBy"] } == [nil, "receiver", "receiver"], "it had not begun")
    let client = tcp["client"]
    #expect(client?["rtt"]?.double == 0.512)
    #expect(client?["direction"] == "sending" && client?["limitedBy"] == "receiver")
    let first = try #require(client?["series"]?.array?.first)
    #expect(
      first == [
        "ts": 210_000, "rtt": .number(HARNumber(0.512)), "cwnd": 10, "inFlight": 77, "retransmits": 1, "sent": 4_000,
        "received": 0, "deliveryRate": 1_000, "limitedBy": "application",
      ])
  }

  @Test("A short transfer has a limit and no series; one that moved nothing has neither")
  func short() throws {
    var record = try Self.record()
    record.server?.tcpHistory = Self.history([
      Self.sample(1) { _ in },
      // The head of the request is longer than all that comes.
      Self.sample(400) { ($0.bytesReceived, $0.bytesAcknowledged) = (1, 500) },
    ])
    let server = try entry(of: record).0.custom["_tcp"]?["server"]
    #expect(server?["direction"] == "receiving" && server?["limitedBy"] == "application" && server?["series"] == nil)
    record.server?.tcpHistory = Self.history([Self.sample(1) { _ in }, Self.sample(1) { _ in }])
    let still = try entry(of: record).0.custom["_tcp"]?["server"]
    #expect(still?["limitedBy"] == nil && still?["limits"] == nil && still?["rtt"] != nil)
  }

  @Test("An upload that the kernel still sends after the last write is not over, and nothing more is missing")
  func upload() throws {
    var record = try Self.record()
    record.requestBody = ExampleExchange.body([UInt8](repeating: 0x61, count: 9_000))
    record.server?.tcpHistory = Self.history([
      Self.sample(1) { _ in },
      Self.sample(101) { ($0.bytesAcknowledged, $0.busyMilliseconds, $0.windowLimitedMilliseconds) = (9_000, 50, 50) },
    ])
    let server = try entry(of: record).0.custom["_tcp"]?["server"]
    #expect(server?["direction"] == "sending" && server?["limitedBy"] == "receiver")
    #expect(server?["limits"]?["application"] == nil)
  }
}
