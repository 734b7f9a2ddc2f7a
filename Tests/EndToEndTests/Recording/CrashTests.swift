import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The log on the disk parses at every moment, so also after a death that nobody could prepare for.
  @Suite struct Crashes {
    @Test(arguments: 0..<5) func aKilledProxyLeavesAWholeLog(_ round: Int) throws {
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: patternedBytes(2000))])
      ])
      let proxy = try TapelineProcess()
      let load = try TestProcess(
        "curl",
        [
          "-s", "--proxy", proxy.url, "--noproxy", "", "--parallel", "--parallel-max", "8", "-o", "/dev/null",
          "\(origin.url())[1-100000]",
        ])
      // Killed at another point of the load in each round.
      _ = try origin.waitForRequests(200 + 73 * round)
      proxy.process.signal(9)
      #expect(try proxy.process.wait() == .killed(signal: 9))
      load.signal(9)
      try load.wait()

      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(violations(in: log) == [])
      #expect(log.entries.count > 0)
      try HARValidators.expectAccepted(log.path)
    }
  }
}
