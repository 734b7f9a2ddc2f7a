import TapelineCore
import Testing

@testable import TapelineLive
@testable import TapelineRecorder

@Suite("Summary text")
struct SummaryTextTests {
  @Test("One line gives exchanges, failures, bytes, percentiles and file")
  func plain() {
    var summary = RecorderSummary()
    summary.exchanges = 12
    summary.failures = 1
    summary.bytesToServer = 3_277
    summary.bytesToClient = 1_468_006
    summary.p50Microseconds = 12_345
    summary.p95Microseconds = 88_100
    summary.files = ["a.har"]
    #expect(
      SummaryText.line(for: summary) == "12 exchanges, 1 failed, 3.2 KiB up, 1.4 MiB down, total p50 12.3ms p95 88.1ms, a.har")
  }

  @Test("A summary without exchanges has no percentiles")
  func empty() {
    var summary = RecorderSummary()
    summary.files = ["a.har"]
    #expect(SummaryText.line(for: summary) == "0 exchanges, 0 failed, 0 B up, 0 B down, a.har")
  }

  @Test("Unreadable tunnels are named; tunnels left alone on purpose are only counted")
  func tunnels() {
    var summary = RecorderSummary()
    summary.files = ["a.har"]
    let rest = "0 exchanges, 0 failed, 0 B up, 0 B down, "
    summary.unreadTunnels.count(.pinned, host: "api.example.com")
    #expect(SummaryText.line(for: summary) == rest + "1 tunnel not read: api.example.com (pinned), a.har")
    for host in ["b.example", "b.example", "c.example:8443", "d.example"] { summary.unreadTunnels.count(.h2Only, host: host) }
    summary.unreadTunnels.count(.passedThrough, host: "bank.example")
    summary.unreadTunnels.count(.notIntercepted, host: "e.example")
    summary.unreadTunnels.count(.notIntercepted, host: "f.example")
    #expect(
      SummaryText.line(for: summary) == rest
        + "5 tunnels not read: b.example (h2-only), api.example.com (pinned), c.example:8443 (h2-only), 1 more, "
        + "1 tunnel passed through, 2 tunnels, a.har")
  }

  @Test("The summary reports everything that is missing from the file")
  func missing() {
    var summary = RecorderSummary()
    summary.exchanges = 1
    summary.droppedBodies = 2
    summary.droppedRecords = 3
    summary.lostRecords = 4
    summary.waitedRecords = 5
    summary.files = ["a.har", "a-001.har"]
    #expect(
      SummaryText.line(for: summary)
        == "1 exchange, 0 failed, 0 B up, 0 B down, 2 without their bodies, 3 not recorded: queue full, "
        + "4 not recorded: writing failed, 5 waited for the recorder, a.har a-001.har")
  }
}
