package import TapelineOffline
internal import TapelineSystem
package import TapelineTLS

/// The authority's certificate as programs and people take it. Never the key.
package enum ExportedAuthority {
  /// Makes the authority, unless there is one.
  package static func make(in directory: AuthorityDirectory) throws(CommandFailure) -> (AuthorityCertificate, isNew: Bool) {
    let isNew = !SystemCalls.exists(directory.certificateFile)
    do throws(AuthorityError) {
      return (try CertificateAuthority.loadOrCreate(in: directory).certificate, isNew)
    } catch {
      throw CommandFailure(error)
    }
  }

  package static func certificate(in directory: AuthorityDirectory) throws(CommandFailure) -> AuthorityCertificate {
    do throws(AuthorityError) {
      return try AuthorityCertificate.load(from: directory)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The facts about an authority, for people.
  package static func lines(_ certificate: AuthorityCertificate, _ directory: AuthorityDirectory) -> [String] {
    [
      "name         \(certificate.commonName)",
      "valid until  \(certificate.lastDay)",
      "sha256       \(certificate.fingerprint)",
      "certificate  \(directory.certificateFile)",
      "key          \(directory.keyFile)",
    ]
  }

  /// Prints the certificate, unless it would be nonsense on a terminal.
  package static func print(_ bytes: [UInt8], as format: CertificateFormat) throws(CommandFailure) {
    guard format.isText || !Terminal.isTerminal else {
      throw CommandFailure(
        status: .usage, what: "standard output", why: "a terminal cannot show a \(format.rawValue) file",
        remedy: "name one with -o")
    }
    var standardOutput = StandardOutput()
    try standardOutput.write(bytes)
    try standardOutput.flush()
  }

  /// Writes an exported certificate. Replaces regular files only: a device's name must still name the device afterwards.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    if let found = SystemCalls.statusIfPresent(of: path), found.kind != .regular {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: "it is not a regular file", remedy: "name a file, or leave -o out for stdout")
    }
    do throws(PrivateFileError) {
      try WholeFile.write(bytes, to: path, mode: 0o644)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description, remedy: "name a file that can be written")
    }
  }
}

/// How `ca export` writes the certificate.
package enum CertificateFormat: String, CaseIterable, Sendable {
  case pem
  case der
  case p12
  /// Only the key's pin.
  case spki

  /// Whether a terminal can show it.
  package var isText: Bool {
    switch self {
    case .pem, .spki: true
    case .der, .p12: false
    }
  }

  package func bytes(of certificate: AuthorityCertificate, password: String) throws(CommandFailure) -> [UInt8] {
    do throws(AuthorityError) {
      switch self {
      case .pem: return Array(certificate.pem.utf8)
      case .der: return certificate.der
      case .p12: return try certificate.pkcs12(password: password)
      case .spki: return Array("\(certificate.keyPin)\n".utf8)
      }
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension CommandFailure {
  package init(_ error: AuthorityError) {
    let status: ExitStatus =
      switch error.kind {
      case .missing, .incomplete, .mismatch, .insecurePermissions, .foreign, .expired, .notYetValid, .unusable, .hostName:
        .badInput
      case .file, .cryptography: .cannotCreate
      }
    self.init(status: status, what: error.what, why: error.why, remedy: error.remedy)
  }
}
