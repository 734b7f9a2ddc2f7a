internal import COpenSSL

/// A PKCS #12 file with one certificate and no key, for systems that import no other format.
enum PKCS12 {
  /// Rounds of key derivation for the checksum: OpenSSL's own default.
  private static let rounds: Int32 = 2_048

  /// The certificate is public and stays readable. The checksum uses SHA-1, which every reader supports: older Apple and Android
  /// versions support nothing else. With a password that is empty or published, a better checksum would protect nothing more.
  static func file(_ certificate: X509Handle, name: String, password: String) throws(AuthorityError) -> [UInt8] {
    ErrorStack.clear()
    let withoutChecksum: Int32 = -1
    guard
      let file = unsafe PKCS12_create(password, name, nil, certificate.pointer, nil, -1, -1, 0, withoutChecksum, 0)
    else { throw .refused("PKCS #12 file") }
    defer { unsafe PKCS12_free(file) }
    guard unsafe PKCS12_set_mac(file, password, -1, nil, 0, rounds, EVP_sha1()) == 1 else { throw .refused("PKCS #12 file") }
    return unsafe encoded { unsafe i2d_PKCS12(file, $0) }
  }
}
