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
