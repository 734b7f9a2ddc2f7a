internal import COpenSSL

/// The credentials for a handshake: a certificate, the chain above it, and the certificate's key.
package final class TLSCredentials: Sendable {
  package let leaf: X509Handle
  let key: PrivateKeyHandle
  private let chain: [X509Handle]

  package init(leaf: X509Handle, key: PrivateKeyHandle, chain: [X509Handle] = []) {
    self.leaf = leaf
    self.key = key
    self.chain = chain
  }

  /// Calls `body` with the `X509`, the `EVP_PKEY` and the chain's `X509`s. OpenSSL retains those that it keeps.
  @unsafe
  func withUnsafeHandles<Result, Failure>(
    _ body: (_ leaf: OpaquePointer, _ key: OpaquePointer, _ chain: [OpaquePointer]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return unsafe try body(leaf.pointer, key.pointer, chain.map { unsafe $0.pointer })
  }
}

extension TLSCredentials {
  /// A certificate, the chain above it, and its key, from PEM texts. Both texts may be the same.
  ///
  /// - Parameter certificates: in any order; the certificate that matches the key is the leaf.
  package convenience init(certificates: [UInt8], key: [UInt8], passphrase: String?) throws(KeyMaterialError) {
    guard let handles = X509Handle.certificates(pem: certificates) else { throw .malformed("a certificate is damaged") }
    guard !handles.isEmpty else { throw .noCertificate }
    try self.init(certificates: handles, key: PrivateKeyHandle(pem: key, passphrase: passphrase))
  }

  /// The credentials in a PKCS #12 file, DER, the usual export format of other programs.
  package convenience init(pkcs12: [UInt8], passphrase: String?) throws(KeyMaterialError) {
    ErrorStack.clear()
    let parsed = unsafe pkcs12.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return unsafe d2i_PKCS12(nil, &position, bytes.count)
    }
    guard let parsed = unsafe parsed else { throw .malformed("it is no PKCS #12 file: \(ErrorStack.drain())") }
    defer { unsafe PKCS12_free(parsed) }
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    guard unsafe PKCS12_parse(parsed, passphrase, &key, &certificate, &others) == 1 else {
      throw KeyMaterialError(passphrase: passphrase)
    }
    defer { unsafe tapeline_x509_stack_free_all(others) }
    let leaf = unsafe certificate.map { unsafe X509Handle(adopting: $0) }
    guard let key = unsafe key else { throw .noPrivateKey }
    let handle = unsafe PrivateKeyHandle(adopting: key)
    guard let leaf else { throw .noCertificate }
    try unsafe self.init(certificates: [leaf] + X509Stack.certificates(in: others), key: handle)
  }

  private convenience init(certificates: [X509Handle], key: PrivateKeyHandle) throws(KeyMaterialError) {
    guard let index = certificates.firstIndex(where: { $0.publicKeyInfo == key.publicKeyInfo }) else { throw .keyMismatch }
    var ordered = certificates
    ordered.insert(ordered.remove(at: index), at: 0)
    let chain = X509Handle.issuedChain(in: ordered)
    self.init(leaf: chain[0], key: key, chain: Array(chain.dropFirst()))
  }
}

extension KeyMaterialError {
  /// Why OpenSSL has just failed to open a PKCS #12 file on this thread.
  fileprivate init(passphrase: String?) {
    let entries = ErrorStack.drainEntries()
    if entries.contains(where: \.isUnsupportedAlgorithm) {
      self = .unsupportedEncryption(ErrorStack.text(of: entries))
    } else if entries.contains(where: { $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_MAC_VERIFY_FAILURE }) {
      self = passphrase?.isEmpty ?? true ? .passphraseRequired : .wrongPassphrase
    } else {
      self = .malformed(ErrorStack.text(of: entries))
    }
  }
}

/// Why the input contains no usable credentials.
package enum KeyMaterialError: Error, Sendable, Hashable {
  case noCertificate
  case noPrivateKey
  /// The key is encrypted, and no passphrase was given.
  case passphraseRequired
  case wrongPassphrase
  /// None of the certificates matches the key.
  case keyMismatch
  /// The key uses an algorithm that OpenSSL no longer supports.
  case unsupportedEncryption(String)
  case malformed(String)
}

/// A file with certificates, keys or lists of revoked certificates.
package enum KeyMaterialFile {
  /// The whole content of the file; the error's message does not name the file.
  package static func read(_ path: String) throws(TLSError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(AuthorityError) {
      bytes = try AuthorityFiles.readIfPresent(path)
    } catch {
      throw TLSError(.configuration, error.why)
    }
    guard let bytes else { throw TLSError(.configuration, "there is no such file") }
    return bytes
  }
}
