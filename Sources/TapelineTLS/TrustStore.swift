/// Whom we believe when they vouch for an origin.
package struct TrustStore: Sendable {
  let anchors: TrustAnchors

  /// The system's roots: those of OpenSSL's default places, or of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  package static func system() throws(TLSError) -> TrustStore {
    try system(adding: [])
  }

  /// The system's roots and the certificates of a PEM file. Those may be intermediate or the origin's own: whoever names them
  /// trusts them.
  package static func system(adding file: String) throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.addSystemRoots()
    try anchors.add(file: file)
    return TrustStore(anchors: anchors)
  }

  /// The system's roots and `certificates`, which may be intermediate or an origin's own.
  package static func system(adding certificates: [X509Handle]) throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.addSystemRoots()
    anchors.add(certificates)
    return TrustStore(anchors: anchors)
  }

  /// The certificates of a PEM file, and nothing else.
  package static func only(_ file: String) throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.add(file: file)
    return TrustStore(anchors: anchors)
  }

  /// Nothing but `certificates`, which may be intermediate or an origin's own.
  package static func only(_ certificates: [X509Handle]) -> TrustStore {
    let anchors = TrustAnchors()
    anchors.add(certificates)
    return TrustStore(anchors: anchors)
  }
}
