import TapelineTestSupport
import Testing

extension EndToEnd {
  /// WebSocket passes untouched, and its messages are in the log.
  @Suite struct WebSockets {
    private let authority: TestAuthority
    private let authorityDirectory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      authorityDirectory = try TemporaryDirectory()
    }

    private func conversation(
      _ form: String, secure: Bool, compression: String, options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Recording {
      let server = try WebSocketPeers.startEchoServer(identity: secure ? authority.issue() : nil)
      let url = "\(secure ? "wss" : "ws")://localhost:\(server.port)/chat"
      let recording = try recording(options, sourceLocation: sourceLocation) { proxy in
        let roots = options.isEmpty ? authority.certificate : authorityDirectory.path("ca.pem")
        let command = WebSocketPeers.client([url, form, "\(proxy.port)", roots, compression])
        let client = try TestProcess(command[0], Array(command.dropFirst()))
        #expect(try client.wait().isSuccess, "\(client.errorText)", sourceLocation: sourceLocation)
      }
      try HARValidators.expectAccepted(recording.log.path, sourceLocation: sourceLocation)
      return recording
    }

    private var interception: [String] {
      ["--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate]
    }

    /// What the client's script says, message by message.
    private func expectConversation(_ entry: RecordedEntry, sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(entry.status == 101, sourceLocation: sourceLocation)
      #expect(entry.error == nil, "\(String(describing: entry.error))", sourceLocation: sourceLocation)
      let messages = entry.tree["_webSocketMessages"]?.elements ?? []
      let texts = messages.filter { $0["opcode"]?.integer == 1 }
      for direction in ["send", "receive"] {
        let data = texts.filter { $0["type"]?.string == direction }.compactMap { $0["data"]?.string }
        #expect(data.prefix(2) == ["hello", String(repeating: "ż", count: 100)], sourceLocation: sourceLocation)
        #expect(data.contains("fragmented"), "put together", sourceLocation: sourceLocation)
        #expect(data.filter { $0 == "hello" }.count == 2, "with context takeover too", sourceLocation: sourceLocation)
        #expect(data.contains("bye") == (direction == "send"), sourceLocation: sourceLocation)
      }
      let binary = try #require(messages.first { $0["opcode"]?.integer == 2 }, sourceLocation: sourceLocation)
      #expect(binary["data"]?.string?.hasPrefix("AAECAwQF") == true, "in base64", sourceLocation: sourceLocation)
      #expect(messages.contains { $0["opcode"]?.integer == 9 && $0["type"]?.string == "send" }, sourceLocation: sourceLocation)
      #expect(
        messages.contains { $0["opcode"]?.integer == 10 && $0["type"]?.string == "receive" }, sourceLocation: sourceLocation)
      #expect(messages.contains { $0["opcode"]?.integer == 8 && $0["type"]?.string == "receive" }, sourceLocation: sourceLocation)
      let times = messages.compactMap { $0["time"]?.number }
      #expect(times.count == messages.count && times == times.sorted(), "epoch seconds", sourceLocation: sourceLocation)
      #expect((times.first ?? 0) > 1.6e9 && (times.first ?? 0) < 1e11, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["", "deflate"])
    func inAbsoluteForm(compression: String) throws {
      let recording = try conversation("absolute", secure: false, compression: compression)
      try expectConversation(try recording.entry("/chat"))
    }

    @Test(arguments: ["", "deflate"])
    func intercepted(compression: String) throws {
      let recording = try conversation("tunnel", secure: true, compression: compression, options: interception)
      let entry = try recording.entry("/chat")
      try expectConversation(entry)
      expectDecrypted(entry)
    }

    @Test func inPlainHTTPInATunnel() throws {
      let recording = try conversation("tunnel", secure: false, compression: "deflate", options: interception)
      try expectConversation(try recording.entry("/chat"))
    }

    @Test func inATunnelThatIsNotOpened() throws {
      let recording = try conversation("tunnel", secure: true, compression: "deflate")
      let entry = try #require(recording.entries.first)
      #expect(entry.method == "CONNECT")
      #expect((entry.tree["_tunnel"]?["toServer"]?.integer ?? 0) > 1000)
    }
  }
}
