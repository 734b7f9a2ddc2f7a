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

/// Why a chain of certificates is not trusted.
package struct ChainError: Error, Sendable {
  package let problem: CertificateProblem
  package let message: String
  /// The certificate that caused the problem, if a single one did.
  package let certificate: X509Handle?

  package init(problem: CertificateProblem, message: String, certificate: X509Handle?) {
    self.problem = problem
    self.message = message
    self.certificate = certificate
  }
}

/// The status of a certificate according to a stapled response.
package enum StapledStatus: Sendable, Hashable {
  case good
  case revoked
  /// The response says nothing, and why: it is damaged, its signer is not entitled, it is out of date, or it is about another
  /// certificate.
  case unknown(String)
}

/// Why a certificate was not accepted.
package enum CertificateProblem: Sendable, Hashable {
  case expired
  case notYetValid
  /// It is self-signed, and we do not trust it.
  case selfSigned
  /// We do not trust its issuer.
  case unknownAuthority
  /// It is for other names or addresses.
  case hostMismatch
  case revoked
  /// Its revocation status is required but unknown.
  case revocationUnknown
  /// A key or a signature of the chain is too weak.
  case weakKey
  /// OpenSSL's words for any other cause.
  case other(String)
}

/// The parts of a certificate that interest a person.
package struct CertificateSummary: Sendable, Hashable {
  /// Distinguished names in the order and with the escapes of RFC 2253.
  package let subject: String
  package let issuer: String
  /// Subject alternative names, DNS names and addresses, in the certificate's order.
  package let names: [String]
  /// Seconds since 1970.
  package let notBefore: Int64
  package let notAfter: Int64
  /// SHA-256 of the DER form, lower-case hexadecimal.
  package let fingerprint: String
  /// Lower-case hexadecimal.
  package let serialNumber: String
}
