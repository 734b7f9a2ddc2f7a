@testable import TapelineTLS

/// What most tests need: an authority, a certificate of its for `example.test`, and contexts that go with them.
struct TestContexts {
  let root: ForgedCertificate
  let leaf: ForgedCertificate
  let client: TLSClientContext
  let server: TLSServerContext

  init(
    version: TLSVersion? = nil, names: String = "DNS:example.test, DNS:*.wild.test, IP:127.0.0.1, IP:::1",
    clientProtocols: [ApplicationProtocol] = [.http11], serverProtocols: [ApplicationProtocol] = [.http11],
    verifies: Bool = true, keyLog: TLSKeyLog? = nil
  ) throws {
    root = try ForgedCertificate(commonName: "Test Root", isAuthority: true)
    leaf = try ForgedCertificate(commonName: "example.test", names: names, issuer: root)
    let policy = version.map { TLSPolicy(minimumVersion: $0, maximumVersion: $0) } ?? .secure
    client = try TLSClientContext(
      trust: root.trusted(), verifies: verifies, policy: policy, applicationProtocols: clientProtocols, keyLog: keyLog)
    server = try TLSServerContext(policy: policy, applicationProtocols: serverProtocols, keyLog: keyLog)
  }

  func pair(
    serverName: String = "example.test", credentials: TLSCredentials? = nil, session: TLSSession? = nil,
    clientCredentials: TLSCredentials? = nil, evaluator: PeerEvaluator? = nil, lineage: UInt64 = 0, holdsProtocol: Bool = false,
    holdsHello: Bool = false
  ) throws -> EnginePair {
    try EnginePair(
      client: client, server: server, serverName: serverName, credentials: credentials ?? leaf.credentials, session: session,
      clientCredentials: clientCredentials, evaluator: evaluator, lineage: lineage, holdsProtocol: holdsProtocol,
      holdsHello: holdsHello)
  }

  /// A pair whose handshake is over.
  func establishedPair() throws -> EnginePair {
    let pair = try pair()
    pair.run()
    return pair
  }
}
