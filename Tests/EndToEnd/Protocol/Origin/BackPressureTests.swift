import Dispatch
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Whoever does not read holds up whoever sends, and costs the proxy little.
  @Suite struct BackPressure {
    /// More than the kernels' buffers of two connections take, on whatever machine: 20 to 50 MiB where tcp_rmem and tcp_wmem
    /// are as Linux sets them. A proxy that did not stop would take all of the 4 GiB.
    private static let kernels = 512 << 20
    /// The parts of the proxy's memory in which a body may wait.
    private static let kibibytes = 2 * 1024
    private static let length = UInt64(4) << 30

    /// The proxy's memory in KiB, when it has relayed before.
    private static func warm(_ proxy: TapelineProcess) throws -> Int {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: [UInt8](repeating: 1, count: 2 << 20)), .expectEnd])
      let client = try proxy.request(origin.absoluteRequest("/warm", lines: ["Connection: close"]))
      #expect(try client.receiveToEnd().bytes.count > 2 << 20)
      return try #require(proxy.process.memory).resident
    }

    @Test("RFC 9110 6.4: A client that stops reading a 4 GiB response stops its origin too")
    func stalledClient() throws {
      // The script ends, one second after nothing more could be sent.
      let origin = try ScriptedOrigin(
        patience: 1,
        [
          .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.length)\r\n\r\n"),
          .run { connection in while true { try connection.send([UInt8](repeating: 1, count: 1 << 20)) } },
        ])
      let recording = try recording(["--max-body", "1KiB"]) { proxy in
        let before = try Self.warm(proxy)
        let client = try proxy.connect()
        try client.limitReceiveBuffer(to: 4096)
        try client.send(origin.absoluteRequest("/large"))
        let connection = try #require(try origin.waitForFinished(1).first)
        #expect(connection.sentPieces.map(\.count).reduce(0, +) < Self.kernels, "the rest waits at the origin")
        #expect(try #require(proxy.process.memory).resident - before < Self.kibibytes)
        client.reset()
      }
      #expect(try recording.entry("/large").error?["kind"]?.string == "closed")
    }

    @Test("RFC 9110 6.4: An origin that stops reading a 4 GiB request stops its client too")
    func stalledOrigin() throws {
      let isOver = DispatchSemaphore(value: 0)
      let origin = try ScriptedOrigin([.expectHead, .run { _ in isOver.wait() }])
      let recording = try recording(["--max-body", "1KiB"]) { proxy in
        defer { isOver.signal() }
        let before = try Self.warm(proxy)
        let client = try proxy.connect(patience: 1)
        try client.send(origin.absoluteRequest("/large", method: "PUT", lines: ["Content-Length: \(Self.length)"]))
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        var sent = 0
        do {
          while sent < Self.kernels {
            try client.send(piece)
            sent += piece.count
          }
        } catch let error as TestSupportError {
          guard case .timedOut = error else { throw error }
        }
        #expect(sent < Self.kernels, "the rest waits at the client")
        #expect(try #require(proxy.process.memory).resident - before < Self.kibibytes)
        client.reset()
      }
      #expect(try recording.entry("/large").error != nil)
    }
  }
}
