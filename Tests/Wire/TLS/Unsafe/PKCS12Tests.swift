import COpenSSL
import Testing

@testable import TapelineTLS

@Suite("PKCS #12")
struct PKCS12Tests {
  @Test("A file opens with its password, holds the certificate and no key", arguments: ["", "secret", "pässword"])
  func contents(password: String) throws {
    let certificate = try CertificateAuthority.make(commonName: "test", validity: 0...1).certificate
    let bytes = try PKCS12.file(certificate.handle, name: "näme", password: password)
    let memory = unsafe BIO_new_mem_buf(bytes, Int32(bytes.count))
    defer { unsafe BIO_free(memory) }
    let file = unsafe d2i_PKCS12_bio(memory, nil)
    defer { unsafe PKCS12_free(file) }
    #expect(unsafe PKCS12_verify_mac(file, "wrong", -1) == 0)
    #expect(unsafe PKCS12_verify_mac(file, password, -1) == 1)

    var key: OpaquePointer?
    var leaf: OpaquePointer?
    var others: OpaquePointer?
    #expect(unsafe PKCS12_parse(file, password, &key, &leaf, &others) == 1)
    #expect(unsafe key == nil)
    let found = unsafe OPENSSL_sk_value(others, 0).map { unsafe X509Handle(adopting: OpaquePointer($0)) }
    unsafe OPENSSL_sk_free(others)
    #expect(found?.der == certificate.der)
  }
}
