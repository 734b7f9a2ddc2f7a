/// Why the input contains no usable credentials.
package enum KeyMaterialError: Error, Sendable, Hashable {
  case noCertificate
  case noPrivateKey
  /// The key is encrypted, and no passphrase was given.
  case passphraseRequired
  case wrongPassphrase
  /// None of the certificates matches the key.
  case keyMismatch
  /// The key uses an algorithm that OpenSSL no longer supports.
  case unsupportedEncryption(String)
  case malformed(String)
}
