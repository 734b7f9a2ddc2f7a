import TapelineTestSupport
import Testing

@testable import TapelineCore

/// Who the client is, as other programs write it down.
struct ClientIdentityTests {
  private let chain: IssuedChain
  private let directory: TemporaryDirectory

  init() throws {
    chain = try IssuedChain.shared.get()
    directory = try TemporaryDirectory()
  }

  private func error(_ identity: @autoclosure () throws -> ClientIdentity) -> TLSMaterialError? {
    do {
      _ = try identity()
      return nil
    } catch {
      return error as? TLSMaterialError
    }
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try TLSMaterialError.read(path), as: UTF8.self)
  }

  @Test("An identity is read from PEM texts and files, apart or together") func pem() throws {
    let leaf = chain.leaf
    #expect(
      try ClientIdentity(certificateFile: leaf.certificateFile, privateKeyFile: leaf.keyFile).certificate == leaf.certificate)
    let certificates = try text(leaf.certificateFile) + text(chain.middle.certificateFile)
    #expect(try ClientIdentity(certificates: certificates, privateKey: text(leaf.keyFile)).certificate == leaf.certificate)
    let whole = try directory.write(certificates + text(leaf.keyFile), to: "whole.pem")
    #expect(try ClientIdentity(certificateFile: whole).certificate == leaf.certificate)
  }

  @Test("An encrypted key needs its passphrase") func encryptedKey() throws {
    let key = directory.path("encrypted.pem")
    try openssl(["pkey", "-in", chain.leaf.keyFile, "-aes256", "-passout", "pass:opensesame", "-out", key])
    let certificate = chain.leaf.certificateFile
    #expect(
      try ClientIdentity(certificateFile: certificate, privateKeyFile: key, passphrase: "opensesame").certificate
        == chain.leaf.certificate)
    let missing = error(try ClientIdentity(certificateFile: certificate, privateKeyFile: key))
    #expect(missing?.kind == .passphraseRequired)
    #expect(missing?.message == "\(key) is encrypted and needs a passphrase")
    let wrong = error(try ClientIdentity(certificateFile: certificate, privateKeyFile: key, passphrase: "sesame"))
    #expect(wrong?.kind == .wrongPassphrase)
    #expect(wrong?.description == "the passphrase does not open \(key)")
  }

  @Test("An identity is read from PKCS #12") func pkcs12() throws {
    let file = directory.path("identity.p12")
    try openssl(
      ["pkcs12", "-export", "-in", chain.leaf.certificateFile, "-inkey", chain.leaf.keyFile, "-passout", "pass:opensesame"]
        + ["-certfile", chain.middle.certificateFile, "-out", file])
    #expect(try ClientIdentity(pkcs12File: file, passphrase: "opensesame").certificate == chain.leaf.certificate)
    #expect(
      try ClientIdentity(pkcs12: TLSMaterialError.read(file), passphrase: "opensesame").certificate == chain.leaf.certificate)
    #expect(error(try ClientIdentity(pkcs12File: file, passphrase: "sesame"))?.kind == .wrongPassphrase)
    #expect(error(try ClientIdentity(pkcs12File: file, passphrase: nil))?.kind == .passphraseRequired)
    let certificate = chain.leaf.certificateFile
    #expect(error(try ClientIdentity(pkcs12File: certificate, passphrase: nil))?.kind == .malformed)
  }

  @Test("The error names the missing part") func whatIsMissing() throws {
    let (certificate, key) = (chain.leaf.certificateFile, chain.leaf.keyFile)
    let absent = directory.path("absent.pem")
    let unreadable = error(try ClientIdentity(certificateFile: absent))
    #expect(unreadable?.kind == .unreadableFile)
    #expect(unreadable?.message == "\(absent) cannot be read: there is no such file")
    let keyless = error(try ClientIdentity(certificateFile: certificate))
    #expect(keyless?.message == "there is no private key in \(certificate)")
    let bare = error(try ClientIdentity(certificateFile: key))
    #expect(bare?.message == "there is no certificate in \(key)")
    let other = chain.root.keyFile
    let mismatch = error(try ClientIdentity(certificateFile: certificate, privateKeyFile: other))
    #expect(mismatch?.kind == .keyMismatch)
  }

  @Test("An identity is found by host") func byHost() throws {
    let one = try ClientIdentity(certificateFile: chain.leaf.certificateFile, privateKeyFile: chain.leaf.keyFile)
    let two = try ClientIdentity(certificateFile: chain.root.certificateFile, privateKeyFile: chain.root.keyFile)
    let identities = ClientIdentities(default: one, hosts: ["*.corp.test": two])
    #expect(identities["a.test"]?.certificate == one.certificate)
    #expect(identities["a.corp.test"]?.certificate == two.certificate)
    #expect(ClientIdentities.none["a.test"] == nil)
    #expect(ClientIdentities(hosts: ["a.test": one])["b.test"] == nil)
  }
}
