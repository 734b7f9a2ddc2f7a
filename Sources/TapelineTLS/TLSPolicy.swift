/// The versions and cipher suites that we use.
///
/// For both sides: forward secrecy and authenticated encryption only, as in Mozilla's "intermediate" recommendation, and
/// OpenSSL's security level 2 (112 bits). AES-128 comes first because it is the fastest on processors with AES instructions. A
/// client that puts ChaCha20 first has no such instructions and gets ChaCha20.
package struct TLSPolicy: Sendable, Hashable {
  package let minimumVersion: TLSVersion
  package let maximumVersion: TLSVersion

  package init(minimumVersion: TLSVersion = .tls12, maximumVersion: TLSVersion = .tls13) {
    precondition(minimumVersion >= .tls12 && minimumVersion <= maximumVersion, "TLS 1.2 is the oldest version we speak")
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
  }

  package static let secure = TLSPolicy()

  static let securityLevel: Int32 = 2
  static let groups = "X25519:P-256:P-384"
  /// For TLS 1.3.
  static let cipherSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  /// For TLS 1.2.
  static let cipherList =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    + "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384"
}
