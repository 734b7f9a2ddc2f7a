import TapelineDigest
import Testing

@testable import TapelineTLS

/// What stapled responses are worth (RFC 6960).
struct TrustStoreStaplingTests {
  private let root: ForgedCertificate
  private let leaf: ForgedCertificate
  private let store: TrustStore

  init() throws {
    root = try ForgedCertificate(commonName: "Root", isAuthority: true)
    leaf = try ForgedCertificate(commonName: "leaf", names: "DNS:example.test", issuer: root, serialNumber: 7)
    store = .only([root.handle])
  }

  private func status(_ response: [UInt8], of chain: [ForgedCertificate]? = nil) -> StapledStatus {
    let certificates = (chain ?? [leaf, root]).map(\.handle)
    return store.status(in: response.span, of: certificates)
  }

  private func isUnknown(_ status: StapledStatus) -> Bool {
    if case .unknown = status { true } else { false }
  }

  @Test("The issuer's word counts, by either digest", arguments: [MessageDigest.sha1, .sha256])
  func theIssuersWordCounts(_ digest: MessageDigest) throws {
    #expect(status(try root.response(.good, of: leaf, digest: digest)) == .good)
    #expect(status(try root.response(.revoked, of: leaf, digest: digest)) == .revoked)
    #expect(
      status(try root.response(.unknown, of: leaf, digest: digest)) == .unknown("the responder does not know the certificate"))
  }

  @Test("Below an intermediate authority it is that one's word")
  func belowAnIntermediate() throws {
    let middle = try ForgedCertificate(commonName: "Middle", isAuthority: true, issuer: root)
    let leaf = try ForgedCertificate(commonName: "leaf", issuer: middle)
    let chain = [leaf, middle, root]
    #expect(status(try middle.response(.good, of: leaf), of: chain) == .good)
    #expect(isUnknown(status(try root.response(.good, of: leaf), of: chain)))
  }

  @Test(
    "A stapled response counts only while it is valid",
    arguments: [(-7200 ... -3600, true), (3600...7200, true), (-20 * 86_400...0, false)])
  func times(_ validity: ClosedRange<Int>, hasNextUpdate: Bool) throws {
    let good = try root.response(.good, of: leaf, validity: validity, hasNextUpdate: hasNextUpdate)
    #expect(status(good) == .unknown("the stapled response is out of date"))
    let revoked = try root.response(.revoked, of: leaf, validity: validity, hasNextUpdate: hasNextUpdate)
    #expect(status(revoked) == .revoked)
  }

  @Test("A young response needs no next update")
  func noNextUpdate() throws {
    #expect(status(try root.response(.good, of: leaf, hasNextUpdate: false)) == .good)
  }

  @Test("Nobody else's word counts")
  func strangersAreNotHeard() throws {
    let stranger = try ForgedCertificate(commonName: "Root", isAuthority: true)
    #expect(isUnknown(status(try root.response(.good, of: leaf, signer: stranger))))
    #expect(isUnknown(status(try root.response(.good, of: leaf, signer: leaf))))
    let sibling = try ForgedCertificate(commonName: "sibling", issuer: root, serialNumber: 8)
    #expect(isUnknown(status(try root.response(.good, of: leaf, signer: sibling))))
    #expect(status(try root.response(.good, of: sibling)) == .unknown("the stapled response is about another certificate"))
  }

  @Test("Whom the issuer has appointed is heard (RFC 6960 4.2.2.2)")
  func appointedRespondersAreHeard() throws {
    let responder = try ForgedCertificate(commonName: "responder", issuer: root, serialNumber: 9, extendedUsage: "OCSPSigning")
    #expect(status(try root.response(.good, of: leaf, signer: responder)) == .good)
    #expect(status(try root.response(.revoked, of: leaf, signer: responder)) == .revoked)
    let other = try ForgedCertificate(commonName: "Other", isAuthority: true)
    let strangers = try ForgedCertificate(commonName: "responder", issuer: other, extendedUsage: "OCSPSigning")
    #expect(isUnknown(status(try root.response(.good, of: leaf, signer: strangers))))
  }

  @Test("A damaged stapled response is not accepted") func damage() throws {
    let response = try root.response(.good, of: leaf)
    #expect(status([]) == .unknown("the stapled response is damaged"))
    #expect(isUnknown(status(Array(response.dropLast(10)))))
    for index in stride(from: 0, to: response.count, by: 7) {
      var damaged = response
      damaged[index] ^= 0x41
      #expect(status(damaged) != .revoked)
    }
    // tryLater (RFC 6960 4.2.1): SEQUENCE { ENUMERATED 3 }.
    #expect(status([0x30, 3, 0x0a, 1, 3]) == .unknown("the responder had no answer: trylater"))
  }

  @Test("Who vouches for himself is revoked by nobody") func anchorsHaveNoIssuer() throws {
    #expect(isUnknown(status(try root.response(.good, of: leaf), of: [leaf])))
  }

  @Test("A certificate can demand a stapled response (RFC 7633)") func mustStaple() throws {
    let demanding = try ForgedCertificate(commonName: "leaf", issuer: root, mustBeStapled: true)
    #expect(demanding.handle.mustBeStapled)
    #expect(!leaf.handle.mustBeStapled)
  }
}
