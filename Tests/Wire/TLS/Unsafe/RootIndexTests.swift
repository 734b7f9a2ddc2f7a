import TapelineTestSupport
import Testing

@testable import TapelineTLS

/// Roots that OpenSSL gets when it asks for them.
struct RootIndexTests {
  private let root: ForgedCertificate
  private let leaf: ForgedCertificate

  init() throws {
    root = try ForgedCertificate(commonName: "Root", isAuthority: true, serialNumber: 1)
    leaf = try ForgedCertificate(commonName: "leaf", names: "DNS:example.test", issuer: root, serialNumber: 2)
  }

  private func roots(in text: [UInt8]) -> RootIndex? { RootIndex(pem: text) }

  private func store(of certificates: ForgedCertificate...) throws -> TrustStore {
    let index = try #require(roots(in: certificates.flatMap(\.pem)))
    let anchors = TrustAnchors()
    unsafe index.attach(to: anchors.pointer)
    return TrustStore(anchors: anchors)
  }

  @Test("A chain ends in a root of the file, at the first question and later, and in no other")
  func chains() throws {
    let other = try ForgedCertificate(commonName: "Other", isAuthority: true)
    let store = try store(of: other, root)
    for _ in 0..<2 { #expect(try store.chain(of: [leaf.handle]).map(\.der) == [leaf, root].map(\.handle.der)) }
    let strange = try ForgedCertificate(
      commonName: "strange", issuer: ForgedCertificate(commonName: "Unknown", isAuthority: true))
    #expect(throws: ChainError.self) { try store.chain(of: [strange.handle]) }
  }

  @Test("A root that was renewed with the same key is found, whichever of the two OpenSSL takes")
  func renewedRoots() throws {
    let renewed = try ForgedCertificate(commonName: "Root", isAuthority: true, key: root.key, serialNumber: 3)
    let expired = try ForgedCertificate(
      commonName: "Root", isAuthority: true, validity: -7200...(-3600), key: root.key, serialNumber: 4)
    #expect(try store(of: renewed, root).chain(of: [leaf.handle]).count == 2)
    #expect(try store(of: expired, root).chain(of: [leaf.handle]).last?.der == root.handle.der)
    #expect(try store(of: root, expired).chain(of: [leaf.handle]).last?.der == root.handle.der)
  }

  @Test("Threads that ask at once get the same certificate, which outlives the index's maker")
  func threads() async throws {
    for _ in 0..<20 {
      let store = try store(of: root)
      let found = await withTaskGroup(of: [UInt8]?.self) { group in
        for _ in 0..<8 { group.addTask { store.issuer(of: leaf.handle)?.der } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(found.allSatisfy { $0 == root.handle.der })
    }
  }

  @Test("A certificate in both is trusted, whichever copy OpenSSL takes")
  func addedTwice() throws {
    let index = try #require(roots(in: root.pem))
    let anchors = TrustAnchors()
    unsafe index.attach(to: anchors.pointer)
    let copies = try #require(X509Handle.certificates(pem: root.pem))
    anchors.add(copies)
    #expect(try TrustStore(anchors: anchors).chain(of: [leaf.handle]).count == 2)
  }

  @Test("What is no list of plain certificates is left to OpenSSL")
  func otherFiles() throws {
    let der = root.handle.der
    let texts = [
      "", "nothing\n", PEM.text(label: "X509 CRL", der: der), PEM.text(label: "TRUSTED CERTIFICATE", der: der),
      String(decoding: root.pem, as: UTF8.self) + PEM.text(label: "PRIVATE KEY", der: der),
      String(decoding: root.pem, as: UTF8.self) + "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n",
      String(decoding: root.pem.dropLast(40), as: UTF8.self),
      String(decoding: root.pem, as: UTF8.self) + "-----END CERTIFICATE-----\n",
    ]
    for text in texts { #expect(roots(in: Array(text.utf8)) == nil, "\(text.prefix(60))") }
  }

  @Test("A certificate that is cut anywhere is not one")
  func cutCertificates() {
    for count in 1..<root.handle.der.count {
      let text = PEM.text(label: "CERTIFICATE", der: Array(root.handle.der.prefix(count)))
      #expect(roots(in: Array(text.utf8)) == nil, "\(count) bytes")
    }
  }

  @Test("Every root of this system is found by its name")
  func theSystemsRoots() throws {
    let file = try #require(CertificateBundle.systemRoots(environment: [:]))
    let text = try #require(try AuthorityFiles.readIfPresent(file))
    #expect(roots(in: text) != nil)
    let store = try TrustStore.system()
    let roots = try #require(X509Handle.certificates(pem: text))
    // Some have been renewed, with the same key.
    for root in roots where root.hasIssued(root) {
      #expect(store.issuer(of: root)?.publicKeyInfo == root.publicKeyInfo, "\(root.summary.subject)")
    }
  }
}
