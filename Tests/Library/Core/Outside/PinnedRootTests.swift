import TapelineCore
import TapelineTestSupport
import Testing

@testable import TapelineTLS

/// A root is rarely sent: who pins it means the chain that leads to it.
@Suite struct PinnedRootTests {
  private let chain: IssuedChain
  private let origin: SecureOrigin

  init() throws {
    chain = try IssuedChain.shared.get()
    origin = try SecureOrigin(chain.leaf.credentials(sending: [chain.middle]), context: TLSServerContext())
  }

  private func status(_ evaluator: some ServerTrustEvaluating, trusting roots: TrustRoots? = nil) async -> Int? {
    var configuration = SessionConfiguration.patient
    configuration.tls.trustRoots = roots ?? .only([chain.root.certificate])
    let session = Session(
      configuration: configuration, serverTrustManager: ServerTrustManager(evaluators: ["localhost": evaluator]))
    return await session.request(origin.url()).serializingData().response.response?.statusCode
  }

  @Test("A pinned root that the server does not send is found", arguments: [true, false])
  func certificate(_ validates: Bool) async {
    let evaluator = PinnedCertificatesTrustEvaluator(
      certificates: [chain.root.certificate], performDefaultValidation: validates)
    #expect(await status(evaluator) == 200)
  }

  @Test("A pinned root that the server does not send is found if the pins are the only roots, or nobody is trusted")
  func amongThePins() async {
    let roots = TrustRoots.only([])
    let anchored = PinnedCertificatesTrustEvaluator(certificates: [chain.root.certificate], acceptSelfSignedCertificates: true)
    #expect(await status(anchored, trusting: roots) == 200)
    let unchecked = PinnedCertificatesTrustEvaluator(certificates: [chain.root.certificate], performDefaultValidation: false)
    #expect(await status(unchecked, trusting: roots) == 200)
  }

  @Test("The key of a root that the server does not send is found among the session's", arguments: [true, false])
  func key(_ validates: Bool) async {
    let evaluator = PublicKeysTrustEvaluator(keys: [chain.root.publicKey], performDefaultValidation: validates)
    #expect(await status(evaluator) == 200)
  }

  @Test("A different root is not part of the chain")
  func anotherRoot() async throws {
    let other = try IssuedCertificate("Test root", isAuthority: true)
    let evaluator = PinnedCertificatesTrustEvaluator(certificates: [other.certificate], performDefaultValidation: false)
    #expect(await status(evaluator) == nil)
  }
}
