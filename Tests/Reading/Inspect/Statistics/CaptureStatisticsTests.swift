import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Capture statistics")
struct CaptureStatisticsTests {
  /// 100 exchanges of 1 to 100 ms, every tenth to another host, the last one refused; and a tunnel.
  private static func statistics(by grouping: StatisticsGrouping) -> CaptureStatistics {
    var statistics = CaptureStatistics(by: [grouping], slowest: 3)
    for number in 1...100 {
      var entry = number == 100 ? HAREntry.refused() : .ordinary()
      if number % 10 == 0 { entry.request.url = "https://other.example/p?\(number)" }
      entry.time = Double(number)
      entry.timings = HARTimings(
        blocked: 0, dns: -1, connect: number <= 5 || number == 100 ? 0.5 : -1, send: 0, wait: Double(number) - 0.5, receive: 0,
        ssl: -1)
      entry.custom["_overhead"] = ["request": 1, "response": 2]
      statistics.add(entry, number: number)
    }
    var tunnel = HAREntry.tunnel()
    tunnel.time = 1e6
    tunnel.custom["_tunnel"] = ["toServer": 1, "toClient": 2]
    statistics.add(tunnel, number: 101)
    return statistics
  }

  @Test("Counts and percentiles")
  func figures() throws {
    let statistics = Self.statistics(by: .host)
    #expect(statistics.all.exchanges == 100)
    #expect(statistics.all.failures == 1)
    #expect(statistics.tunnels == 1)
    #expect(statistics.newConnections == 6)
    #expect(statistics.reusedConnections == 94)
    #expect(statistics.all.total.maximum == 99, "a refused connection is no answer")
    for (percent, expected) in [(50.0, 50.0), (95, 95), (99, 99)] {
      let value = try #require(statistics.all.total.percentile(percent))
      #expect(abs(value - expected) <= expected / 100)
    }
    #expect(statistics[.dns].count == 0)
    #expect(statistics[.connect].count == 5)
    #expect(statistics[.wait].count == 99)
    #expect(statistics.overheadOnResponses.percentile(50).map { abs($0 - 2) < 0.02 } == true)
    let failure = try #require(statistics.rankedFailures.first)
    #expect(failure.failure.description == "upstream refused in connect")
    #expect(failure.occurrences.count == 1)
    #expect(failure.occurrences.first.number == 100)
    #expect(statistics.rankedErrorStatuses.isEmpty)
  }

