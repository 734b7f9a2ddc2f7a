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

extension PrivateKeyHandle {
  /// The private key of a PEM text: PKCS #8, or one of the older forms.
  ///
  /// - Parameter passphrase: ignored if the key is not encrypted.
  package init(pem: [UInt8], passphrase: String?) throws(KeyMaterialError) {
    guard pem.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil else { throw .noPrivateKey }
    var answer = PassphraseAnswer(passphrase: passphrase.map { Array($0.utf8) })
    let key = unsafe withUnsafeMutablePointer(to: &answer) { answer in
      unsafe readPEM(pem.span) { unsafe PEM_read_bio_PrivateKey($0, nil, passphraseIsGiven, answer) }
    }
    guard let key = unsafe key else {
      throw KeyMaterialError(passphrase: passphrase, wasAsked: answer.wasAsked)
    }
    unsafe self.init(adopting: key)
  }
}

extension KeyMaterialError {
  /// Why OpenSSL has just failed to read a key on this thread.
  init(passphrase: String?, wasAsked: Bool) {
    let entries = ErrorStack.drainEntries()
    let text = ErrorStack.text(of: entries)
    if entries.contains(where: \.isUnsupportedAlgorithm), !wasAsked || passphrase != nil {
      self = .unsupportedEncryption(text)
    } else if wasAsked {
      self = passphrase == nil ? .passphraseRequired : .wrongPassphrase
    } else {
      self = .malformed(text)
    }
  }
}

extension ErrorStack.Entry {
  /// No provider has the algorithm, of whatever kind.
  var isUnsupportedAlgorithm: Bool {
    library == ERR_LIB_EVP && reason == tapeline_err_unsupported
  }
}

private struct PassphraseAnswer {
  let passphrase: [UInt8]?
  var wasAsked = false
}

/// `pem_password_cb`: copies the passphrase to OpenSSL's buffer; a passphrase that does not fit cannot be right.
private func passphraseIsGiven(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let answer = unsafe context?.assumingMemoryBound(to: PassphraseAnswer.self) else { return -1 }
  unsafe answer.pointee.wasAsked = true
  guard let passphrase = unsafe answer.pointee.passphrase, passphrase.count <= size else { return -1 }
  unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyBytes(from: passphrase)
  return Int32(passphrase.count)
}
