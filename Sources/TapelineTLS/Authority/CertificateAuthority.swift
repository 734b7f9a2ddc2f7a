internal import TapelineDigest
internal import TapelineSystem
internal import TapelineTime

/// Our own certificate authority: the certificate that clients trust, and the key that signs a leaf for each host.
package final class CertificateAuthority: Sendable {
  package let certificate: AuthorityCertificate
  let key: PrivateKeyHandle

  /// The clocks of clients may be slow.
  static let backdating: Int64 = 3_600
  static let lifetime: Int64 = 3_652 * CivilDate.secondsPerDay
  private static let serialNumberLength = 16

  /// - Precondition: the certificate is for this key.
  init(certificate: AuthorityCertificate, key: PrivateKeyHandle) {
    precondition(certificate.publicKeyInfo == key.publicKeyInfo, "an authority signs with the key of its certificate")
    self.certificate = certificate
    self.key = key
  }

  /// A new authority, in memory.
  package static func make(commonName: String, validity: ClosedRange<Int64>) throws(AuthorityError) -> CertificateAuthority {
    let key = try PrivateKeyHandle.makeP256()
    let name = DistinguishedName(commonName: commonName)
    let publicKeyInfo = key.publicKeyInfo
    let keyIdentifier = KeyIdentifier.short(of: publicKeyInfo)
    let template = CertificateTemplate(
      serialNumber: randomBytes(serialNumberLength), issuer: name, subject: name, validity: validity,
      publicKeyInfo: publicKeyInfo,
      extensions: [
        .authorityOfLeaves, .usageOfAuthority, .subjectKeyIdentifier(keyIdentifier), .authorityKeyIdentifier(keyIdentifier),
      ])
    let certificate = try AuthorityCertificate(template.signed(by: key), source: "a new authority")
    return CertificateAuthority(certificate: certificate, key: key)
  }

  /// A new authority as made on first use: valid for ten years, named after the machine and the day.
  static func make(now: Int64) throws(AuthorityError) -> CertificateAuthority {
    try make(commonName: commonName(host: CurrentProcess.hostName, now: now), validity: (now - backdating)...(now + lifetime))
  }

  /// A certificate for one host, signed by this authority.
  package func leaf(
    for name: LeafName, key leafKey: PrivateKeyHandle, validity: ClosedRange<Int64>
  ) throws(AuthorityError) -> X509Handle {
    let publicKeyInfo = leafKey.publicKeyInfo
    // A common name is for people only. A name that is too long for it is left out.
    let hasSubject = name.text.utf8.count <= DistinguishedName.longestCommonName
    let template = CertificateTemplate(
      serialNumber: randomBytes(Self.serialNumberLength), issuer: certificate.subject,
      subject: hasSubject ? DistinguishedName(commonName: name.text) : .empty, validity: validity, publicKeyInfo: publicKeyInfo,
      extensions: [
        .leaf, .usageOfLeaf, .serverAuthentication, .alternativeName(name, isCritical: !hasSubject),
        .subjectKeyIdentifier(KeyIdentifier.short(of: publicKeyInfo)), .authorityKeyIdentifier(certificate.keyIdentifier),
      ])
    return try template.signed(by: key)
  }

  /// `tapeline CA (host, date)`, with the host's name cut to fit.
  static func commonName(_ title: String = "tapeline CA", host: String, now: Int64) -> String {
    let date = CivilDate(unixSeconds: now).dayText
    let room = DistinguishedName.longestCommonName - title.count - " (, )".count - date.count
    let printable = host.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }.prefix(room)
    return "\(title) (\(String(String.UnicodeScalarView(printable))), \(date))"
  }
}
