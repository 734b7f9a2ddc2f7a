/// What a stapled response says of a certificate.
package enum StapledStatus: Sendable, Hashable {
  case good
  case revoked
  /// Nothing, and why: it is damaged, of nobody who may say so, out of date, or about another certificate.
  case unknown(String)
}
