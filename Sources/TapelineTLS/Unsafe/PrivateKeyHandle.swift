internal import COpenSSL

/// Owns one reference to an `EVP_PKEY`: a private key.
package struct PrivateKeyHandle: Sendable {
  private let object: OwnedObject
  /// SubjectPublicKeyInfo, DER. Stored because encoding it takes OpenSSL longer than a signature.
  package let publicKeyInfo: [UInt8]

  /// Takes over the caller's reference.
  @unsafe
  init(adopting pointer: OpaquePointer) {
    unsafe object = OwnedObject(pointer, free: EVP_PKEY_free)
    publicKeyInfo = unsafe encoded { unsafe i2d_PUBKEY(pointer, $0) }
  }

  /// A new EC key on P-256.
  package static func makeP256() throws(AuthorityError) -> PrivateKeyHandle {
    ErrorStack.clear()
    guard let key = unsafe tapeline_pkey_make_p256() else { throw .refused("key") }
    return unsafe PrivateKeyHandle(adopting: key)
  }

  /// Nil unless the text has a private key that needs no password.
  init?(pem: Span<UInt8>) {
    let key = unsafe readPEM(pem) { unsafe PEM_read_bio_PrivateKey($0, nil, passwordIsRefused, nil) }
    guard let key = unsafe key else { return nil }
    unsafe self.init(adopting: key)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  /// PrivateKeyInfo (PKCS #8), PEM, not encrypted: the file's mode protects it.
  var pem: String {
    guard let information = unsafe EVP_PKEY2PKCS8(pointer) else {
      preconditionFailure("every key that we hold has a PKCS #8 form")
    }
    defer { unsafe PKCS8_PRIV_KEY_INFO_free(information) }
    return PEM.text(label: "PRIVATE KEY", der: unsafe encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(information, $0) })
  }

  /// ECDSA with SHA-256, as certificates carry it (RFC 5758, 3.2).
  func signature(of message: Span<UInt8>) throws(AuthorityError) -> [UInt8] {
    ErrorStack.clear()
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure("OpenSSL has no memory for an EVP_MD_CTX")
    }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { throw .refused("signature") }
    var count = Int(unsafe EVP_PKEY_get_size(pointer))
    var signature = [UInt8](repeating: 0, count: count)
    let status = unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
    }
    guard status == 1 else { throw .refused("signature") }
    signature.removeSubrange(count...)
    return signature
  }
}

extension AuthorityError {
  /// OpenSSL's own words for its latest refusal on this thread.
  static func refused(_ what: String) -> AuthorityError {
    AuthorityError(
      .cryptography, what: "OpenSSL made no \(what)", why: ErrorStack.drain(),
      remedy: "check OpenSSL's configuration (OPENSSL_CONF)")
  }
}
