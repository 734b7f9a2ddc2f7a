import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// gRPC by grpcio on both sides: every kind of call, with TLS and in clear.
  @Suite struct Calls {
    private let authority: TestAuthority

    init() throws {
      authority = try TestAuthority()
    }

    private static let environment = ["PYTHONPATH": "\(repositoryRoot)/scripts"]

    private func startServer(identity: TestIdentity?) throws -> (process: TestProcess, port: Int) {
      let server = try TestProcess(
        pythonInterpreter(), ["-m", "lab.http2.calls", "serve"] + (identity.map { [$0.certificate, $0.key] } ?? []),
        environment: Self.environment)
      let line = try server.waitForOutputLine(containing: "port ", seconds: 60)
      return (server, try #require(Int(line.dropFirst("port ".count))))
    }

    @Test(arguments: [false, true])
    func everyKind(isSecure: Bool) throws {
      let (server, port) = try startServer(identity: isSecure ? authority.issue() : nil)
      // `-`: the roots that `run` names to gRPC.
      let run = try RunRecording(
        trusting: authority,
        [pythonInterpreter(), "-m", "lab.http2.calls", "ask", "localhost:\(port)"] + (isSecure ? ["-"] : []),
        environment: Self.environment, seconds: 120)
      #expect(run.process.outputText == "all calls are as they must be\n")

      func calls(_ name: String) -> [RecordedEntry] { run.exchanges.filter { $0.url.hasSuffix("/lab.Calls/\(name)") } }
      func messages(_ entry: RecordedEntry?) -> [Int?] {
        [entry?.grpc?["requestMessages"]?.integer, entry?.grpc?["responseMessages"]?.integer]
      }
      #expect(run.exchanges.count == 8)
      for name in ["Echo", "Collect", "Spread", "Chat"] {
        for entry in calls(name) {
          expectHTTP2(entry)
          #expect(entry.method == "POST")
          #expect(entry.status == 200)
          #expect(entry.grpc?["status"]?.integer == 0, "\(entry.tree)")
        }
      }
      #expect(calls("Echo").map(messages) == [[1, 1], [1, 1]])
      #expect(messages(calls("Collect").first) == [3, 1])
      #expect(messages(calls("Spread").first) == [1, 20])
      #expect(messages(calls("Chat").first) == [20, 20])
      let large = calls("Echo").last?.grpc?["messages"]?.elements.compactMap { $0["size"]?.integer }
      #expect(large == [4 << 20, 4 << 20])

      let refused = try #require(calls("Refuse").first)
      #expect(refused.grpc?["status"]?.integer == 3)
      #expect(refused.grpc?["statusName"]?.string == "INVALID_ARGUMENT")
      #expect(refused.grpc?["message"]?.string == "wrong: ä%")

      // The client gave up both times: a cancellation, and before it a deadline, of which the server knows too and may speak
      // first.
      let left = calls("Hang")
      #expect(left.count == 2)
      #expect(left.allSatisfy { messages($0) == [1, 1] })
      for (number, call) in left.enumerated() where number > 0 || call.grpc?["statusName"]?.string != "DEADLINE_EXCEEDED" {
        #expect(call.reset?["code"]?.string == "CANCEL")
        #expect(call.reset?["who"]?.string == "client")
      }
      #expect(Set(run.exchanges.map(\.connectionID)).count == 1, "one channel, one connection")
      _ = server
    }
  }
}
