/// The subject or the issuer of a certificate (RFC 5280, 4.1.2.4), encoded.
struct DistinguishedName: Hashable, Sendable {
  let value: DERValue

  /// An empty name: the alternative name names the subject.
  static let empty = DistinguishedName(encoded: DERValue.sequence().bytes)

  /// RFC 5280, A.1: `ub-common-name`, in characters.
  static let longestCommonName = 64

  init(commonName: String) {
    precondition(commonName.unicodeScalars.count <= Self.longestCommonName, "readers refuse longer common names")
    let attribute = DERValue.sequence(.objectIdentifier(.commonName), .utf8String(commonName))
    value = .sequence(.set(of: attribute))
  }

  /// The exact bytes from a certificate: issuers are found by comparing bytes.
  init(encoded bytes: [UInt8]) {
    value = DERValue(encoded: bytes)
  }
}
