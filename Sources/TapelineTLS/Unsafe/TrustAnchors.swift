internal import COpenSSL

/// Owns one `X509_STORE`: the certificates that chains may end in.
struct TrustAnchors: Sendable {
  private let object: OwnedObject

  init() {
    guard let store = unsafe X509_STORE_new() else {
      preconditionFailure("OpenSSL has no memory for an X509_STORE")
    }
    unsafe object = OwnedObject(store, free: X509_STORE_free)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  /// OpenSSL's default file and directory, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
  func addSystemRoots() throws(TLSError) {
    ErrorStack.clear()
    guard unsafe X509_STORE_set_default_paths(pointer) == 1 else {
      throw TLSError(.configuration, "the system's root certificates cannot be loaded: \(ErrorStack.drain())")
    }
  }

  /// The certificates of a PEM file, which need not be roots: a chain may end in any of them.
  func add(file: String) throws(TLSError) {
    ErrorStack.clear()
    guard unsafe X509_STORE_load_file(pointer, file) == 1 else {
      throw TLSError(.configuration, "certificates cannot be loaded from \(file): \(ErrorStack.drain())")
    }
    acceptPartialChains()
  }

  /// Like `add(file:)`. Adding a certificate twice has no effect.
  func add(_ certificates: [X509Handle]) {
    guard !certificates.isEmpty else { return }
    for certificate in certificates {
      let status = unsafe X509_STORE_add_cert(pointer, certificate.pointer)
      precondition(status == 1, "OpenSSL has no memory for an anchor")
    }
    acceptPartialChains()
  }

  private func acceptPartialChains() {
    unsafe X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }
}
