import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Assertion: judging")
struct AssertionCheckTests {
  /// Ten exchanges that waited 10, 20 … 100 ms, the last three with status 503, the even ones of another host.
  private static let entries: [HAREntry] = (1...10).map { index in
    var entry = HAREntry.ordinary()
    entry.request.url = "http://\(index.isMultiple(of: 2) ? "even" : "odd").test/orders/\(index)"
    entry.timings.wait = Double(index * 10)
    entry.time = Double(index * 10 + 5)
    entry.response.status = index > 7 ? 503 : 200
    entry.response.bodySize = index * 100
    return entry
  }

  private static func result(
    _ rule: String, of entries: [HAREntry] = entries, baseline: [HAREntry] = [], naming limit: Int = 2
  ) throws -> AssertionResult {
    let assertion = try Assertion(rule)
    var facts = AssertionBaseline(for: assertion)
    for (index, entry) in baseline.enumerated() { facts.add(entry, number: index + 1) }
    var check = AssertionCheck(assertion, baseline: facts, naming: limit)
    for (index, entry) in entries.enumerated() { check.add(entry, number: index + 1) }
    return check.result
  }

  @Test(
    "What holds",
    arguments: [
      ("p50(wait) <= 50ms", "measured 50ms over 10 exchanges"), ("p95(wait) == 100ms", "measured 100ms over 10 exchanges"),
      (#"p90(wait, host == "odd.test") <= 90"#, "measured 90ms over 5 exchanges"),
      ("max(total) < 0.2s", "measured 105ms over 10 exchanges"), ("min(wait) >= 10ms", "measured 10ms over 10 exchanges"),
      ("mean(wait) == 55ms", "measured 55ms over 10 exchanges"), ("sum(resp.size) <= 5500B", "measured 5500 B over 10 exchanges"),
      ("count() == 10", "10 exchanges"), ("count(status == 503) != 4", "3 of 10 exchanges"),
      ("ratio(status == 503) <= 30%", "30 % of 10 exchanges"),
      ("ratio(status == 503 of wait > 70ms) == 100%", "100 % of 3 exchanges"),
      ("all(wait > 5ms)", "all of 10 exchanges do"), ("any(status == 503)", "3 of 10 exchanges do"),
      ("any(wait == 10)", "1 of 10 exchanges does"), ("none(error)", "none of 10 exchanges does"),
    ])
  func holds(rule: String, message: String) throws {
    let result = try Self.result(rule)
    #expect(result.outcome == .passed)
    #expect(result.message == message)
    #expect(result.offenders.isEmpty)
  }

  @Test(
    "What does not, by how much, and because of which exchanges",
    arguments: [
      ("p50(wait) < 40ms", "measured 50ms over 10 exchanges: 10ms (25 %) too much", [10, 9], 7),
      ("min(wait) > 30ms", "measured 10ms over 10 exchanges: 20ms (67 %) too little", [1, 2], 3),
      ("mean(wait) < 50ms", "measured 55ms over 10 exchanges: 5ms (10 %) too much", [10, 9], 6),
      ("sum(resp.size) <= 5kB", "measured 5500 B over 10 exchanges: 500 B (10 %) too much", [10, 9], 10),
      ("count(status == 503) == 0", "3 of 10 exchanges: 3 too many", [8, 9], 3),
      ("count(status == 503) > 3", "3 of 10 exchanges: exactly the bound", [], 0),
      ("count() >= 12", "10 exchanges: 2 too few", [], 0),
      ("ratio(status == 503) < 5%", "30 % of 10 exchanges: 25 points too much", [8, 9], 3),
      ("ratio(status == 200) > 80%", "70 % of 10 exchanges: 10 points too little", [8, 9], 3),
      ("all(status == 200)", "3 of 10 exchanges do not", [8, 9], 3), ("none(status == 503)", "3 of 10 exchanges do", [8, 9], 3),
      ("any(error)", "none of 10 exchanges does", [], 0),
    ])
  func fails(rule: String, message: String, offenders: [Int], count: Int) throws {
    let result = try Self.result(rule)
    #expect(result.outcome == .failed)
    #expect(result.message == message)
    #expect(result.offenders.map(\.number) == offenders)
    #expect(result.offenderCount == count)
  }

  @Test("An offender is named with what the rule looks at")
  func facts() throws {
    let wait = try #require(try Self.result("p95(wait) < 20ms").offenders.first)
    #expect(wait.method == "GET")
    #expect(wait.url == "http://even.test/orders/10")
    #expect(wait.facts == [Offender.Fact(name: "wait", text: "100ms")])
    let count = try #require(
      try Self.result(#"count(status >= 500 and host ~ "t" and req.header["Accept"]) == 0"#).offenders.first)
    #expect(
      count.facts == [Offender.Fact(name: "status", text: "503"), Offender.Fact(name: "req.header[\"Accept\"]", text: "*/*")])
  }

  @Test(
    "Rules about nothing fail, unless they may",
    arguments: [
      (#"p95(wait, host == "x") < 1ms"#, #"p95(wait, host == "x")? < 1ms"#), ("mean(dns) < 1ms", "mean(dns)? < 1ms"),
      (#"ratio(error of host == "x") < 1%"#, #"ratio(error of host == "x")? < 1%"#),
      (#"all(error, host == "x")"#, #"all(error, host == "x")?"#), (#"none(error, host == "x")"#, #"none(error, host == "x")?"#),
      (#"new hosts(host == "x") <= b.har"#, #"new hosts(host == "x")? <= b.har"#), ("p95(wait) <= b.har", "p95(wait)? <= b.har"),
    ])
  func nothing(strict: String, permissive: String) throws {
    var entries = Self.entries
    for index in entries.indices { entries[index].timings.dns = -1 }
    let failed = try Self.result(strict, of: entries)
    #expect(failed.outcome == .failed)
    #expect(failed.message.contains("no exchange"))
    #expect(failed.message.hasSuffix("a ? after the ) permits that"))
    #expect(try Self.result(permissive, of: entries).outcome == .skipped)
  }

  @Test("A count of nothing is a number")
  func countOfNothing() throws {
    #expect(try Self.result("count(error) == 0", of: []).outcome == .passed)
    #expect(try Self.result("count() > 0", of: []).message == "0 exchanges: exactly the bound")
  }

  @Test("Compared with a baseline")
  func baseline() throws {
    let kept = try Self.result("p50(wait) <= 110% of b.har", baseline: Self.entries)
    #expect(kept.outcome == .passed)
    #expect(kept.message == "measured 50ms over 10 exchanges; b.har has 50ms, which permits 55ms")
    #expect(kept.bound.map { abs($0 - 55) < 1e-9 } == true)
    let broken = try Self.result("mean(wait) <= b.har", baseline: Array(Self.entries.prefix(3)))
    #expect(broken.outcome == .failed)
    #expect(broken.message == "measured 55ms over 10 exchanges: 35ms (175 %) too much; b.har has 20ms")
    #expect(broken.offenders.map(\.number) == [10, 9])
  }

  @Test("Nothing that the baseline did not have")
  func novelty() throws {
    let odd = Self.entries.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    let hosts = try Self.result("new hosts <= b.har", baseline: odd)
    #expect(hosts.outcome == .failed)
    #expect(hosts.message == "1 host that b.har does not have")
    #expect(hosts.offenders.map(\.number) == [2])
    #expect(hosts.offenders.first?.facts == [Offender.Fact(name: "new host", text: "even.test")])
    #expect(try Self.result("new hosts <= b.har", baseline: Self.entries).outcome == .passed)
    #expect(try Self.result(#"new hosts(host == "odd.test") <= b.har"#, baseline: odd).outcome == .passed)
    #expect(try Self.result("new status <= b.har", baseline: Array(odd.prefix(2))).message == "1 status that b.har does not have")
    #expect(
      try Self.result("new paths <= b.har", baseline: Array(Self.entries.prefix(2))).outcome == .passed, "numbers are folded")
    #expect(
      try Self.result("new errors <= b.har", of: [.refused()], baseline: odd).offenders.first?.facts.first?.text
        == "upstream refused in connect")
  }

  @Test("How long a tunnel was open is no time; it is an exchange otherwise")
  func tunnels() throws {
    var tunnel = HAREntry.tunnel()
    tunnel.time = 1e6
    tunnel.timings.wait = 1e6
    let entries = Self.entries + [tunnel]
    #expect(try Self.result("max(total) < 1s", of: entries).outcome == .passed)
    #expect(try Self.result("count() == 11", of: entries).outcome == .passed)
    #expect(try Self.result("new hosts <= b.har", of: entries, baseline: Self.entries).offenders.map(\.number) == [11])
  }

  @Test("Nonsense of foreign logs is not measured: the phases are")
  func nonsense() throws {
    var entry = HAREntry.ordinary()
    entry.time = .infinity
    #expect(try Self.result("max(total)? < 1s", of: [entry]).outcome == .passed)
  }
}
