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

    @Test("A response that the end of its connection ends (RFC 9112 6.3) is not whole because we died")
    func aKilledProxyEndsNoContent() throws {
      let origin = try ScriptedOrigin([
        .forever([
          .expectRequest, .send(Array("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nthe first part".utf8)), .expectEnd,
        ])
      ])
      let proxy = try TapelineProcess()
      let client = try proxy.request("GET \(origin.url("/endless")) HTTP/1.0\r\n\r\n")
      _ = try client.receive(through: "the first part")
      proxy.process.signal(9)
      #expect(try client.receiveToEnd().end == .reset)
    }

    @Test func anEndThatTheOriginMakesIsPassedOn() throws {
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .send(Array("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nthe whole".utf8)), .halfClose])
      ])
      let proxy = try TapelineProcess()
      let client = try proxy.request("GET \(origin.url("/whole")) HTTP/1.0\r\n\r\n")
      let received = try client.receiveToEnd()
      #expect(received.end == .closed && String(decoding: received.bytes, as: UTF8.self).hasSuffix("the whole"))
    }
  }
}
