import Testing

@testable import TapelineCore

/// What is at hand decides: stapled responses and given lists.
struct RevocationTrustEvaluatorTests {
  private let chain: IssuedChain

  init() throws {
    chain = try IssuedChain.shared.get()
  }

  private func trust(stapling response: [UInt8]? = nil) throws -> ServerTrust {
    try chain.trust([chain.leaf, chain.middle], stapledResponse: response)
  }

  @Test("An unknown status is accepted unless a positive answer is required") func nothingIsKnown() throws {
    #expect(reason(RevocationTrustEvaluator(), try trust()) == nil)
    #expect(
      reason(RevocationTrustEvaluator(options: [.any, .requirePositiveResponse]), try trust())?.name
        == "revocationCheckFailed revocationUnknown")
  }

  @Test("A stapled response decides") func stapled() throws {
    let good = try trust(stapling: chain.middle.response(of: chain.leaf, isRevoked: false))
    let bad = try trust(stapling: chain.middle.response(of: chain.leaf, isRevoked: true))
    let required = RevocationTrustEvaluator(options: [.ocsp, .requirePositiveResponse])
    #expect(reason(required, good) == nil)
    for evaluator in [required, RevocationTrustEvaluator(), RevocationTrustEvaluator(performDefaultValidation: false)] {
      #expect(reason(evaluator, bad)?.name == "revocationCheckFailed revoked")
    }
    #expect(reason(RevocationTrustEvaluator(options: .crl), bad) == nil, "nobody asked for it")
    #expect(RevocationTrustEvaluator().needsStapledResponse)
    #expect(!RevocationTrustEvaluator(options: .crl).needsStapledResponse)
  }

  @Test("A damaged response counts as missing") func damaged() throws {
    let response = try chain.middle.response(of: chain.leaf, isRevoked: false)
    let trust = try trust(stapling: Array(response.dropLast(3)))
    #expect(reason(RevocationTrustEvaluator(), trust) == nil)
    #expect(
      reason(RevocationTrustEvaluator(options: [.any, .requirePositiveResponse]), trust)?.name
        == "revocationCheckFailed revocationUnknown")
  }

  @Test("Revocation lists apply to the whole chain") func lists() throws {
    let clean = try chain.middle.revocationList(of: [])
    let cleanRoot = try chain.root.revocationList(of: [])
    let leafRevoked = try chain.middle.revocationList(of: [chain.leaf])
    let middleRevoked = try chain.root.revocationList(of: [chain.middle])
    for list in [leafRevoked, middleRevoked] {
      #expect(reason(RevocationTrustEvaluator(revocationLists: [list]), try trust())?.name == "revocationCheckFailed revoked")
      #expect(
        reason(RevocationTrustEvaluator(options: .ocsp, revocationLists: [list]), try trust()) == nil, "nobody asked for it")
    }
    let required: RevocationTrustEvaluator.Options = [.crl, .requirePositiveResponse]
    #expect(reason(RevocationTrustEvaluator(options: required, revocationLists: [clean, cleanRoot]), try trust()) == nil)
    #expect(
      reason(RevocationTrustEvaluator(options: required, revocationLists: [clean]), try trust())?.name
        == "revocationCheckFailed revocationUnknown")
    let stapled = try trust(stapling: chain.middle.response(of: chain.leaf, isRevoked: false))
    #expect(
      reason(RevocationTrustEvaluator(revocationLists: [middleRevoked]), stapled)?.name == "revocationCheckFailed revoked",
      "a good response is about the server's own certificate only")
  }

  @Test("A certificate that demands stapling gets it (RFC 7633)") func mustStaple() throws {
    let demanding = try IssuedCertificate("localhost", issuer: chain.middle, more: ["tlsfeature=status_request"])
    #expect(demanding.certificate.mustBeStapled)
    let sent = [demanding, chain.middle]
    #expect(reason(RevocationTrustEvaluator(), try chain.trust(sent))?.name == "revocationCheckFailed revocationUnknown")
    let response = try chain.middle.response(of: demanding, isRevoked: false)
    #expect(reason(RevocationTrustEvaluator(), try chain.trust(sent, stapledResponse: response)) == nil)
    #expect(reason(DefaultTrustEvaluator(), try chain.trust(sent)) == nil)
  }

  @Test("The chain and the host count here, too") func otherProblems() throws {
    #expect(reason(RevocationTrustEvaluator(), try chain.trust([chain.leaf]))?.name == "defaultEvaluationFailed unknownAuthority")
    #expect(
      reason(RevocationTrustEvaluator(performDefaultValidation: false), try chain.trust([chain.leaf]))?.name
        == "revocationCheckFailed unknownAuthority")
    let elsewhere = try chain.trust([chain.leaf, chain.middle], host: "elsewhere.test")
    #expect(reason(RevocationTrustEvaluator(), elsewhere)?.name == "hostValidationFailed hostMismatch")
    #expect(reason(RevocationTrustEvaluator(validateHost: false), elsewhere) == nil)
  }
}
