/// The certificates that we trust to vouch for an origin.
package struct TrustStore: Sendable {
  let anchors: TrustAnchors

  /// The system's roots: from OpenSSL's default places, or from `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  package static func system() throws(TLSError) -> TrustStore {
    try system(adding: [])
  }

  /// The system's roots and the certificates of a PEM file. They may be intermediate or the origin's own: naming the file means
  /// trusting them.
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

  /// Only the certificates of a PEM file.
  package static func only(_ file: String) throws(TLSError) -> TrustStore {
    let anchors = TrustAnchors()
    try anchors.add(file: file)
    return TrustStore(anchors: anchors)
  }

  /// Only `certificates`, which may be intermediate or an origin's own.
  package static func only(_ certificates: [X509Handle]) -> TrustStore {
    let anchors = TrustAnchors()
    anchors.add(certificates)
    return TrustStore(anchors: anchors)
  }
}
