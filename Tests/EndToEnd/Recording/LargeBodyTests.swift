import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A gibibyte each way, recorded with its bodies' first part, while the proxy stays small.
  @Suite struct LargeBodies {
    private static let size = 1 << 30
    private static let memoryLimit = 64 * 1024

    /// The file's bytes have no pattern, so that a lost or moved block would show.
    private static func makeFile(at path: String) throws {
      let make = try TestProcess(
        "sh",
        [
          "-ec",
          "head -c \(size) /dev/zero | openssl enc -aes-128-ctr -K 000102030405060708090a0b0c0d0e0f -iv 00000000000000000000000000000000 >\(path)",
        ])
      try #require(try make.wait(seconds: 120).isSuccess, "\(make.errorText)")
    }

    @Test func aGibibyteDownAndUp() throws {
      let server = try NginxServer()
      let file = "\(server.files)/large.bin"
      try Self.makeFile(at: file)
      let recording = try recording { proxy in
        let down = try TestProcess(
          "sh",
          ["-c", "curl -sS --fail --noproxy '' --proxy \(proxy.url) \(server.url("/large.bin")) | cmp - \(file)"])
        #expect(try down.wait(seconds: 180) == .exited(0), "\(down.outputText)\(down.errorText)")
        let up = try proxy.curl(["--fail", "-H", "Expect:", "-T", file, server.url("/upload/large.bin")], seconds: 180)
        #expect(up.exitStatus == .exited(0), "\(up.errorText)")
        let memory = try #require(proxy.process.memory)
        #expect(memory.peak < Self.memoryLimit, "KiB")
      }
      let same = try TestProcess("cmp", [file, "\(server.uploads)/large.bin"])
      #expect(try same.wait(seconds: 120) == .exited(0), "\(same.outputText)\(same.errorText)")

      let down = try recording.entry("/large.bin", method: "GET")
      #expect(down.responseBodySize == Self.size)
      #expect(down.contentSize == Self.size)
      let up = try recording.entry("/upload/large.bin", method: "PUT")
      #expect(up.requestBodySize == Self.size)
      #expect(up.status == 201)
    }

    @Test func aReaderThatDoesNotReadCostsLittle() throws {
      // Its script ends, one second after nothing more could be sent.
      let origin = try ScriptedOrigin(
        patience: 1,
        [
          .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
          .run { connection in while true { try connection.send([UInt8](repeating: 1, count: 1 << 20)) } },
        ])
      _ = try recording { proxy in
        let client = try proxy.connect()
        try client.limitReceiveBuffer(to: 4096)
        let before = try #require(proxy.process.memory).resident
        try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: x\r\n\r\n")
        let connection = try #require(try origin.waitForFinished(1).first)
        #expect(connection.sentPieces.map(\.count).reduce(0, +) < 32 << 20, "the rest waits at the origin")
        let grown = try #require(proxy.process.memory).resident - before
        #expect(grown < 8 * 1024, "KiB")
        client.reset()
      }
    }
  }
}
