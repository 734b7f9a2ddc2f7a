/// The parts of a client's hello by which a server can tell whether its certificate serves the client at all: ours has a key on
/// P-256.
struct HelloAcceptance {
  private var hasGroups = false
  private var allowsGroup = false
  private var allowsP256 = false
  private var allowsSignature = false
  /// For TLS 1.3 and 1.2.
  private var allowsCipher13 = false
  private var allowsCipher12 = false

  /// secp256r1, secp384r1, x25519 (RFC 8446 4.2.7): `TLSPolicy.groups`.
  mutating func add(group: UInt16) {
    hasGroups = true
    if group == 0x17 { allowsP256 = true }
    if [0x17, 0x18, 0x1d].contains(group) { allowsGroup = true }
  }

  /// ecdsa_secp256r1_sha256 (RFC 8446 4.2.3).
  mutating func add(signatureAlgorithm: UInt16) {
    if signatureAlgorithm == 0x0403 { allowsSignature = true }
  }

  /// `TLSPolicy.cipherSuites`; those of `TLSPolicy.cipherList` with ECDSA.
  mutating func add(cipherSuite: UInt16) {
    switch cipherSuite {
    case 0x1301, 0x1302, 0x1303: allowsCipher13 = true
    case 0xc02b, 0xc02c, 0xcca9: allowsCipher12 = true
    default: break
    }
  }

  func allowsLeaf(versions: [TLSVersion]) -> Bool {
    if versions.contains(.tls13), allowsCipher13, allowsGroup, allowsSignature { return true }
    // RFC 8422 5.1: without the extension, any group will do. RFC 5246 7.4.1.4.1: without the other, SHA-1, which we do not use.
    return versions.contains(.tls12) && allowsCipher12 && (allowsP256 || !hasGroups) && allowsSignature
  }
}
