internal import TapelineSystem
internal import TapelineBase

/// One PEM file of everything that a client must trust: the usual roots and our authority.
package struct CertificateBundle {
  /// Without duplicates, in the given order.
  let certificates: [ArraySlice<UInt8>]

  /// - Parameter files: PEM files. Only their certificates are taken: a private key in one of them must not get into a file that
  ///   others can read.
  package init(files: [String], adding authority: AuthorityCertificate) throws(AuthorityError) {
    var all: [ArraySlice<UInt8>] = []
    for file in files { all += try Self.certificates(of: file) }
    all += PEM.certificates(in: Array(authority.pem.utf8))
    var seen: Set<CertificateText> = []
    certificates = all.filter { seen.insert(CertificateText(bytes: $0)).inserted }
  }

  private static func certificates(of file: String) throws(AuthorityError) -> [ArraySlice<UInt8>] {
    guard let text = try AuthorityFiles.readIfPresent(file) else {
      throw AuthorityError(
        .file, what: file, why: "there is no such file", remedy: "name a PEM file, or unset the variable that names this one")
    }
    let certificates = PEM.certificates(in: text)
    guard !certificates.isEmpty else {
      throw AuthorityError(.unusable, what: file, why: "there is no PEM certificate in it", remedy: "name a PEM file")
    }
    return certificates
  }

  /// Writes the bundle whole or not at all, readable by everybody.
  package func write(to path: String) throws(AuthorityError) {
    var text: [UInt8] = []
    for certificate in certificates {
      text += certificate
      text.append(UInt8(ascii: "\n"))
    }
    try AuthorityFiles.replaceWhole(path, text, mode: 0o644)
  }

  /// The file with the roots that programs on this machine trust; nil if none is found.
  package static func systemRoots(environment: [String: String]) -> String? {
    let named = environment["SSL_CERT_FILE"].map { [$0] } ?? []
    return (named + knownRootFiles + [OpenSSLDefaults.rootFile]).first { !$0.isEmpty && AuthorityFiles.isPresent($0) }
  }

  /// The file with the system's roots for an OpenSSL whose `defaults`, a file and a directory, do not exist; nil if one does, if
  /// the environment names other places, or if no file is found.
  static func rootsElsewhere(environment: [String: String], defaults: [String]) -> String? {
    guard environment["SSL_CERT_FILE"] == nil, environment["SSL_CERT_DIR"] == nil,
      !defaults.contains(where: AuthorityFiles.isPresent)
    else { return nil }
    return systemRoots(environment: environment)
  }

  /// Debian and Arch, Fedora, openSUSE, Alpine.
  private static let knownRootFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]
}

/// Hashed by its last bytes, most of a signature: as good as random, and all of it takes longer than the rest of the work.
private struct CertificateText: Hashable {
  let bytes: ArraySlice<UInt8>

  private static let hashedCount = 64

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.suffix(Self.hashedCount))
  }
}

/// The text form of certificates and keys (RFC 7468).
enum PEM {
  private static let lineLength = 64
  private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
  private static let end = Array("-----END CERTIFICATE-----".utf8)

  static func text(label: String, der: [UInt8]) -> String {
    var text = "-----BEGIN \(label)-----\n"
    var rest = Base64.encode(der)[...]
    while !rest.isEmpty {
      text += rest.prefix(lineLength) + "\n"
      rest = rest.dropFirst(lineLength)
    }
    return text + "-----END \(label)-----\n"
  }

  /// The certificates in `text`, each from its BEGIN line to its END line without the final line break; comments, keys and
  /// unterminated certificates are left out.
  static func certificates(in text: [UInt8]) -> [ArraySlice<UInt8>] {
    parts(of: text).certificates
  }

  /// The certificates in `text` in DER; nil if there are others than plain certificates, or one is damaged.
  static func onlyCertificates(in text: [UInt8]) -> [[UInt8]]? {
    let (certificates, boundaryCount) = parts(of: text)
    guard boundaryCount == 2 * certificates.count else { return nil }
    let decoded = certificates.compactMap { part in
      let letters = part.startIndex + begin.count..<part.endIndex - end.count
      return Base64.decode(text.span.extracting(letters), padding: .required)
    }
    return decoded.count == certificates.count ? decoded : nil
  }

  /// The certificates, and how many lines may be the first or the last of a part of any kind.
  private static func parts(of text: [UInt8]) -> (certificates: [ArraySlice<UInt8>], boundaryCount: Int) {
    var certificates: [ArraySlice<UInt8>] = []
    var boundaryCount = 0
    var start: Int?
    var position = 0
    while position < text.count {
      let lineEnd = text.span.firstIndex(of: Byte.lineFeed, from: position) ?? text.count
      defer { position = lineEnd + 1 }
      guard text[position] == UInt8(ascii: "-") else { continue }
      boundaryCount += 1
      let line = text[position..<lineEnd]
      if line.starts(with: begin) {
        start = position
      } else if let first = start, line.starts(with: end) {
        certificates.append(text[first..<(position + end.count)])
        start = nil
      }
    }
    return (certificates, boundaryCount)
  }
}
