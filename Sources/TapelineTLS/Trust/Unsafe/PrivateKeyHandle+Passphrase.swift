internal import COpenSSL

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
