internal import TapelineTLS
internal import TapelineBase
internal import TapelineTime

/// The page that a client reads when the origin's certificate was refused: which certificate, why, and what can be done.
enum CertificatePage {
  static func text(_ problem: CertificateProblem, _ failure: TLSError, host: String) -> String {
    let host = printable(host)
    var lines = ["tapeline: the certificate of \(host) was refused: \(reason(problem)).", ""]
    if let certificate = failure.certificate { lines += facts(certificate) + [""] }
    lines += [
      "OpenSSL says: \(printable(failure.message))", "",
      "If you trust the server, start tapeline with one of",
    ]
    if isMendedByTrust(problem) {
      lines.append("  --upstream-ca FILE: to trust the certificate or the authority in FILE (PEM) as well")
    }
    lines += [
      "  --passthrough-host \(host): to leave connections to this host alone",
      "  --insecure-upstream: to accept every certificate, and to say so in the entries",
    ]
    return lines.joined(separator: "\n")
  }

  /// Whether the certificate would do if its authority were trusted. A trusted one must still be for the host, and in time.
  private static func isMendedByTrust(_ problem: CertificateProblem) -> Bool {
    switch problem {
    case .selfSigned, .unknownAuthority, .other: true
    case .expired, .notYetValid, .hostMismatch, .revoked, .revocationUnknown, .weakKey: false
    }
  }

  private static func reason(_ problem: CertificateProblem) -> String {
    switch problem {
    case .expired: "it has expired"
    case .notYetValid: "it is not valid yet"
    case .selfSigned: "it is self-signed, and no trusted authority signed it"
    case .unknownAuthority: "its authority is unknown"
    case .hostMismatch: "it was made for another host"
    case .revoked: "it was revoked"
    case .weakKey: "its key or signature is too weak"
    case .revocationUnknown, .other: "it is not valid"
    }
  }

  private static func facts(_ certificate: CertificateSummary) -> [String] {
    [
      "  Subject:      \(printable(certificate.subject))",
      "  Issuer:       \(printable(certificate.issuer))",
      "  Names:        \(certificate.names.prefix(20).map(printable).joined(separator: ", "))",
      "  Valid from:   \(CivilDate(unixSeconds: certificate.notBefore).imfFixdate)",
      "  Valid until:  \(CivilDate(unixSeconds: certificate.notAfter).imfFixdate)",
      "  SHA-256:      \(certificate.fingerprint)",
    ]
  }

  /// A text of others, made safe for a page: printable ASCII only, of bounded length.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(300).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
  }
}
