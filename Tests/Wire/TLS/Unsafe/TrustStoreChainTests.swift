import Testing

@testable import TapelineTLS

/// Chains, verified outside of a handshake.
struct TrustStoreChainTests {
  private let root: ForgedCertificate
  private let middle: ForgedCertificate
  private let leaf: ForgedCertificate
  private let store: TrustStore

  init() throws {
    root = try ForgedCertificate(commonName: "Root", isAuthority: true, serialNumber: 1)
    middle = try ForgedCertificate(commonName: "Middle", isAuthority: true, issuer: root, serialNumber: 2)
    leaf = try ForgedCertificate(commonName: "leaf", names: "DNS:example.test", issuer: middle, serialNumber: 3)
    store = .only([root.handle])
  }

  private func problem(_ chain: @autoclosure () throws -> [X509Handle]) -> CertificateProblem? {
    do {
      _ = try chain()
      return nil
    } catch let error as ChainError {
      return error.problem
    } catch {
      return .other("\(error)")
    }
  }

  // MARK: Chains

  @Test("The order in which a server sends its chain does not matter, nor what else it sends")
  func orderDoesNotMatter() throws {
    let other = try ForgedCertificate(commonName: "Other", isAuthority: true)
    let expected = [leaf, middle, root].map(\.handle.der)
    for sent in [[leaf, middle], [leaf, root, middle], [leaf, other, middle, other], [leaf, middle, root]] {
      #expect(try store.chain(of: sent.map(\.handle)).map(\.der) == expected)
    }
    #expect(problem(try store.chain(of: [leaf.handle])) == .unknownAuthority)
    #expect(problem(try store.chain(of: [middle.handle, leaf.handle])) == nil)
  }

  @Test("Trust may end in an intermediate certificate or in the server's own")
  func anyCertificateCanBeAnAnchor() throws {
    #expect(try TrustStore.only([middle.handle]).chain(of: [leaf.handle]).count == 2)
    #expect(try TrustStore.only([leaf.handle]).chain(of: [leaf.handle]).count == 1)
    let alone = try ForgedCertificate(commonName: "alone", names: "DNS:example.test")
    #expect(try TrustStore.only([alone.handle]).chain(of: [alone.handle]).count == 1)
    #expect(problem(try store.chain(of: [alone.handle])) == .selfSigned)
    #expect(problem(try TrustStore.only([]).chain(of: [leaf.handle, middle.handle, root.handle])) == .unknownAuthority)
  }

  @Test("Roots are the system's, with or without added ones", arguments: [true, false])
  func theSystemsRootsAndOthers(_ isAdded: Bool) throws {
    let store = try isAdded ? TrustStore.system(adding: [root.handle]) : .system()
    #expect((problem(try store.chain(of: [leaf.handle, middle.handle])) == nil) == isAdded)
  }

  @Test(
    "A certificate outside of its validity is refused",
    arguments: [
      (-7200 ... -3600, CertificateProblem.expired), (3600...7200, .notYetValid),
    ])
  func timesMatter(_ validity: ClosedRange<Int>, expected: CertificateProblem) throws {
    let leaf = try ForgedCertificate(commonName: "leaf", validity: validity, issuer: root)
    do throws(ChainError) {
      _ = try store.chain(of: [leaf.handle])
      Issue.record("it was accepted")
    } catch {
      #expect(error.problem == expected)
      #expect(error.certificate?.der == leaf.handle.der)
      #expect(!error.message.isEmpty)
    }
    let weak = try ForgedCertificate(commonName: "weak", issuer: root, keyKind: .rsa1024)
    #expect(problem(try store.chain(of: [weak.handle])) == .weakKey)
  }

  @Test("A certificate that may not certify does not")
  func leavesDoNotCertify() throws {
    let false1 = try ForgedCertificate(commonName: "false", names: "DNS:example.test", issuer: leaf)
    #expect(problem(try store.chain(of: [false1.handle, leaf.handle, middle.handle])) != nil)
    #expect(X509Handle.issuedChain(in: [false1.handle, leaf.handle, middle.handle]).count == 1)
  }

  // MARK: Issuers without trust

