internal import ArgumentParser
internal import TapelineTLS

/// How `ca export` writes the certificate.
enum CertificateFormat: String, CaseIterable, ExpressibleByArgument {
  case pem
  case der
  case p12
  /// Only the key's pin.
  case spki

  /// Whether a terminal can show it.
  var isText: Bool {
    switch self {
    case .pem, .spki: true
    case .der, .p12: false
    }
  }

  func bytes(of certificate: AuthorityCertificate, password: String) throws(AuthorityError) -> [UInt8] {
    switch self {
    case .pem: Array(certificate.pem.utf8)
    case .der: certificate.der
    case .p12: try certificate.pkcs12(password: password)
    case .spki: Array("\(certificate.keyPin)\n".utf8)
    }
  }
}
