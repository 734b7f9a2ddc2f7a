/// The status of a certificate according to a stapled response.
package enum StapledStatus: Sendable, Hashable {
  case good
  case revoked
  /// The response says nothing, and why: it is damaged, its signer is not entitled, it is out of date, or it is about another
  /// certificate.
  case unknown(String)
}
