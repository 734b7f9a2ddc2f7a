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
