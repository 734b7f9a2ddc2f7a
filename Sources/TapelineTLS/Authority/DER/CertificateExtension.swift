/// An extension of a certificate (RFC 5280, 4.2), encoded.
struct CertificateExtension: Hashable, Sendable {
  let value: DERValue

  private init(_ identifier: OID, isCritical: Bool, _ contents: DERValue) {
    var members = [DERValue.objectIdentifier(identifier)]
    // The default is false, and DER omits defaults.
    if isCritical { members.append(.boolean(true)) }
    members.append(.byteString(contents.bytes))
    value = .sequence(members)
  }

  /// An authority that issues leaves only: no authority below it may sign.
  static let authorityOfLeaves = CertificateExtension(
    .basicConstraints, isCritical: true, .sequence(.boolean(true), .unsignedInteger([0])))

  static let leaf = CertificateExtension(.basicConstraints, isCritical: true, .sequence())

  /// keyCertSign and cRLSign, the bits 5 and 6.
  static let usageOfAuthority = CertificateExtension(.keyUsage, isCritical: true, .bitString([0b0000_0110], unusedBits: 1))

  /// digitalSignature, bit 0: the only use of an EC key in TLS 1.2 with forward secrecy and in TLS 1.3.
  static let usageOfLeaf = CertificateExtension(.keyUsage, isCritical: true, .bitString([0b1000_0000], unusedBits: 7))

  static let serverAuthentication = CertificateExtension(
    .extendedKeyUsage, isCritical: false, .sequence(.objectIdentifier(.serverAuthentication)))

  static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
    CertificateExtension(.subjectKeyIdentifier, isCritical: false, .byteString(identifier))
  }

  static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
    CertificateExtension(.authorityKeyIdentifier, isCritical: false, .sequence(.implicit(0, identifier)))
  }

  /// - Parameter isCritical: must be true where the subject is empty (RFC 5280, 4.2.1.6).
  static func alternativeName(_ name: LeafName, isCritical: Bool) -> CertificateExtension {
    let generalName: DERValue =
      switch name {
      case .dns(let name): .implicit(2, Array(name.utf8))
      case .address(_, let bytes): .implicit(7, bytes)
      }
    return CertificateExtension(.subjectAlternativeName, isCritical: isCritical, .sequence(generalName))
  }
}
