import COpenSSL
import Testing

@testable import TapelineTLS

struct ServerLibraryTests {
  @Test func itDecodesTheKeysOfCertificatesOnly() throws {
    let owner = unsafe try #require(ServerLibrary.make(for: nil))
    defer { withExtendedLifetime(owner) {} }
    let library = unsafe owner.pointer
    let key = try ForgedCertificate(commonName: "x").handle.publicKeyInfo
    let isDecoded = unsafe key.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      let decoded = unsafe d2i_PUBKEY_ex(nil, &position, bytes.count, library, nil)
      defer { unsafe EVP_PKEY_free(decoded) }
      return unsafe decoded != nil
    }
    #expect(isDecoded)
    let counts = unsafe [nil, library].map { library in unsafe Self.decoderCount(of: library) }
    #expect(counts[1] > 0)
    #expect(counts[1] < counts[0])
  }

  private static func decoderCount(of library: OpaquePointer?) -> Int {
    var count = 0
    unsafe OSSL_DECODER_do_all_provided(
      library, { _, count in unsafe count?.assumingMemoryBound(to: Int.self).pointee += 1 }, &count)
    return count
  }

  @Test("What a system configures beside the default provider must reach our connections", arguments: ["default", "null"])
  func otherProviders(_ name: String) throws {
    let configured = unsafe OSSL_LIB_CTX_new()
    defer { unsafe OSSL_LIB_CTX_free(configured) }
    let provider = unsafe OSSL_PROVIDER_load(configured, name)
    defer { unsafe OSSL_PROVIDER_unload(provider) }
    let library = unsafe ServerLibrary.make(for: configured)
    #expect((library != nil) == (name == "default"))
  }
}