  @Test("Of what a server sends, only that vouches for it which has signed it")
  func onlyIssuersVouch() throws {
    let pinned = try ForgedCertificate(commonName: "Pinned", isAuthority: true)
    let sent = [leaf, pinned, root, middle].map(\.handle)
    #expect(X509Handle.issuedChain(in: sent).map(\.der) == [leaf, middle, root].map(\.handle.der))
    // The same name, another key.
    let impostor = try ForgedCertificate(commonName: "Middle", isAuthority: true)
    #expect(X509Handle.issuedChain(in: [leaf.handle, impostor.handle]).map(\.der) == [leaf.handle.der])
    #expect(X509Handle.issuedChain(in: [root.handle, root.handle]).count == 2)
    #expect(X509Handle.issuedChain(in: []).isEmpty)
  }

  @Test(
    "The certificate must be for the host",
    arguments: [
      ("example.test", true), ("EXAMPLE.test.", true), ("a.wild.test", true), ("a.b.wild.test", false), ("127.0.0.1", true),
      ("::1", true), ("127.0.0.2", false), ("other.test", false), ("", false),
    ])
  func hosts(_ host: String, isFor: Bool) throws {
    let leaf = try ForgedCertificate(
      commonName: "other.test", names: "DNS:example.test, DNS:*.wild.test, IP:127.0.0.1, IP:::1")
    #expect(leaf.handle.isFor(host) == isFor)
  }

  // MARK: Lists

  @Test("A certificate on its issuer's list is refused, wherever in the chain it is")
  func listedCertificatesAreRefused() throws {
    let sent = [leaf.handle, middle.handle]
    for lists in [[try middle.revocationList(of: [leaf])], [try root.revocationList(of: [middle])]] {
      #expect(problem(try store.chain(of: sent, revocation: .listed(lists))) == .revoked)
      #expect(problem(try store.chain(of: sent)) == nil)
    }
    let others = [try root.revocationList(of: [leaf]), try middle.revocationList(of: [middle])]
    #expect(problem(try store.chain(of: sent, revocation: .listed(others))) == nil)
  }

  @Test("An old list still says who is revoked, and nothing about the others")
  func oldLists() throws {
    let sent = [leaf.handle, middle.handle]
    let old = -7200 ... -3600
    let lists = [try middle.revocationList(of: [leaf], validity: old)]
    #expect(problem(try store.chain(of: sent, revocation: .listed(lists))) == .revoked)
    let clean = [try middle.revocationList(of: [], validity: old), try root.revocationList(of: [])]
    #expect(problem(try store.chain(of: sent, revocation: .listed(clean))) == nil)
    #expect(problem(try store.chain(of: sent, revocation: .covered(clean))) == .revocationUnknown)
  }

  @Test("All of the chain is covered, or it is not known")
  func coverage() throws {
    let sent = [leaf.handle, middle.handle]
    let lists = [try middle.revocationList(of: []), try root.revocationList(of: [])]
    #expect(problem(try store.chain(of: sent, revocation: .covered(lists))) == nil)
    #expect(problem(try store.chain(of: sent, revocation: .covered([lists[0]]))) == .revocationUnknown)
    #expect(problem(try store.chain(of: sent, revocation: .covered([]))) == .revocationUnknown)
  }

  @Test("A list that a stranger has signed in the issuer's name counts for nothing")
  func forgedLists() throws {
    let stranger = try ForgedCertificate(commonName: "Middle", isAuthority: true)
    let forged = [try stranger.revocationList(of: [leaf])]
    let problem = problem(try store.chain(of: [leaf.handle, middle.handle], revocation: .listed(forged)))
    #expect(problem != .revoked)
    #expect(problem != nil, "a forged list is no reason to go on")
  }

  @Test("Lists are read from DER and PEM, whole")
  func listsAreRead() throws {
    let der = try root.revocationList(of: [leaf]).der
    #expect(RevocationListHandle(der: der.span)?.der == der)
    #expect(RevocationListHandle(der: (der + [0]).span) == nil)
    #expect(RevocationListHandle(pem: Array(PEM.text(label: "X509 CRL", der: der).utf8).span)?.der == der)
    #expect(RevocationListHandle(pem: leaf.pem.span) == nil)
  }
}
