import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineRecorder

struct EntryWriterMeasurementsTests {
  @Test func chunksAreTimedFromTheStart() throws {
    var record = try ExampleExchange.make()
    let start = ExampleExchange.anchor.instant
    record.arrivals.append(start.advanced(byNanoseconds: 3_050_999), 100)
    record.arrivals.append(start.advanced(byNanoseconds: 4_050_000), 20)
    let text = try #require(try entry(of: record).0.custom["_chunks"]?.string)
    #expect(ArrivalText(text)?.numbers == [3_050, 100, 1_000, 20])
  }

  @Test func bothConnectionsAreMeasured() throws {
    var record = try ExampleExchange.make()
    let tcp = try #require(record.server?.tcp)
    record.client.tcp = tcp
    #expect(try entry(of: record).0.custom["_tcp"]?["client"]?["rtt"]?.double == 0.512)
    record.server?.tcp = nil
    #expect(try entry(of: record).0.custom["_tcp"]?["server"] == nil)
    record.client.tcp = nil
    #expect(try entry(of: record).0.custom["_tcp"] == nil)
  }

  @Test func overheadIsWhatResolvingAndConnectingDoNotExplain() throws {
    let reused = ExampleExchange.marks([
      (.requestFirstByte, 0), (.requestHeadEnd, 10), (.sentFirst, 45), (.sentLast, 50), (.responseFirstByte, 100),
      (.responseLastByte, 200), (.deliveredFirst, 130),
    ])
    let overhead = try entry(of: ExampleExchange.make(marks: reused)).0.custom["_overhead"]
    #expect(overhead?["request"]?.double == 0.035)
    #expect(overhead?["response"]?.double == 0.030)
    #expect(try entry(of: ExampleExchange.refused()).0.custom["_overhead"] == nil)
  }

  @Test func theClockOfTheMarksIsTold() throws {
    func clock(_ marks: [(TimelineMark, MonotonicInstant.Clock)]) throws -> HARValue? {
      var stamped = TimelineMarks()
      for (mark, clock) in marks { stamped.stamp(mark, at: MonotonicInstant(nanoseconds: 1_000, clock: clock)) }
      return try entry(of: ExampleExchange.make(marks: stamped)).0.custom["_clock"]
    }
    #expect(try clock([(.requestFirstByte, .wire), (.sentFirst, .loop), (.responseLastByte, .wire)])?.string == "wire")
    #expect(try clock([(.requestFirstByte, .loop), (.responseLastByte, .loop)])?.string == "loop")
    let mixed = try clock([(.requestFirstByte, .loop), (.responseFirstByte, .wire), (.responseLastByte, .loop)])
    #expect(mixed == ["loop": ["requestFirstByte", "responseLastByte"]])
    #expect(try clock([(.accepted, .loop)]) == nil, "no bytes came")
  }

  @Test func theWaitForTheRecorderIsOverhead() throws {
    let start = ExampleExchange.anchor.instant
    var record = try ExampleExchange.make()
    record.recorderWait = ExchangeRecord.RecorderWait(from: start)
    record.recorderWait?.end(at: start.advanced(byNanoseconds: 2_000_500_000))
    record.recorderWait?.end(at: start.advanced(byNanoseconds: 9_000_500_000))
    #expect(try entry(of: record).0.custom["_overhead"]?["recorder"]?.double == 2_000.5)
    #expect(try entry(of: ExampleExchange.make()).0.custom["_overhead"]?["recorder"] == nil)
    record.recorderWait = ExchangeRecord.RecorderWait(from: start)
    record.inFlightAt = start.advanced(byNanoseconds: 1_000_000)
    #expect(try entry(of: record).0.custom["_overhead"]?["recorder"]?.double == 1, "it waits still")
  }

  @Test func whatRulesDidIsListed() throws {
    let start = ExampleExchange.anchor.instant
    var record = try ExampleExchange.make()
    #expect(try entry(of: record).0.custom["_injected"] == nil)
    record.injections = [
      ExchangeRecord.Injection(
        query: "path == \"/a\"", action: "delay 200ms", instant: start.advanced(byNanoseconds: 3_050_999),
        nanoseconds: 200_100_000),
      ExchangeRecord.Injection(
        query: "*", action: "set request X-A", field: HeaderField(name: "X-A", value: "b"), instant: start),
      ExchangeRecord.Injection(
        query: "*", action: "set request Authorization",
        field: HeaderField(name: "Authorization", value: "Bearer plover-egg-1234567890"), instant: start),
    ]
    let (written, text) = try entry(of: record, redacts: true)
    let first = written.custom["_injected"]?.array?.first
    #expect(first?["rule"]?.string == "path == \"/a\"" && first?["action"]?.string == "delay 200ms")
    #expect(first?["at"]?.integer == 3_050 && first?["ms"]?.double == 200.1)
    #expect(written.custom["_injected"]?.array?[1]["action"]?.string == "set request X-A: b")
    #expect(!text.contains("plover-egg"), "a value is redacted as that of such a field")
  }

  @Test func theWaitForTheLoopIsOverhead() throws {
    var marks = ExampleExchange.marks([(.requestFirstByte, 0), (.requestHeadEnd, 10)])
    marks.noteQueue(from: MonotonicInstant(nanoseconds: 5_000, clock: .wire), to: MonotonicInstant(nanoseconds: 20_005_400))
    #expect(try entry(of: ExampleExchange.make(marks: marks)).0.custom["_overhead"]?["queue"]?.double == 20)
  }

  @Test func aZoneIsNoPartOfAnAddress() throws {
    var record = try ExampleExchange.make()
    record.server = ExchangeRecord.Peer(connectionID: 1, address: "fe80::1%eth0", port: 8_080, isReused: true)
    let (entry, _) = try entry(of: record)
    #expect(entry.serverIPAddress == "fe80::1")
    #expect(entry.connection == "8080")
  }

  @Test("An upstream proxy is named, with what its tunnel took in the exchange that paid for it")
  func upstreamProxy() throws {
    var record = try ExampleExchange.make()
    #expect(try entry(of: record).0.custom["_upstreamProxy"] == nil)
    record.server = ExchangeRecord.Peer(
      connectionID: 1, address: "10.0.0.1", port: 3_128, isReused: false, proxy: "proxy.example:3128")
    #expect(try entry(of: record).0.custom["_upstreamProxy"] == ["address": "proxy.example:3128"])
    record.marks = ExampleExchange.marks([
      (.requestHeadEnd, 10), (.connectStart, 12), (.connectEnd, 20), (.proxyConnectStart, 21), (.proxyConnectEnd, 75),
      (.sentFirst, 80),
    ])
    let (entry, _) = try entry(of: record)
    #expect(entry.custom["_upstreamProxy"]?["tunnelTime"]?.double == 0.054)
    #expect(entry.timings.connect == 0.062)
    #expect(entry.serverIPAddress == "10.0.0.1")
  }
}
