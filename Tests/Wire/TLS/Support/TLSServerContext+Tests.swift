import COpenSSL
import Synchronization

@testable import TapelineTLS

extension TLSServerContext {
  /// Has the server staple `response` for clients that ask. Our own servers never do.
  func staple(_ response: [UInt8]) {
    stapledResponses.withLock { unsafe $0[UInt(bitPattern: handle.pointer)] = response }
    unsafe tapeline_ssl_context_set_stapling_callback(handle.pointer, responseIsStapled)
  }

  /// Has the server ask its clients who they are.
  func askForCertificates(issuedBy authority: ForgedCertificate, mandatory: Bool) throws {
    try handle.verifyPeers(by: authority.trusted().anchors, refuses: true)
    unsafe SSL_CTX_set_verify(handle.pointer, SSL_VERIFY_PEER | (mandatory ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nil)
  }
}

extension TLSEngine {
  /// The certificates that a client has shown to this server, its own first.
  var shownByClient: [X509Handle] {
    guard let own = unsafe SSL_get1_peer_certificate(ssl.pointer) else { return [] }
    return unsafe [X509Handle(adopting: own)] + ssl.presentedChain
  }
}

/// By the address of a server's `SSL_CTX`.
private let stapledResponses = Mutex<[UInt: [UInt8]]>([:])

private func responseIsStapled(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  let context = unsafe UInt(bitPattern: SSL_get_SSL_CTX(ssl))
  guard let response = stapledResponses.withLock({ $0[context] }) else { return SSL_TLSEXT_ERR_NOACK }
  // OpenSSL frees it.
  let copy = unsafe CRYPTO_malloc(response.count, nil, 0)
  unsafe copy?.copyMemory(from: response, byteCount: response.count)
  unsafe SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP, response.count, copy)
  return SSL_TLSEXT_ERR_OK
}
