import COpenSSL
import Testing

@testable import TapelineTLS

@Suite("Private key handle")
struct PrivateKeyHandleTests {
  @Test("PEM gives the same key back")
  func pem() throws {
    let key = try PrivateKeyHandle.makeP256()
    let text = Array(key.pem.utf8)
    #expect(PrivateKeyHandle(pem: text.span)?.publicKeyInfo == key.publicKeyInfo)
    let damaged = Array(key.pem.dropLast(40).utf8)
    #expect(PrivateKeyHandle(pem: damaged.span) == nil)
  }

  @Test("No two keys are the same")
  func distinct() throws {
    #expect(try PrivateKeyHandle.makeP256().publicKeyInfo != PrivateKeyHandle.makeP256().publicKeyInfo)
  }

  @Test("A signature holds for its message only")
  func signature() throws {
    let key = try PrivateKeyHandle.makeP256()
    let message = Array("message".utf8)
    let signature = try key.signature(of: message.span)
    #expect(verifies(signature, message, by: key))
    #expect(!verifies(signature, Array("massage".utf8), by: key))
  }

  private func verifies(_ signature: [UInt8], _ message: [UInt8], by key: PrivateKeyHandle) -> Bool {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer)
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
