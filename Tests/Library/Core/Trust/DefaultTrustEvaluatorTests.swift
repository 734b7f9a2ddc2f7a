import Testing

@testable import TapelineCore

struct DefaultTrustEvaluatorTests {
  private let chain: IssuedChain

  init() throws {
    chain = try IssuedChain.shared.get()
  }

  @Test("A chain in any order to the session's root is trusted for its host") func aGoodChain() throws {
    let evaluator = DefaultTrustEvaluator()
    #expect(reason(evaluator, try chain.trust([chain.leaf, chain.middle])) == nil)
    #expect(reason(evaluator, try chain.trust([chain.leaf, chain.root, chain.middle])) == nil)
    #expect(reason(evaluator, try chain.trust([chain.leaf, chain.middle], host: "127.0.0.1")) == nil)
    #expect(!evaluator.needsStapledResponse)
  }

  @Test("A missing intermediate, an unknown root and a self-signed certificate are refused") func badChains() throws {
    let evaluator = DefaultTrustEvaluator()
    let alone = try IssuedCertificate("localhost")
    #expect(reason(evaluator, try chain.trust([chain.leaf]))?.name == "defaultEvaluationFailed unknownAuthority")
    #expect(
      reason(evaluator, try chain.trust([chain.leaf, chain.middle], roots: .only([alone.certificate])))?.name
        == "defaultEvaluationFailed unknownAuthority")
    #expect(reason(evaluator, try chain.trust([alone]))?.name == "defaultEvaluationFailed selfSigned")
    #expect(reason(evaluator, try chain.trust([alone], roots: .only([alone.certificate]))) == nil)
  }

  @Test("The host is checked, unless the check is off") func theHost() throws {
    let trust = try chain.trust([chain.leaf, chain.middle], host: "elsewhere.test")
    #expect(reason(DefaultTrustEvaluator(), trust)?.name == "hostValidationFailed hostMismatch")
    #expect(reason(DefaultTrustEvaluator(validateHost: false), trust) == nil)
    #expect("\(reason(DefaultTrustEvaluator(), trust)?.problem, default: "")" == "the certificate is for localhost, 127.0.0.1")
  }

  @Test("An expired certificate is refused") func time() throws {
    let expired = try IssuedCertificate("localhost", issuer: chain.middle, days: -1)
    let reason = reason(DefaultTrustEvaluator(), try chain.trust([expired, chain.middle]))
    #expect(reason?.name == "defaultEvaluationFailed expired")
    #expect(reason?.problem?.certificate == expired.certificate)
  }
}