  @Test("The parts that the statistics name are enough for them", arguments: StatisticsGrouping.named)
  func parts(grouping: StatisticsGrouping) throws {
    var traced = HAREntry.ordinary()
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    traced.request.headers.append(HARHeader(name: "traceparent", value: parent))
    traced.custom["_connectionId"] = "7"
    traced.custom["_overhead"] = ["request": 1, "response": 2, "queue": ["request": 3]]
    traced.custom["_tcp"] = ["server": ["rtt": 1]]
    var tunnel = HAREntry.tunnel()
    tunnel.custom["_tunnel"] = ["toServer": 1, "toClient": 2]
    let entries = [traced, .ordinary(), .refused(), .afterSlowClient(), .ended(), .inFlight(), tunnel]
    let written = entries.map(\.json)
    func count(_ parts: HAREntryParts) throws -> CaptureStatistics {
      var statistics = CaptureStatistics(by: [grouping], slowest: 3)
      for (number, bytes) in written.enumerated() {
        statistics.add(try HAREntry(json: bytes.span, parts: parts), number: number + 1)
      }
      return statistics
    }
    let all = try count(.all)
    let few = try count(CaptureStatistics.parts([grouping]))
    #expect(all.rankedGroups.map(\.name) == few.rankedGroups.map(\.name))
    #expect(all.rankedGroups.map(\.statistics.exchanges) == few.rankedGroups.map(\.statistics.exchanges))
    #expect(all.all.failures == 1 && few.all.failures == 1)
    #expect(all.all.ended == few.all.ended)
    #expect(all.all.total.sum == few.all.total.sum)
    #expect(all.tunnels == 1 && few.tunnels == 1)
    #expect(all.failures == few.failures)
    #expect(all.overheadOnRequests.sum == 1 && few.overheadOnRequests.sum == 1)
    #expect(all.overheadOnResponses.sum == 2 && few.overheadOnResponses.sum == 2)
    for phase in Phase.allCases { #expect(all[phase].sum == few[phase].sum) }
  }

  @Test(
    "Figures give the statistics that whole entries give",
    arguments: [[.host], [.path], [.status], [.method], [.method, .host]] as [[StatisticsGrouping]])
  func countedByFigures(groupings: [StatisticsGrouping]) throws {
    var missing = HAREntry.ordinary()
    (missing.response.status, missing.response.statusText) = (404, "Not Found")
    missing.custom["_overhead"] = ["request": 1, "response": 2]
    var tunnel = HAREntry.tunnel()
    tunnel.custom["_tunnel"] = ["toServer": 1, "toClient": 2]
    let entries = [missing, .refused(), .ordinary(), .afterSlowClient(), .ended(), .inFlight(), tunnel, .ordinary()]
    var log = Array(#"{"log":{"version":"1.2","entries":["#.utf8)
    log += entries.map(\.json).joined(separator: Array(",".utf8))
    log += Array("]}}".utf8)
    let file = try TemporaryFile(log)
    var capture = try Capture(path: file.path, parts: CaptureStatistics.parts(groupings))
    var (byFigures, byEntries) = (CaptureStatistics(by: groupings), CaptureStatistics(by: groupings))
    var ordinary = 0
    for (index, whole) in entries.enumerated() {
      byEntries.add(whole, number: index + 1)
      if index > 0, let figures = try capture.nextFigures() {
        byFigures.add(figures, number: index + 1)
        ordinary += 1
      } else {
        byFigures.add(try #require(try capture.next()), number: index + 1)
      }
    }
    #expect(byFigures.needsOnlyFigures && ordinary == 4)
    #expect(byFigures.json == byEntries.json)
  }

  @Test("Answers from 400 on are counted by status, with the first of each")
  func errorStatuses() {
    var statistics = CaptureStatistics(by: [.host])
    for (number, status) in [(1, 200), (2, 404), (3, 500), (4, 404), (5, 399)] {
      var entry = HAREntry.ordinary()
      entry.response.status = status
      entry.response.statusText = status == 404 ? "Not Found" : ""
      statistics.add(entry, number: number)
    }
    #expect(statistics.rankedErrorStatuses.map(\.failure.description) == ["404 Not Found", "500"])
    #expect(statistics.rankedErrorStatuses.map(\.occurrences.count) == [2, 1])
    #expect(statistics.rankedErrorStatuses.map(\.occurrences.first.number) == [2, 3])
    #expect(statistics.failures.isEmpty)
  }

  @Test("Groups, those that took most of the time first")
  func groups() throws {
    let hosts = Self.statistics(by: .host).rankedGroups
    #expect(hosts.map(\.name) == ["example.com", "other.example"])
    #expect(hosts.map(\.statistics.exchanges) == [90, 10])
    #expect(hosts[1].statistics.failures == 1)
    #expect(Self.statistics(by: .status).rankedGroups.map(\.name) == ["200", "none"])
    #expect(Self.statistics(by: .path).rankedGroups.map(\.name) == ["example.com/a", "other.example/p"])
    #expect(Self.statistics(by: .method).rankedGroups.map(\.name) == ["GET"])
    #expect(Self.statistics(by: .page).rankedGroups.map(\.name) == ["page_1"])
  }

  @Test("The slowest exchanges, and where their time went")
  func slowest() {
    let slowest = Self.statistics(by: .host).slowest.exchanges
    #expect(slowest.map(\.place.number) == [100, 99, 98])
    #expect(slowest.map(\.longest) == [.wait, .wait, .wait])
  }

  @Test("Servers are ranked, not what clients did before; what a client ended is no failure")
  func clients() throws {
    var statistics = CaptureStatistics(by: [.host], slowest: 2)
    statistics.add(.afterSlowClient(), number: 1)
    statistics.add(.ended(), number: 2)
    var slower = HAREntry.ordinary()
    (slower.time, slower.timings) = (30, HARTimings(send: 0, wait: 30, receive: 0))
    statistics.add(slower, number: 3)
    #expect(statistics.slowest.exchanges.map(\.place.number) == [3, 1])
    #expect(statistics.slowest.exchanges.map(\.total) == [30, 22.456])
    #expect(statistics.slowest.exchanges.map(\.longest) == [.wait, .ssl], "not the client's part, which the total has not")
    #expect(statistics.all.failures == 0 && statistics.all.ended == 1 && statistics.failures.isEmpty)
    #expect(statistics[.client].count == 1 && statistics[.client].maximum == 100 && statistics.all.total.maximum == 30)
    #expect(statistics.json["ended"]?.integer == 1)
    let lines = StatisticsText(statistics, groupCount: 1, width: 80, palette: Palette(isColored: false)).lines
    #expect(lines.first?.hasPrefix("3 exchanges, 0 failed, 1 ended by the client, ") == true)
    let client = try #require(lines.first { $0.hasPrefix("client ") })
    #expect(client.hasSuffix(" 100ms       -"), "\(client)")
  }

  private static func many(_ grouping: String) throws -> CaptureStatistics {
    var statistics = CaptureStatistics(by: try StatisticsGrouping.list(grouping))
    for number in 1...5_000 {
      var entry = HAREntry.ordinary()
      let isLarge = number > 4_000 && number.isMultiple(of: 100)
      entry.request.url = isLarge ? "http://h/large/one" : "http://h:81/things/\(number)"
      entry.time = isLarge ? 50 : 1
      statistics.add(entry, number: number)
    }
    return statistics
  }

  @Test("The largest of many groups is exact, also if it comes late")
  func manyGroups() throws {
    let statistics = try Self.many("url")
    let largest = try #require(statistics.rankedGroups.first)
    #expect(largest.name == "http://h/large/one")
    #expect(largest.statistics.exchanges == 10 && largest.statistics.total.sum == 500)
    #expect(largest.statistics.total.percentile(99) == 50)
    #expect(statistics.rankedGroups.count == 4_991 && statistics.others == nil)
    let groups = try #require(statistics.json["groups"]?.array)
    #expect(groups.count == 1_000 && statistics.json["otherGroups"]?["exchanges"]?.integer == 3_991)
  }

  @Test("By path, numbers, UUIDs and hashes are folded as diff folds them, and the port tells servers apart")
  func templates() throws {
    #expect(try Self.many("path").rankedGroups.map(\.name) == ["h:81/things/{id}", "h/large/one"])
  }

  @Test("If groups are given up for room, the largest stay, and lack no more than it says")
  func room() throws {
    var table = GroupTable(limit: 100)
    func add(_ key: String, _ time: Double) {
      var entry = HAREntry.ordinary()
      entry.time = time
      table.makeRoom()
      table.add(CountedEntry(entry), isTimed: true, waited: nil, at: table.place(of: [key]))
    }
    for number in 1...5_000 {
      add("\(number)", 1)
      if number.isMultiple(of: 50) { add("large", 7) }
    }
    let largest = try #require(table.ranked.first)
    #expect(largest.name == "large")
    #expect(largest.statistics.total.sum >= 700 - table.missing)
    #expect(table.missing > 0 && table.missing < 20)
    #expect(table.ranked.reduce(table.others?.exchanges ?? 0) { $0 + $1.statistics.exchanges } == 5_100)
  }

  @Test("What may be a group, and what may not")
  func groupings() throws {
    #expect(try StatisticsGrouping.list("host,page") == [.host, .page])
    #expect(
      try StatisticsGrouping.list(#"origin,req.header["x"],tls.version"#).map(\.name) == [
        "origin", #"req.header["x"]"#, "tls.version",
      ])
    #expect(#expect(throws: QueryError.self) { try StatisticsGrouping.list("host,hots") }?.column == 6)
    #expect(throws: QueryError.self) { try StatisticsGrouping.list("host,host") }
    #expect(throws: QueryError.self) { try StatisticsGrouping.list("host,page,status,method,trace") }
  }

  @Test("Nonsense of foreign logs is no duration")
  func nonsense() {
    var distribution = Distribution()
    for value in [-1, Double.infinity, Double.nan, -Double.infinity] { distribution.add(value) }
    #expect(distribution.count == 0)
    #expect(distribution.percentile(50) == nil)
    distribution.add(1e300)
    #expect(distribution.maximum == 86_400_000)
  }

  @Test("As text, at 80 columns")
  func text() {
    let text = StatisticsText(
      Self.statistics(by: .host), groupCount: 1, width: 80, palette: Palette(isColored: false))
    #expect(
      text.lines.joined(separator: "\n") == """
        100 exchanges, 1 failed, 1 tunnel, 0 B up, 495 B down, 6 new and 94 reused
        connections

        phase             count     p50     p90     p95     p99     max   share
        blocked              99  0.00ms  0.00ms  0.00ms  0.00ms  0.00ms    0.0%
        connect               5  0.50ms  0.50ms  0.50ms  0.50ms  0.50ms    0.1%
        send                 99  0.00ms  0.00ms  0.00ms  0.00ms  0.00ms    0.0%
        wait                 99  49.7ms  89.6ms  94.7ms  98.5ms  98.5ms   99.0%
        receive              99  0.00ms  0.00ms  0.00ms  0.00ms  0.00ms    0.0%
        total                99  50.2ms  90.1ms  95.2ms  99.0ms  99.0ms  100.0%
        proxy, request      100  1.00ms  1.00ms  1.00ms  1.00ms  1.00ms       -
        proxy, response     100  2.00ms  2.00ms  2.00ms  2.00ms  2.00ms       -

        host          count  failed    recv  wait p50     p50     p95     p99   share
        example.com      90       0     450    48.6ms  49.2ms  95.2ms  99.0ms   90.9%
        … and 10 exchanges in others; see --top

        slowest
          #100   100ms  wait 99.5ms     ERR GET https://other.example/p?100
           #99  99.0ms  wait 98.5ms     200 GET http://example.com/a?b=1
           #98  98.0ms  wait 97.5ms     200 GET http://example.com/a?b=1

        errors  first
             1   #100  upstream refused in connect
        """)
  }

  @Test("As JSON")
  func json() {
    let json = Self.statistics(by: .host).json
    #expect(json["exchanges"]?.integer == 100)
    #expect(json["phases"]?["wait"]?["count"]?.integer == 99)
    #expect(json["phases"]?["dns"] == nil)
    #expect(json["groups"]?.array?.count == 2)
    #expect(json["slowest"]?.array?.first?["number"]?.integer == 100)
    #expect(json["failuresByKind"]?.array?.first?["count"]?.integer == 1)
    #expect(json["failuresByKind"]?.array?.first?["first"]?.integer == 100)
    #expect(json["errorStatuses"]?.array?.isEmpty == true)
  }

  @Test("Groups by version, whatever its spelling, and by connection")
  func versions() {
    func groups(by grouping: StatisticsGrouping) -> [String: Int] {
      var statistics = CaptureStatistics(by: [grouping])
      for (number, version) in ["h2", "HTTP/2", "http/1.1", "", "unknown"].enumerated() {
        var entry = HAREntry.ordinary()
        entry.request.httpVersion = ""
        entry.response.httpVersion = version
        if number < 3 { entry.custom["_connectionId"] = .string(String(number / 2 + 4)) }
        if number == 4 { entry.connection = nil }
        statistics.add(entry, number: number + 1)
      }
      return Dictionary(uniqueKeysWithValues: statistics.rankedGroups.map { ($0.name, $0.statistics.exchanges) })
    }
    #expect(groups(by: .version) == ["HTTP/2": 2, "HTTP/1.1": 1, "unknown": 2])
    #expect(groups(by: .connection) == ["4 192.0.2.1": 2, "5 192.0.2.1": 1, "192.0.2.1 80": 1, "none": 1])
  }
}
