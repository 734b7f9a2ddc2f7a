internal import COpenSSL

/// A public key as certificates carry it: SubjectPublicKeyInfo (RFC 5280 4.1.2.7), DER.
package enum PublicKeyInfo {
  /// Nil unless `der` is one whole public key that OpenSSL knows.
  package static func read(der: Span<UInt8>) -> [UInt8]? {
    ErrorStack.clear()
    defer { ErrorStack.clear() }
    return unsafe der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      guard let key = unsafe d2i_PUBKEY(nil, &position, bytes.count) else { return nil }
      defer { unsafe EVP_PKEY_free(key) }
      guard unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }) else { return nil }
      return unsafe encoded { unsafe i2d_PUBKEY(key, $0) }
    }
  }

  /// The first public key of a PEM text.
  package static func read(pem: Span<UInt8>) -> [UInt8]? {
    defer { ErrorStack.clear() }
    let key = unsafe readPEM(pem) { unsafe PEM_read_bio_PUBKEY($0, nil, passwordIsRefused, nil) }
    guard let key = unsafe key else { return nil }
    defer { unsafe EVP_PKEY_free(key) }
    return unsafe encoded { unsafe i2d_PUBKEY(key, $0) }
  }

  /// SHA-256, Base64 (RFC 7469 2.4).
  package static func pin(of bytes: [UInt8]) -> String {
    KeyIdentifier.pin(of: bytes)
  }
}
