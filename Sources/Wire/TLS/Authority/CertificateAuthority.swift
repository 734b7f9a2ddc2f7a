internal import TapelineDigest
internal import TapelineBase
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

extension CertificateAuthority {
  /// The authority in `directory`, made if it is missing. Waits for the disk, so do not call it on a loop's thread.
  ///
  /// Never replaces existing files, whatever is wrong with them: somebody may trust the certificate. Two simultaneous processes
  /// end up with one authority: the second to get the lock finds the authority of the first.
  package static func loadOrCreate(
    in directory: AuthorityDirectory, now: Int64 = wallClockSeconds()
  ) throws(AuthorityError) -> CertificateAuthority {
    if let authority = try load(from: directory, now: now) { return authority }
    try AuthorityFiles.makePrivateDirectory(directory.path)
    let lock = try AuthorityFiles.lock(directory.lockFile)
    defer { SystemCalls.discard(lock) }
    if let authority = try load(from: directory, now: now) { return authority }
    return try create(in: directory, now: now)
  }

  /// An authority for this process alone, for when none can be stored: its key is in memory only and ends with the process.
  /// After a crash, the one from before it.
  ///
  /// - Parameter directory: gets the certificate, for clients that are to trust it.
  package static func makeThrowAway(
    certificateIn directory: AuthorityDirectory, now: Int64 = wallClockSeconds()
  ) throws(AuthorityError) -> CertificateAuthority {
    if let text = ProcessRestart.text(.throwAwayAuthority), let key = PrivateKeyHandle(pem: Array(text.utf8).span),
      let certificate = try AuthorityFiles.readIfPresent(directory.certificateFile)
    {
      let kept = try AuthorityCertificate(pem: certificate, file: directory.certificateFile)
      if kept.publicKeyInfo == key.publicKeyInfo { return CertificateAuthority(certificate: kept, key: key) }
    }
    let authority = try make(
      commonName: commonName("tapeline throw-away CA", host: CurrentProcess.hostName, now: now),
      validity: (now - backdating)...(now + throwAwayLifetime))
    try AuthorityFiles.makePrivateDirectory(directory.path)
    try authority.certificate.write(to: directory.certificateFile)
    ProcessRestart.keep(authority.key.pem, as: .throwAwayAuthority)
    return authority
  }

  /// Longer than any command runs.
  private static let throwAwayLifetime = 366 * CivilDate.secondsPerDay

  /// Nil unless both certificate and key are there. Another process may be making them: take the lock and look again.
  private static func load(from directory: AuthorityDirectory, now: Int64) throws(AuthorityError) -> CertificateAuthority? {
    try AuthorityFiles.checkPrivateDirectory(directory.path)
    guard let certificateText = try AuthorityFiles.readIfPresent(directory.certificateFile),
      let keyText = try AuthorityFiles.readSecretIfPresent(directory.keyFile)
    else { return nil }
    let certificate = try AuthorityCertificate(pem: certificateText, file: directory.certificateFile)
    guard let key = PrivateKeyHandle(pem: keyText.span) else {
      throw AuthorityError(
        .unusable, what: directory.keyFile, why: "there is no readable PEM key without a password in it",
        remedy: "restore the file, or move ca.pem and ca.key away and run tapeline ca create")
    }
    guard certificate.publicKeyInfo == key.publicKeyInfo else {
      throw AuthorityError(
        .mismatch, what: directory.path, why: "ca.key is not the key of ca.pem",
        remedy: "restore the files, or move both away and run tapeline ca create")
    }
    try certificate.checkValidity(at: now, source: directory.certificateFile)
    return CertificateAuthority(certificate: certificate, key: key)
  }

  /// Called with the lock held.
  private static func create(in directory: AuthorityDirectory, now: Int64) throws(AuthorityError) -> CertificateAuthority {
    try checkNothingIsLeft(in: directory)
    let authority = try make(now: now)
    try AuthorityFiles.createWhole(directory.keyFile, Array(authority.key.pem.utf8), mode: 0o600)
    do throws(AuthorityError) {
      try AuthorityFiles.createWhole(directory.certificateFile, Array(authority.certificate.pem.utf8), mode: 0o644)
    } catch {
      // This key has certified nothing, so nobody can miss it.
      SystemCalls.removeIfPossible(directory.keyFile)
      throw error
    }
    return authority
  }

  private static func checkNothingIsLeft(in directory: AuthorityDirectory) throws(AuthorityError) {
    for (present, absent) in [("ca.pem", "ca.key"), ("ca.key", "ca.pem")]
    where AuthorityFiles.isPresent("\(directory.path)/\(present)") {
      throw AuthorityError(
        .incomplete, what: directory.path, why: "\(present) is there and \(absent) is not",
        remedy: "restore \(absent), or move \(present) away and run tapeline ca create")
    }
  }
}
