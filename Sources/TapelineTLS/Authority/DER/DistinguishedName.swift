/// Whom a certificate is for, or who issued it (RFC 5280, 4.1.2.4), encoded.
struct DistinguishedName: Hashable, Sendable {
  let value: DERValue

  /// Nobody: the alternative name says it.
  static let empty = DistinguishedName(encoded: DERValue.sequence().bytes)

  /// RFC 5280, A.1: `ub-common-name`, in characters.
  static let longestCommonName = 64

  init(commonName: String) {
    precondition(commonName.unicodeScalars.count <= Self.longestCommonName, "readers refuse longer common names")
    let attribute = DERValue.sequence(.objectIdentifier(.commonName), .utf8String(commonName))
    value = .sequence(.set(of: attribute))
  }

  /// Byte for byte as a certificate has it: issuers are found by comparing bytes.
  init(encoded bytes: [UInt8]) {
    value = DERValue(encoded: bytes)
  }
}
