import Testing

@testable import TapelineTLS

/// Whom a client believes.
struct TLSClientContextTests {
  private func failures(_ pair: EnginePair) throws -> (client: TLSError, server: TLSError) {
    pair.run()
    #expect(!pair.client.engine.isEstablished)
    return (try #require(pair.client.failure), try #require(pair.server.failure))
  }

  @Test(arguments: [
    (-7200 ... -3600, CertificateProblem.expired, "certificate_expired"),
    (3600...7200, .notYetValid, "bad_certificate"),
  ])
  func timeMatters(_ validity: ClosedRange<Int>, problem: CertificateProblem, alert: String) throws {
    let contexts = try TestContexts()
    let leaf = try ForgedCertificate(
      commonName: "example.test", names: "DNS:example.test", validity: validity, issuer: contexts.root)
    let (client, server) = try failures(contexts.pair(credentials: leaf.credentials))
    #expect(client.kind == .certificate(problem))
    #expect(client.alertSent?.name == alert)
    #expect(client.certificate == leaf.summary)
    let sent = try #require(client.alertSent)
    #expect(server.kind == .peerAlert(sent))
  }

  @Test func aCertificateThatVouchesForItselfIsRefused() throws {
    let contexts = try TestContexts()
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test")
    let (client, server) = try failures(contexts.pair(credentials: leaf.credentials))
    #expect(client.kind == .certificate(.selfSigned))
    #expect(server.kind == .peerAlert(.unknownCA))
  }

  @Test func aStrangersAuthorityIsRefused() throws {
    let contexts = try TestContexts()
    let stranger = try ForgedCertificate(commonName: "Stranger", isAuthority: true)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test", issuer: stranger)
    let alone = try failures(contexts.pair(credentials: leaf.credentials))
    #expect(alone.client.kind == .certificate(.unknownAuthority))
    #expect(alone.server.kind == .peerAlert(.unknownCA))
    // That it sends its root along makes it no better.
    let withRoot = try failures(contexts.pair(credentials: leaf.credentials(over: stranger)))
    #expect(withRoot.client.kind == .certificate(.unknownAuthority))
  }

  @Test(arguments: [
    ("other.test", true), ("sub.example.test", true), ("127.0.0.2", true), ("::2", true), ("wild.test", true),
    ("a.b.wild.test", true), ("a.wild.test", false), ("example.test", false), ("127.0.0.1", false),
  ])
  func theCertificateIsForTheName(_ name: String, isRefused: Bool) throws {
    let pair = try TestContexts().pair(serverName: name)
    pair.run()
    #expect(pair.client.engine.isEstablished == !isRefused)
    if isRefused { #expect(pair.client.failure?.kind == .certificate(.hostMismatch)) }
  }

  /// RFC 9110 4.3.4: a common name is no server name.
  @Test func commonNamesDoNotCount() throws {
    let contexts = try TestContexts()
    let leaf = try ForgedCertificate(commonName: "example.test", issuer: contexts.root)
    let (client, _) = try failures(contexts.pair(credentials: leaf.credentials))
    #expect(client.kind == .certificate(.hostMismatch))
  }

  @Test(arguments: [ForgedCertificate.KeyKind.p256, .p384, .rsa, .rsaPSS, .ed25519, .ed448])
  func everyKindOfKeyIsVerified(_ kind: ForgedCertificate.KeyKind) throws {
    let root = try ForgedCertificate(commonName: "Root", isAuthority: true, keyKind: kind)
    let middle = try ForgedCertificate(commonName: "Middle", isAuthority: true, issuer: root, keyKind: kind)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test", issuer: middle, keyKind: kind)
    let contexts = try TestContexts()
    let client = try TLSClientContext(trust: root.trusted())
    let pair = try EnginePair(client: client, server: contexts.server, credentials: leaf.credentials(over: middle))
    pair.run()
    #expect(pair.client.engine.parameters.verification == .verified)
    #expect(pair.client.engine.parameters.certificate == leaf.summary)
  }

  @Test func weakKeysAreRefused() throws {
    let contexts = try TestContexts()
    let weakRoot = try ForgedCertificate(commonName: "Weak Root", isAuthority: true, keyKind: .rsa1024)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test", issuer: weakRoot)
    let client = try TLSClientContext(trust: weakRoot.trusted())
    let pair = try EnginePair(client: client, server: contexts.server, credentials: leaf.credentials)
    #expect(try failures(pair).client.kind == .certificate(.weakKey))
  }

  @Test func anIntermediateThatIsSentIsBelieved() throws {
    let contexts = try TestContexts()
    let middle = try ForgedCertificate(commonName: "Middle", isAuthority: true, issuer: contexts.root)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test", issuer: middle)
    let pair = try contexts.pair(credentials: leaf.credentials(over: middle))
    pair.run()
    #expect(pair.client.engine.parameters.verification == .verified)
    #expect(try failures(contexts.pair(credentials: leaf.credentials)).client.kind == .certificate(.unknownAuthority))
  }

  @Test func withoutVerificationTheProblemIsKnownAllTheSame() throws {
    let contexts = try TestContexts(verifies: false)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test")
    let pair = try contexts.pair(credentials: leaf.credentials)
    pair.run()
    #expect(pair.client.engine.parameters.verification == .unverified(.selfSigned))
    #expect(pair.client.engine.parameters.certificate?.subject == "CN=example.test,O=Tapeline Tests")

    let other = try contexts.pair(serverName: "other.test")
    other.run()
    #expect(other.client.engine.parameters.verification == .unverified(.hostMismatch))
    let good = try contexts.establishedPair()
    #expect(good.client.engine.parameters.verification == .verified)
  }

  /// A session remembers how good its certificate was.
  @Test(arguments: TLSEngineTests.versions) func aResumedSessionIsNoBetterThanItWas(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version, verifies: false)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test")
    let first = try contexts.pair(credentials: leaf.credentials)
    first.run()
    let second = try contexts.pair(credentials: leaf.credentials, session: first.client.sessions.last)
    second.run()
    #expect(second.client.engine.parameters.isResumed)
    #expect(second.client.engine.parameters.verification == .unverified(.selfSigned))
  }
}
