import COpenSSL
import Testing

/// The fence links, and what macros hide is reachable.
struct COpenSSLTests {
  @Test func theLibraryIsThere() {
    #expect(OpenSSL_version_num() >= 0x3000_0000)
  }

  @Test func macrosHaveFunctions() throws {
    let context = unsafe try #require(unsafe SSL_CTX_new(TLS_method()))
    defer { unsafe SSL_CTX_free(context) }
    #expect(unsafe tapeline_ssl_context_set_minimum_version(context, TLS1_2_VERSION) == 1)
    let ssl = unsafe try #require(unsafe SSL_new(context))
    defer { unsafe SSL_free(ssl) }
    #expect(unsafe tapeline_ssl_set_server_name(ssl, "example.test") == 1)
    let bio = unsafe try #require(unsafe BIO_new(BIO_s_mem()))
    defer { unsafe BIO_free(bio) }
    #expect(unsafe BIO_write(bio, [1, 2, 3] as [UInt8], 3) == 3)
    #expect(unsafe tapeline_bio_pending(bio) == 3)
  }
}
