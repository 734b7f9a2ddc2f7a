import TapelineTestSupport
import Testing

@testable import TapelineTLS

struct TrustStoreTests {
  @Test func theSystemsRootsDoNotKnowATestsAuthority() throws {
    let contexts = try TestContexts()
    let client = try TLSClientContext(trust: .system())
    let pair = try EnginePair(client: client, server: contexts.server, credentials: contexts.leaf.credentials)
    pair.run()
    #expect(pair.client.failure?.kind == .certificate(.unknownAuthority))
  }

  @Test func aFileIsAddedToThem() throws {
    let contexts = try TestContexts()
    let directory = try TemporaryDirectory()
    let file = try directory.write(contexts.root.pem, to: "root.pem")
    let client = try TLSClientContext(trust: .system(adding: file))
    let pair = try EnginePair(client: client, server: contexts.server, credentials: contexts.leaf.credentials)
    pair.run()
    #expect(pair.client.engine.parameters.verification == .verified)
  }

  /// Whoever names a certificate in a file trusts it, be it a root or not.
  @Test func aFileMayNameAnIntermediateOrTheOriginsOwn() throws {
    let contexts = try TestContexts()
    let middle = try ForgedCertificate(commonName: "Middle", isAuthority: true, issuer: contexts.root)
    let leaf = try ForgedCertificate(commonName: "example.test", names: "DNS:example.test", issuer: middle)
    for trusted in [middle, leaf] {
      let client = try TLSClientContext(trust: trusted.trusted())
      let pair = try EnginePair(client: client, server: contexts.server, credentials: leaf.credentials)
      pair.run()
      #expect(pair.client.engine.isEstablished)
    }
  }

  @Test func aFileThatIsNoneOfCertificatesIsNamed() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write(Array("no certificate here\n".utf8), to: "text.pem")
    for file in [directory.path("missing.pem"), text] {
      let error = #expect(throws: TLSError.self) { try TrustStore.system(adding: file) }
      #expect(error?.kind == .configuration)
      #expect(error?.message.contains(file) == true)
    }
  }
}
