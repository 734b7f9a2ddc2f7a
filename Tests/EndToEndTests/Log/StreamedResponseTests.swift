import Dispatch
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Responses that come over time: when each part came is in the log, and nothing waits for it.
  @Suite struct StreamedResponses {
    @Test func serverSentEvents() throws {
      let events = (1...4).map { "data: event \($0)\n\n" }
      let chunks = events.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }
      let firstHasCome = DispatchSemaphore(value: 0)
      let origin = try ScriptedOrigin(
        [
          .expectRequest,
          .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks[0])"),
          .run { _ in _ = firstHasCome.wait(timeout: .now() + 60) },
        ] + chunks.dropFirst().flatMap { [.delay(milliseconds: 60), .send($0)] } + [.send("0\r\n\r\n")])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/events")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(through: "event 1")
        // The server goes on only now: nothing is held back.
        firstHasCome.signal()
        _ = try client.receive(through: "\r\n0\r\n\r\n")
      }
      let entry = try recording.entry("/events")
      #expect(entry.contentText == events.joined())
      let parts = entry.tree["_chunks"]?.elements ?? []
      #expect(parts.count >= 2, "\(parts)")
      #expect(parts.compactMap { $0["bytes"]?.integer }.reduce(0, +) >= events.joined().utf8.count)
      let times = parts.compactMap { $0["ts"]?.number }
      #expect(times == times.sorted())
      #expect((times.last ?? 0) - (times.first ?? 0) >= 120, "milliseconds: the server took its time")
    }

    @Test func theEntrySaysWhatEachLegOfTCPDid() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: patternedBytes(300_000))])])
      let recording = try recording { proxy in
        _ = try proxy.curl([origin.url("/tcp")])
      }
      let tcp = try #require(try recording.entry("/tcp").tree["_tcp"])
      #expect(tcp != .object([:]))
    }
  }
}
