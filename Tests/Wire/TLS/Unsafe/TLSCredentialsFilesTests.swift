import COpenSSL
import TapelineTestSupport
import Testing

@testable import TapelineTLS

/// Credentials from what other programs write.
struct TLSCredentialsFilesTests {
  private let root: ForgedCertificate
  private let leaf: ForgedCertificate

  init() throws {
    root = try ForgedCertificate(commonName: "Root", isAuthority: true)
    leaf = try ForgedCertificate(commonName: "leaf", issuer: root)
  }

  private var key: [UInt8] { Array(leaf.key.pem.utf8) }

  private var encryptedKey: [UInt8] {
    unsafe ForgedCertificate.text { bio in
      unsafe PEM_write_bio_PKCS8PrivateKey(bio, leaf.key.pointer, EVP_aes_256_cbc(), "opensesame", 10, nil, nil)
    }
  }

  /// With a `Proc-Type` header, as OpenSSL once wrote keys.
  private var oldEncryptedKey: [UInt8] {
    let passphrase = Array("opensesame".utf8)
    return unsafe ForgedCertificate.text { bio in
      unsafe PEM_write_bio_PrivateKey_traditional(
        bio, leaf.key.pointer, EVP_aes_128_cbc(), passphrase, Int32(passphrase.count), nil, nil)
    }
  }

  private func problem(_ credentials: @autoclosure () throws -> TLSCredentials) -> KeyMaterialError? {
    do {
      _ = try credentials()
      return nil
    } catch {
      return error as? KeyMaterialError
    }
  }

  private func isMalformed(_ error: KeyMaterialError?) -> Bool {
    if case .malformed = error { true } else { false }
  }

  // MARK: PEM

  @Test("PEM in any order, in one text or in two")
  func pemInAnyOrder() throws {
    for certificates in [leaf.pem + root.pem, root.pem + leaf.pem] {
      let credentials = try TLSCredentials(certificates: certificates, key: key, passphrase: nil)
      #expect(credentials.leaf.der == leaf.handle.der)
      #expect(unsafe credentials.withUnsafeHandles { _, _, chain in unsafe chain.count } == 1)
    }
    let whole = key + root.pem + leaf.pem
    #expect(try TLSCredentials(certificates: whole, key: whole, passphrase: "unused").leaf.der == leaf.handle.der)
  }

  @Test("Certificates that do not belong to the chain are not shown")
  func strangersAreNotShown() throws {
    let stranger = try ForgedCertificate(commonName: "Stranger", isAuthority: true)
    let credentials = try TLSCredentials(certificates: leaf.pem + stranger.pem, key: key, passphrase: nil)
    #expect(unsafe credentials.withUnsafeHandles { _, _, chain in unsafe chain.isEmpty })
  }

  @Test("An encrypted key needs its passphrase", arguments: [false, true])
  func encryptedKeys(_ isOld: Bool) throws {
    let key = isOld ? oldEncryptedKey : encryptedKey
    #expect(try TLSCredentials(certificates: leaf.pem, key: key, passphrase: "opensesame").leaf.der == leaf.handle.der)
    #expect(problem(try TLSCredentials(certificates: leaf.pem, key: key, passphrase: nil)) == .passphraseRequired)
    for wrong in ["sesame", "", String(repeating: "x", count: 5000)] {
      #expect(problem(try TLSCredentials(certificates: leaf.pem, key: key, passphrase: wrong)) == .wrongPassphrase)
    }
  }

  @Test("What is missing, and what does not fit")
  func whatIsMissing() throws {
    let other = try ForgedCertificate(commonName: "other")
    #expect(problem(try TLSCredentials(certificates: [], key: key, passphrase: nil)) == .noCertificate)
    #expect(problem(try TLSCredentials(certificates: leaf.pem, key: leaf.pem, passphrase: nil)) == .noPrivateKey)
    #expect(problem(try TLSCredentials(certificates: other.pem, key: key, passphrase: nil)) == .keyMismatch)
    let damagedKey = Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)
    #expect(problem(try TLSCredentials(certificates: leaf.pem, key: damagedKey, passphrase: nil)) != nil)
    let damaged = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
    #expect(isMalformed(problem(try TLSCredentials(certificates: damaged, key: key, passphrase: nil))))
  }

  // MARK: PKCS #12

  private func pkcs12(passphrase: String?, withKey: Bool = true, withCertificate: Bool = true) throws -> [UInt8] {
    let file = unsafe X509Stack.withStack(of: [root.handle]) { chain in
      unsafe PKCS12_create(
        passphrase, "leaf", withKey ? leaf.key.pointer : nil, withCertificate ? leaf.handle.pointer : nil, chain, 0, 0, 0, 0, 0)
    }
    guard let file = unsafe file else { throw ForgeryError("PKCS12_create: \(ErrorStack.drain())") }
    defer { unsafe PKCS12_free(file) }
    return unsafe encoded { unsafe i2d_PKCS12(file, $0) }
  }

  @Test("PKCS #12 is read with its chain", arguments: ["opensesame", "", nil])
  func pkcs12(_ passphrase: String?) throws {
    let credentials = try TLSCredentials(pkcs12: pkcs12(passphrase: passphrase), passphrase: passphrase)
    #expect(credentials.leaf.der == leaf.handle.der)
    #expect(unsafe credentials.withUnsafeHandles { _, _, chain in unsafe chain.count } == 1)
  }

  @Test("A PKCS #12 file that does not open is an error")
  func pkcs12ThatDoesNotOpen() throws {
    let file = try pkcs12(passphrase: "opensesame")
    #expect(problem(try TLSCredentials(pkcs12: file, passphrase: "sesame")) == .wrongPassphrase)
    #expect(problem(try TLSCredentials(pkcs12: file, passphrase: nil)) == .passphraseRequired)
    #expect(isMalformed(problem(try TLSCredentials(pkcs12: leaf.pem, passphrase: nil))))
    #expect(isMalformed(problem(try TLSCredentials(pkcs12: [], passphrase: nil))))
    let publicOnly = try pkcs12(passphrase: "x", withKey: false)
    #expect(problem(try TLSCredentials(pkcs12: publicOnly, passphrase: "x")) == .noPrivateKey)
  }

  @Test("PKCS #12 of the old kind is told apart")
  func oldPKCS12() throws {
    let directory = try TemporaryDirectory()
    let certificate = try directory.write(leaf.pem, to: "leaf.pem")
    let key = try directory.write(key, to: "leaf.key")
    let process = try TestProcess(
      "openssl",
      [
        "pkcs12", "-export", "-legacy", "-in", certificate, "-inkey", key, "-passout", "pass:x", "-out",
        directory.path("old.p12"),
      ])
    try #require(try process.wait().isSuccess)
    let old = try KeyMaterialFile.read(directory.path("old.p12"))
    let problem = problem(try TLSCredentials(pkcs12: old, passphrase: "x"))
    guard case .unsupportedEncryption = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
  }
}
