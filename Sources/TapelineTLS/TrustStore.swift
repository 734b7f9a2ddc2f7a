/// Whom we believe when they vouch for an origin.
package struct TrustStore: Sendable {
  let anchors: TrustAnchors

  /// The system's roots: those of OpenSSL's default places, or of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  package static func system() throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.addSystemRoots()
    return TrustStore(anchors: anchors)
  }

  /// The system's roots and the certificates of a PEM file. Those may be intermediate or the origin's own: whoever names them
  /// trusts them.
  package static func system(adding file: String) throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.addSystemRoots()
    try anchors.add(file: file)
    return TrustStore(anchors: anchors)
  }

  /// The certificates of a PEM file, and nothing else.
  package static func only(_ file: String) throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.add(file: file)
    return TrustStore(anchors: anchors)
  }
}
