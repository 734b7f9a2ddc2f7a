internal import COpenSSL

extension SSLHandle {
  /// The credentials that a server presents. OpenSSL takes its own references.
  func present(_ credentials: TLSCredentials) throws(TLSError) {
    ErrorStack.clear()
    let isPresented = unsafe credentials.withUnsafeHandles { leaf, key, chain in
      unsafe SSL_use_certificate(pointer, leaf) == 1 && SSL_use_PrivateKey(pointer, key) == 1
        && chain.allSatisfy { unsafe tapeline_ssl_add_chain_certificate(pointer, $0) == 1 }
    }
    guard isPresented else {
      throw TLSError(.configuration, "the certificate cannot be used: \(ErrorStack.drain())")
    }
  }
}
