import FoundationEssentials
import Testing

@testable import TapelineCore

struct PublicKeysTrustEvaluatorTests {
  private let chain: IssuedChain
  private let sent: ServerTrust

  init() throws {
    chain = try IssuedChain.shared.get()
    sent = try chain.trust([chain.leaf, chain.middle])
  }

  @Test("Any key of the chain can be the pin") func anyOfTheChain() {
    for pin in [chain.leaf, chain.middle, chain.root] {
      #expect(reason(PublicKeysTrustEvaluator(keys: [pin.publicKey]), sent) == nil)
    }
  }

  @Test("A wrong key is refused, with details in the error") func aWrongKey() throws {
    let other = try IssuedCertificate("other")
    let reason = reason(PublicKeysTrustEvaluator(keys: [other.publicKey]), sent)
    guard case .publicKeyPinningFailed(let host, let pins, let keys) = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(host == "localhost")
    #expect(pins == [Data(other.publicKey.derRepresentation)])
    #expect(keys == [chain.leaf, chain.middle, chain.root].map { Data($0.publicKey.derRepresentation) })
  }

  @Test("Without keys, no server is trusted") func noKeys() {
    #expect(reason(PublicKeysTrustEvaluator(keys: []), sent)?.name == "noPublicKeysFound")
  }

  @Test("A pinned key that is only sent along vouches for nothing", arguments: [true, false])
  func sentAlong(_ validates: Bool) throws {
    let impostor = try IssuedCertificate("localhost", issuer: chain.middle)
    let trust = try chain.trust([impostor, chain.middle, chain.leaf])
    let evaluator = PublicKeysTrustEvaluator(keys: [chain.leaf.publicKey], performDefaultValidation: validates)
    #expect(reason(evaluator, trust)?.name == "publicKeyPinningFailed")
  }

  @Test("Without default validation, only the pin and the host count") func withoutValidation() throws {
    let alone = try IssuedCertificate("localhost")
    let trust = try chain.trust([alone])
    #expect(reason(PublicKeysTrustEvaluator(keys: [alone.publicKey]), trust)?.name == "defaultEvaluationFailed selfSigned")
    #expect(reason(PublicKeysTrustEvaluator(keys: [alone.publicKey], performDefaultValidation: false), trust) == nil)
    let elsewhere = try chain.trust([alone], host: "elsewhere.test")
    #expect(
      reason(PublicKeysTrustEvaluator(keys: [alone.publicKey], performDefaultValidation: false), elsewhere)?.name
        == "hostValidationFailed hostMismatch")
    #expect(
      reason(PublicKeysTrustEvaluator(keys: [alone.publicKey], performDefaultValidation: false, validateHost: false), elsewhere)
        == nil)
  }
}
