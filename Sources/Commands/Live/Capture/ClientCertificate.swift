internal import TapelineOffline
internal import TapelineTLS
package import TapelineBase

/// A certificate that the user presents to some hosts, by its files.
package struct ClientCertificate: Sendable, Hashable {
  package let hosts: HostPattern
  /// PEM: the certificate, and those that servers need to verify it.
  package let certificateFile: String
  /// PEM. It may be the same file.
  package let keyFile: String

  /// `HOST=PEM[,KEY]`; `nil`: it is not of this form.
  package init?(_ argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let hosts = HostPattern(parts[0]) else { return nil }
    let files = parts[1].split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    guard files.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.hosts = hosts
    certificateFile = String(files[0])
    keyFile = String(files[files.count - 1])
  }

  /// The credentials of each, for the host that comes closest.
  static func credentials(_ certificates: [ClientCertificate]) throws(CommandFailure) -> HostPatterns<TLSCredentials> {
    var credentials: [String: TLSCredentials] = [:]
    for certificate in certificates { credentials["\(certificate.hosts)"] = try certificate.credentials() }
    return HostPatterns(credentials)
  }

  private func credentials() throws(CommandFailure) -> TLSCredentials {
    let key = try SecretFile.content(of: keyFile, limit: Self.longest, for: option)
    let certificates =
      keyFile == certificateFile
      ? key : try SecretFile.content(of: certificateFile, limit: Self.longest, for: option, isSecret: false)
    do throws(KeyMaterialError) {
      return try TLSCredentials(certificates: certificates, key: key, passphrase: nil)
    } catch {
      throw CommandFailure(status: .badInput, what: option, why: why(error), remedy: Self.remedy(for: error))
    }
  }

  /// Longer than any chain of certificates that a server would read.
  private static let longest = 1 << 20

  private var option: String {
    "--client-cert \(hosts)=\(certificateFile)\(keyFile == certificateFile ? "" : ",\(keyFile)")"
  }

  private func why(_ error: KeyMaterialError) -> String {
    switch error {
    case .noCertificate: "there is no certificate in \(certificateFile)"
    case .noPrivateKey: "there is no private key in \(keyFile)"
    case .passphraseRequired, .wrongPassphrase: "the key in \(keyFile) is encrypted"
    case .keyMismatch: "the key in \(keyFile) is not that of the certificate"
    case .unsupportedEncryption(let text), .malformed(let text): text
    }
  }

  private static func remedy(for error: KeyMaterialError) -> String {
    switch error {
    case .noPrivateKey: "name the key's file after a comma: HOST=PEM,KEY"
    case .passphraseRequired, .wrongPassphrase, .unsupportedEncryption:
      "write it without a password into a file that only you can read: openssl pkey -in KEY -out FILE"
    case .noCertificate, .keyMismatch, .malformed: "name the certificate and its key, both as PEM"
    }
  }
}
