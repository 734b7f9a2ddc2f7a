internal import COpenSSL

extension SSLHandle {
  /// Ends the handshake if the server is not accepted, whatever the context's setting.
  func refusePeers(askingForStapledResponse asks: Bool) {
    unsafe SSL_set_verify(pointer, SSL_VERIFY_PEER, nil)
    if asks { unsafe tapeline_ssl_ask_for_stapled_response(pointer) }
  }

  var version: TLSVersion {
    guard let version = unsafe TLSVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(pointer))) else {
      preconditionFailure("OpenSSL chose a version that it was not told")
    }
    return version
  }

  var isResumed: Bool { unsafe SSL_session_reused(pointer) == 1 }

  /// The certificates that the server sent, its own first: known before they are verified, and remembered in sessions.
  var presentedChain: [X509Handle] {
    let chain = unsafe SSL_get_peer_cert_chain(pointer)
    return unsafe X509Stack.certificates(in: chain)
  }

  var presentedCertificate: CertificateSummary? {
    unsafe tapeline_ssl_presented_certificate(pointer).map { unsafe CertificateSummary(reading: $0) }
  }

  /// The response that the server stapled in this handshake (RFC 6066 8), DER.
  var stapledResponse: [UInt8]? {
    var bytes: UnsafePointer<UInt8>?
    let count = unsafe tapeline_ssl_stapled_response(pointer, &bytes)
    guard count > 0, let bytes = unsafe bytes else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
