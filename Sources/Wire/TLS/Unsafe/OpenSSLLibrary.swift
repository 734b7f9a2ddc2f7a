internal import COpenSSL

/// The library as a whole.
package enum OpenSSLLibrary {
  /// Has OpenSSL leave its memory to the system when the process exits. Its own clean-up runs while our threads do: what they
  /// still use would be gone. Call it before anything else uses OpenSSL, as the first to use it decides.
  package static func stayUntilExit() {
    // It cannot fail for this option alone (OPENSSL_init_crypto(3)).
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
