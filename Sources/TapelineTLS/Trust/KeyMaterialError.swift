/// Why there are no credentials in what was given.
package enum KeyMaterialError: Error, Sendable, Hashable {
  case noCertificate
  case noPrivateKey
  /// The key is encrypted, and no passphrase was given.
  case passphraseRequired
  case wrongPassphrase
  /// None of the certificates is for the key.
  case keyMismatch
  /// By an algorithm that OpenSSL knows no more.
  case unsupportedEncryption(String)
  case malformed(String)
}
