import Testing

@testable import TapelineCore

struct CompositeTrustEvaluatorTests {
  private struct Nobody: ServerTrustEvaluating {
    struct Mistrust: Error {}

    func evaluate(_ trust: ServerTrust, forHost host: String) throws { throw Mistrust() }
  }

  @Test("All evaluators must agree, and the first refusal decides") func allMustAgree() throws {
    let chain = try IssuedChain.shared.get()
    let trust = try chain.trust([chain.leaf, chain.middle])
    let pinned = PinnedCertificatesTrustEvaluator(certificates: [chain.leaf.certificate])
    let wrong = PublicKeysTrustEvaluator(keys: [try IssuedCertificate("other").publicKey])
    #expect(reason(CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), pinned]), trust) == nil)
    #expect(reason(CompositeTrustEvaluator(evaluators: [pinned, wrong, Nobody()]), trust)?.name == "publicKeyPinningFailed")
    #expect(reason(CompositeTrustEvaluator(evaluators: [Nobody(), wrong]), trust)?.name == "customEvaluationFailed")
    #expect(reason(CompositeTrustEvaluator(evaluators: []), trust) == nil)
  }

  @Test("A disabled evaluator trusts everybody") func disabled() throws {
    let chain = try IssuedChain.shared.get()
    let expired = try IssuedCertificate("x", names: "DNS:elsewhere.test", issuer: chain.root, days: -1)
    #expect(reason(DisabledTrustEvaluator(), try chain.trust([expired])) == nil)
  }
}
