import TapelineTLS

extension TestAuthority {
  /// Sessions of as many connections to `localhost`, made without a wire.
  func sessions(_ count: Int, version: TLSVersion = .tls13) throws -> [TLSSession] {
    let context = try clientContext(policy: TLSPolicy(maximumVersion: version))
    let credentials = try credentials(for: "localhost")
    var sessions: [TLSSession] = []
    while sessions.count < count {
      let client = try TLSEngine(client: context, serverName: "localhost")
      let server = try TLSEngine(server: serverContext, credentials: credentials)
      try client.start()
      while !client.isEstablished || !server.isEstablished || server.hasCiphertext {
        try Self.move(from: client, to: server)
        try Self.move(from: server, to: client)
      }
      if let session = client.takeSession() { sessions.append(session) }
    }
    return sessions
  }

  private static func move(from sender: TLSEngine, to receiver: TLSEngine) throws {
    var bytes: [UInt8] = []
    sender.takeCiphertext(into: &bytes)
    var used = 0
    if !receiver.isEstablished, !bytes.isEmpty { used = try receiver.handshake(bytes.span) }
    let rest = bytes.span.extracting(droppingFirst: used)
    if !rest.isEmpty { _ = try receiver.receive(rest, using: PlaintextBuffer()) { _ in } }
  }
}
