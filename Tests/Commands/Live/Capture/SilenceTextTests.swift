internal import TapelineOffline
import TapelineLoop
import Testing

@testable import TapelineLive

@Suite("Silence text")
struct SilenceTextTests {
  private let nothing = Shortage(recorded: 0, filtered: 0, required: 1)

  private func report(_ bypasses: [Bypass], isComplete: Bool = false) -> BypassReport {
    var report = BypassReport()
    report.connections = bypasses.filter { $0.connections > 0 }
    report.suspects = bypasses.filter { $0.connections == 0 }
    report.isComplete = isComplete
    return report
  }

  private func lines(_ bypasses: [Bypass], _ shortage: Shortage? = nil, isComplete: Bool = false) -> [String] {
    SilenceText.lines(report(bypasses, isComplete: isComplete), shortage ?? nothing)
  }

  private func bypass(
    _ reason: Bypass.Reason?, seen: Bool = true, id: Int32 = 4711, program: String = "python3", connections: Int = 1
  ) throws -> Bypass {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 9751))
    return Bypass(
      program: program, id: id, destination: seen ? address : nil, reason: reason, connections: seen ? connections : 0)
  }

  @Test("A line names the process, its destination, the cause and the remedy")
  func causes() throws {
    #expect(
      lines([try bypass(nil)]) == [
        "nothing was recorded: python3 (4711) connected to 127.0.0.1:9751 by itself; the cause is unknown; if it speaks HTTP there, make it use the proxy that HTTP_PROXY names"
      ])
    #expect(
      lines([try bypass(.excepted(variable: "NO_PROXY", value: "localhost"))]) == [
        "nothing was recorded: python3 (4711) connected to 127.0.0.1:9751 by itself: its environment has NO_PROXY=localhost; leave NO_PROXY as tapeline sets it"
      ])
    #expect(
      lines([try bypass(.language(.go), seen: false)]) == [
        "nothing was recorded: python3 (4711): it is written in Go, which uses no proxy for this machine; use this machine's name, as hostname prints it, instead of localhost or 127.0.0.1, or run --all"
      ])
    #expect(
      lines([try bypass(.language(.ruby), connections: 2)])[0].hasPrefix(
        "nothing was recorded: python3 (4711) connected to 127.0.0.1:9751 by itself (2 times): it is written in Ruby, which"))
    #expect(
      lines([try bypass(nil, connections: 0)])[0].hasPrefix(
        "nothing was recorded: python3 (4711) tried to connect to 127.0.0.1:9751 by itself; the cause is unknown"))
  }

  @Test("Connections past the proxy are told with addresses and counts, with the cause if there is one, and can be a failure")
  func missed() throws {
    #expect(MissedText.line(for: report([])) == nil)
    #expect(MissedText.failure(for: report([try bypass(nil, connections: 0)])) == nil)
    #expect(
      MissedText.line(for: report([try bypass(nil, connections: 3), try bypass(.noProxyNamed, program: "curl")]))
        == "also connected by itself: python3 → 127.0.0.1:9751 (3), curl → 127.0.0.1:9751 (1); run --all records such connections too"
    )
    #expect(
      MissedText.line(for: report([try bypass(.noProxyNamed, connections: 2)]))
        == "also connected by itself: python3 → 127.0.0.1:9751 (2): its environment does not name the proxy; run --all records such connections too"
    )
    let many = try (1...7).map { try bypass(nil, program: "p\($0)") }
    #expect(MissedText.line(for: report(many))?.contains("p5 → 127.0.0.1:9751 (1), 2 more like these;") == true)
    var doubtful = report([])
    #expect(MissedText.doubtfulLine(for: doubtful) == nil)
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 9751))
    doubtful.unattributed = [BypassReport.Unattributed(destination: address, connections: 3)]
    #expect(MissedText.line(for: doubtful) == nil && MissedText.failure(for: doubtful) == nil)
    #expect(
      MissedText.doubtfulLine(for: doubtful)
        == "the command, or another program in the same moment, also connected to 127.0.0.1:9751 (3), too briefly to be seen; "
        + "--require-all tells for certain, run --all records such connections")
    let failure = MissedText.failure(for: report(many))
    #expect(failure?.status == .conditionFailed)
    #expect(
      failure?.description
        == "run: 7 connections went past the proxy, and --require-all permits none; record them with --all, or leave --require-all out"
    )
  }

  @Test("The text reports a missing cause, names --filter as a cause, and counts surplus lines")
  func others() throws {
    #expect(lines([]).count == 1)
    #expect(lines([])[0].contains("nothing came to the proxy, and the command was not seen to connect to anything by itself"))
    #expect(lines([], isComplete: true)[0].contains("and the command connected to nothing by itself"))
    #expect(
      lines([], Shortage(recorded: 0, filtered: 2, required: 1)) == [
        "nothing was recorded: --filter has left out 2 exchanges; check the filter"
      ])
    let many = lines(try (1...5).map { try bypass(nil, id: $0) })
    #expect(many.count == 4)
    #expect(many.last == "nothing was recorded: 2 more like these")
  }

  @Test("Fewer exchanges than required fail with status 1, and the message says how to allow that")
  func shortage() {
    #expect(Shortage(recorded: 0, filtered: 0, required: 0).failure == nil)
    #expect(Shortage(recorded: 2, filtered: 0, required: 2).failure == nil)
    #expect(nothing.failure?.status == .conditionFailed)
    #expect(nothing.failure?.description == "run: 0 exchanges were recorded, and 1 is required; --require 0 permits that")
    #expect(
      Shortage(recorded: 1, filtered: 3, required: 2).failure?.description
        == "run: 1 exchange was recorded (3 left out by --filter), and 2 are required; see --require")
  }
}
