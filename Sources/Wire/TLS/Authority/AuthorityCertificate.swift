internal import TapelineDigest
internal import TapelineBase
internal import TapelineTime

/// The certificate that clients are asked to trust. Its key is stored elsewhere, and need not be readable.
package final class AuthorityCertificate: Sendable {
  let handle: X509Handle
  /// The bytes are identical to the issuer in every leaf.
  let subject: DistinguishedName
  let keyIdentifier: [UInt8]
  package let publicKeyInfo: [UInt8]
  /// Seconds since 1970; both ends are included.
  package let validity: ClosedRange<Int64>
  /// SHA-256 of the certificate, lower-case hexadecimal.
  package let fingerprint: String

  /// - Parameter source: the name of the certificate in messages.
  init(_ handle: X509Handle, source: String) throws(AuthorityError) {
    guard handle.isAuthority, let keyIdentifier = handle.subjectKeyIdentifier, KeyIdentifier.isP256(handle.publicKeyInfo),
      let notBefore = handle.notBefore, let notAfter = handle.notAfter, notBefore <= notAfter
    else {
      throw AuthorityError(
        .unusable, what: source, why: "that is no certificate that tapeline has made",
        remedy: "name another directory with --ca-dir, and leave this one to its owner")
    }
    self.handle = handle
    self.keyIdentifier = keyIdentifier
    subject = handle.subject
    publicKeyInfo = handle.publicKeyInfo
    validity = notBefore...notAfter
    fingerprint = handle.fingerprint
  }

  /// Reads the certificate of a directory, without its key.
  package static func load(from directory: AuthorityDirectory) throws(AuthorityError) -> AuthorityCertificate {
    guard let text = try AuthorityFiles.readIfPresent(directory.certificateFile) else {
      throw AuthorityError(
        .missing, what: "no authority in \(directory.path)", why: "there is no \(directory.certificateFile)",
        remedy: "make one with tapeline ca create, or name its directory with --ca-dir")
    }
    return try AuthorityCertificate(pem: text, file: directory.certificateFile)
  }

  convenience init(pem text: [UInt8], file: String) throws(AuthorityError) {
    guard let handle = X509Handle(pem: text.span) else {
      throw AuthorityError(
        .unusable, what: file, why: "there is no readable PEM certificate in it",
        remedy: "restore the file, or move ca.pem and ca.key away and run tapeline ca create")
    }
    try self.init(handle, source: file)
  }

  package var commonName: String { handle.commonName }

  /// The format of Chromium's `--ignore-certificate-errors-spki-list`.
  package var keyPin: String { KeyIdentifier.pin(of: publicKeyInfo) }

  /// Lower-case hexadecimal.
  package var serialNumber: String { Hexadecimal.text(of: handle.serialNumber) }

  package var der: [UInt8] { handle.der }

  package var pem: String { PEM.text(label: "CERTIFICATE", der: der) }

  /// - Parameter password: for the file's checksum; the certificate itself is public and stays readable.
  package func pkcs12(password: String) throws(AuthorityError) -> [UInt8] {
    try PKCS12.file(handle, name: commonName, password: password)
  }

  /// Writes the PEM form whole or not at all, readable by everybody.
  package func write(to path: String) throws(AuthorityError) {
    try AuthorityFiles.replaceWhole(path, Array(pem.utf8), mode: 0o644)
  }

  /// `YYYY-MM-DD`, in UTC.
  package var lastDay: String { CivilDate(unixSeconds: validity.upperBound).dayText }

  /// Throws if the certificate cannot be used at `now`.
  func checkValidity(at now: Int64, source: String) throws(AuthorityError) {
    if now > validity.upperBound {
      throw AuthorityError(
        .expired, what: source, why: "the authority expired on \(lastDay)",
        remedy: "withdraw the trust in it (tapeline ca trust), move ca.pem and ca.key away, and run tapeline ca create")
    }
    if now < validity.lowerBound {
      throw AuthorityError(
        .notYetValid, what: source,
        why: "the authority is valid from \(CivilDate(unixSeconds: validity.lowerBound).dayText) only",
        remedy: "set this machine's clock")
    }
  }
}

/// Identifiers of a public key: its short name inside certificates, and its pin outside of them.
enum KeyIdentifier {
  /// The first 160 bits of SHA-256 over the key's bit string (RFC 7093, 2, method 1).
  ///
  /// - Parameter publicKeyInfo: of a key on P-256: the point is in the last bytes.
  static func short(of publicKeyInfo: [UInt8]) -> [UInt8] {
    precondition(isP256(publicKeyInfo), "all keys that certify or are certified here are on P-256")
    return Array(MessageDigest.sha256.digest(of: publicKeyInfo.span.extracting(last: pointLength)).prefix(20))
  }

  /// SHA-256 of the SubjectPublicKeyInfo, Base64: a pin in the words of RFC 7469, 2.4, and the format of Chromium's
  /// `--ignore-certificate-errors-spki-list`.
  static func pin(of publicKeyInfo: [UInt8]) -> String {
    Base64.encode(MessageDigest.sha256.digest(of: publicKeyInfo.span))
  }

  /// Whether the key is on P-256 and its point is uncompressed (RFC 5480, 2).
  static func isP256(_ publicKeyInfo: [UInt8]) -> Bool {
    publicKeyInfo.count == prefix.count + pointLength && publicKeyInfo.starts(with: prefix)
  }

  /// 0x04 and two coordinates of 256 bits.
  private static let pointLength = 65

  private static let prefix: [UInt8] = {
    let algorithm = DERValue.sequence(.objectIdentifier(.ellipticCurveKey), .objectIdentifier(.p256))
    let whole = DERValue.sequence(algorithm, .bitString([0x04] + [UInt8](repeating: 0, count: pointLength - 1)))
    return Array(whole.bytes.dropLast(pointLength))
  }()
}
