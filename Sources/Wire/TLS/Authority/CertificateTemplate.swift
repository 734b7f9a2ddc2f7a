/// A certificate that lacks only its signature (RFC 5280, 4.1).
///
/// We encode it ourselves instead of with OpenSSL's setters: tests can compare a value, names never pass through a text form that
/// a host name could break out of, and minting costs little more than its signature.
struct CertificateTemplate: Hashable, Sendable {
  /// Random, so that no two certificates of an issuer share one. We keep it positive.
  var serialNumber: [UInt8]
  var issuer: DistinguishedName
  var subject: DistinguishedName
  /// In seconds since 1970, both ends included.
  var validity: ClosedRange<Int64>
  /// SubjectPublicKeyInfo.
  var publicKeyInfo: [UInt8]
  var extensions: [CertificateExtension]

  private static let version3 = DERValue.explicit(0, .unsignedInteger([2]))
  private static let algorithm = DERValue.sequence(.objectIdentifier(.ecdsaWithSHA256))

  /// The certificate, signed with the issuer's key.
  func signed(by key: PrivateKeyHandle) throws(AuthorityError) -> X509Handle {
    let body = toBeSigned
    let signature = try key.signature(of: body.bytes.span)
    let certificate = DERValue.sequence(body, Self.algorithm, .bitString(signature))
    guard let handle = X509Handle(der: certificate.bytes.span) else {
      preconditionFailure("OpenSSL reads every certificate that we encode")
    }
    return handle
  }

  /// TBSCertificate.
  private var toBeSigned: DERValue {
    .sequence(
      Self.version3, .unsignedInteger(serialNumber), Self.algorithm, issuer.value,
      .sequence(.time(validity.lowerBound), .time(validity.upperBound)), subject.value, DERValue(encoded: publicKeyInfo),
      .explicit(3, .sequence(extensions.map(\.value))))
  }
}

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
