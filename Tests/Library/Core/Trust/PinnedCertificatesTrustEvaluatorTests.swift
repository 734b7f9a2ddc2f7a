import FoundationEssentials
import Testing

@testable import TapelineCore

struct PinnedCertificatesTrustEvaluatorTests {
  private let chain: IssuedChain
  private let sent: ServerTrust

  init() throws {
    chain = try IssuedChain.shared.get()
    sent = try chain.trust([chain.leaf, chain.middle])
  }

  @Test("Any certificate of the chain can be the pin, even the root that is not sent") func anyOfTheChain() {
    for pin in [chain.leaf, chain.middle, chain.root] {
      #expect(reason(PinnedCertificatesTrustEvaluator(certificates: [pin.certificate]), sent) == nil)
    }
  }

  @Test("One pin of several is enough") func onePinIsEnough() throws {
    let other = try IssuedCertificate("other")
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: [other.certificate, chain.leaf.certificate]), sent) == nil)
  }

  @Test("A wrong pin is refused, with details in the error") func aWrongPin() throws {
    let other = try IssuedCertificate("other")
    let reason = reason(PinnedCertificatesTrustEvaluator(certificates: [other.certificate]), sent)
    guard case .certificatePinningFailed(let host, let pins, let certificates) = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(host == "localhost")
    #expect(pins == [Data(other.certificate.der)])
    #expect(certificates == [chain.leaf, chain.middle, chain.root].map { Data($0.certificate.der) })
  }

  @Test("Without pins, no server is trusted") func noPins() {
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: []), sent)?.name == "noCertificatesFound")
  }

  @Test("A pinned certificate that is only sent along vouches for nothing", arguments: [true, false])
  func sentAlong(_ validates: Bool) throws {
    let impostor = try IssuedCertificate("localhost", issuer: chain.middle)
    let trust = try chain.trust([impostor, chain.middle, chain.leaf])
    let evaluator = PinnedCertificatesTrustEvaluator(certificates: [chain.leaf.certificate], performDefaultValidation: validates)
    #expect(reason(evaluator, trust)?.name == "certificatePinningFailed")
  }

  @Test("A pinned self-signed certificate is accepted if the option allows it") func selfSigned() throws {
    let alone = try IssuedCertificate("localhost")
    let trust = try chain.trust([alone])
    let pins = [alone.certificate]
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: pins), trust)?.name == "defaultEvaluationFailed selfSigned")
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: pins, acceptSelfSignedCertificates: true), trust) == nil)
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: pins, performDefaultValidation: false), trust) == nil)
    let other = try IssuedCertificate("localhost")
    let strict = PinnedCertificatesTrustEvaluator(certificates: pins, acceptSelfSignedCertificates: true)
    #expect(reason(strict, try chain.trust([other]))?.name == "defaultEvaluationFailed selfSigned")
    #expect(reason(strict, sent)?.name == "defaultEvaluationFailed unknownAuthority", "the pins are the only roots")
  }

  @Test("A pin does not excuse a wrong host or an expired certificate") func hostAndTime() throws {
    let trust = try chain.trust([chain.leaf, chain.middle], host: "elsewhere.test")
    let pins = [chain.leaf.certificate]
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: pins), trust)?.name == "hostValidationFailed hostMismatch")
    #expect(reason(PinnedCertificatesTrustEvaluator(certificates: pins, validateHost: false), trust) == nil)
    let expired = try IssuedCertificate("localhost", issuer: chain.middle, days: -1)
    let old = try chain.trust([expired, chain.middle])
    #expect(
      reason(PinnedCertificatesTrustEvaluator(certificates: [expired.certificate]), old)?.name
        == "defaultEvaluationFailed expired")
    #expect(
      reason(PinnedCertificatesTrustEvaluator(certificates: [expired.certificate], performDefaultValidation: false), old) == nil)
  }
}
