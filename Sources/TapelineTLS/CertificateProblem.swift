/// Why a certificate was not accepted.
package enum CertificateProblem: Sendable, Hashable {
  case expired
  case notYetValid
  /// It vouches for itself, and nobody else does.
  case selfSigned
  /// It was issued, but by nobody whom we trust.
  case unknownAuthority
  /// It is for other names or addresses.
  case hostMismatch
  case revoked
  /// Nothing at hand says whether it was revoked, and something had to.
  case revocationUnknown
  /// A key or a signature of the chain is too weak.
  case weakKey
  /// OpenSSL's words for any other cause.
  case other(String)
}
