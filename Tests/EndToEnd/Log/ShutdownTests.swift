import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What was under way when the program was stopped is an entry that says so.
  @Suite struct Shutdown {
    @Test func exchangesUnderWayAreIncompleteEntries() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/plain\r\n\r\nhalf of it"), .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/half")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(through: "half of it")
        #expect(try proxy.stop(seconds: 20) == .exited(0))
      }
      try HARValidators.expectAccepted(recording.log.path)
      let entry = try recording.entry("/half")
      #expect(entry.tree["_incomplete"]?.bool == true)
      #expect(entry.error?["origin"]?.string == "local")
      #expect(entry.contentText == "half of it")
    }

    @Test func tunnelsUnderWayAreEntries() throws {
      let origin = try ScriptedOrigin([.expect(bytes: 4), .send("pong"), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\nping")
        _ = try client.receive(through: "pong")
        #expect(try proxy.stop(seconds: 20) == .exited(0))
      }
      try HARValidators.expectAccepted(recording.log.path)
      let entry = try #require(recording.entries.first)
      #expect(entry.tree["_incomplete"]?.bool == true)
      #expect(entry.tree["_tunnel"]?["toClient"]?.integer == 4)
    }
  }
}
