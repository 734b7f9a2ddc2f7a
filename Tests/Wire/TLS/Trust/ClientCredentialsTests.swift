import Testing

@testable import TapelineTLS

/// Who we say we are, to servers that ask.
struct ClientCredentialsTests {
  private let contexts: TestContexts
  private let clients: ForgedCertificate
  private let middle: ForgedCertificate
  private let client: ForgedCertificate

  init() throws {
    contexts = try TestContexts()
    clients = try ForgedCertificate(commonName: "Clients", isAuthority: true)
    middle = try ForgedCertificate(commonName: "Middle", isAuthority: true, issuer: clients)
    client = try ForgedCertificate(commonName: "client", issuer: middle)
  }

  @Test("A server that asks learns who we are", arguments: TLSEngineTests.versions)
  func aServerThatAsksLearnsIt(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    try contexts.server.askForCertificates(issuedBy: clients, mandatory: true)
    let pair = try contexts.pair(clientCredentials: client.credentials(over: middle))
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.server.engine.shownByClient.map(\.der) == [client.handle.der, middle.handle.der])
  }

  @Test("A server that does not ask learns nothing")
  func aServerThatDoesNotAskLearnsNothing() throws {
    let pair = try contexts.pair(clientCredentials: client.credentials(over: middle))
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.server.engine.shownByClient.isEmpty)
  }

  @Test(
    "A server that insists ends a connection without a certificate",
    arguments: [(TLSVersion.tls12, "handshake_failure"), (.tls13, "certificate_required")])
  func aServerThatInsistsEndsTheConnection(_ version: TLSVersion, alert: String) throws {
    let contexts = try TestContexts(version: version)
    try contexts.server.askForCertificates(issuedBy: clients, mandatory: true)
    let pair = try contexts.pair()
    pair.run()
    let failure = try #require(pair.client.failure)
    guard case .peerAlert(let received) = failure.kind else {
      Issue.record("\(failure.kind)")
      return
    }
    #expect(received.name == alert)
  }

  @Test("A server that is refused does not learn who we are", arguments: TLSEngineTests.versions, [false, true])
  func aServerThatIsRefusedDoesNotLearnIt(_ version: TLSVersion, needsStapledResponse: Bool) throws {
    let contexts = try TestContexts(version: version)
    try contexts.server.askForCertificates(issuedBy: clients, mandatory: false)
    let evaluator = PeerEvaluator(needsStapledResponse: needsStapledResponse) { _ in
      PeerRefusal(cause: TLSError(.configuration, "no"), problem: nil, message: "no")
    }
    let pair = try contexts.pair(clientCredentials: client.credentials(over: middle), evaluator: evaluator)
    pair.run()
    #expect(!pair.client.engine.isEstablished)
    #expect(pair.server.engine.shownByClient.isEmpty)
  }

  @Test("A key too weak for our level of security is not used")
  func aWeakKeyIsNotUsed() throws {
    let weak = try ForgedCertificate(commonName: "weak", keyKind: .rsa1024)
    #expect(throws: TLSError.self) {
      try TLSEngine(client: contexts.client, serverName: "example.test", credentials: weak.credentials)
    }
  }
}
