internal import TapelineTLS
internal import TapelineBase

/// The client's identity, for servers that ask: a certificate, the chain above it, and its private key.
///
/// A server that its evaluator refuses, or whose own certificate is not good, never sees the client's certificate.
public struct ClientIdentity: Sendable {
  let credentials: TLSCredentials
  /// The client's certificate.
  public let certificate: Certificate

  private init(_ credentials: TLSCredentials) {
    self.credentials = credentials
    certificate = Certificate(credentials.leaf)
  }

  // MARK: PEM

  /// An identity from PEM texts, which may be one and the same.
  ///
  /// - Parameters:
  ///   - certificates: the client's certificate, and those that servers need to verify it, in any order.
  ///   - privateKey: the key, in PKCS #8 or an older form.
  ///   - passphrase: the key's, if it is encrypted.
  public init(certificates: String, privateKey: String, passphrase: String? = nil) throws(TLSMaterialError) {
    try self.init(
      certificates: Array(certificates.utf8), from: "the certificates' text", key: Array(privateKey.utf8),
      from: "the key's text", passphrase: passphrase)
  }

  /// An identity from PEM files, which may be one and the same.
  ///
  /// - Parameters:
  ///   - certificateFile: the client's certificate, and those that servers need to verify it, in any order.
  ///   - privateKeyFile: the key, in PKCS #8 or an older form; `nil`: it is in the certificate's file.
  ///   - passphrase: the key's, if it is encrypted.
  public init(certificateFile: String, privateKeyFile: String? = nil, passphrase: String? = nil) throws(TLSMaterialError) {
    let certificates = try TLSMaterialError.read(certificateFile)
    let key = if let privateKeyFile { try TLSMaterialError.read(privateKeyFile) } else { certificates }
    try self.init(
      certificates: certificates, from: certificateFile, key: key, from: privateKeyFile ?? certificateFile,
      passphrase: passphrase)
  }

  private init(
    certificates: [UInt8], from certificateSource: String, key: [UInt8], from keySource: String, passphrase: String?
  ) throws(TLSMaterialError) {
    let credentials: TLSCredentials
    do throws(KeyMaterialError) {
      credentials = try TLSCredentials(certificates: certificates, key: key, passphrase: passphrase)
    } catch {
      throw TLSMaterialError(error, source: error == .noCertificate ? certificateSource : keySource)
    }
    self.init(credentials)
  }

  // MARK: PKCS #12

  /// An identity from a PKCS #12 file's bytes.
  ///
  /// - Parameters:
  ///   - pkcs12: the file; often called `.p12` or `.pfx`.
  ///   - passphrase: the file's; `nil` if it has none.
  public init(pkcs12: some Sequence<UInt8>, passphrase: String?) throws(TLSMaterialError) {
    try self.init(pkcs12: Array(pkcs12), from: "the PKCS #12 bytes", passphrase: passphrase)
  }

  /// An identity from a PKCS #12 file.
  ///
  /// - Parameters:
  ///   - pkcs12File: the file's path; it often ends in `.p12` or `.pfx`.
  ///   - passphrase: the file's; `nil` if it has none.
  public init(pkcs12File: String, passphrase: String?) throws(TLSMaterialError) {
    try self.init(pkcs12: TLSMaterialError.read(pkcs12File), from: pkcs12File, passphrase: passphrase)
  }

  private init(pkcs12: [UInt8], from source: String, passphrase: String?) throws(TLSMaterialError) {
    let credentials: TLSCredentials
    do throws(KeyMaterialError) {
      credentials = try TLSCredentials(pkcs12: pkcs12, passphrase: passphrase)
    } catch {
      throw TLSMaterialError(error, source: source)
    }
    self.init(credentials)
  }
}

/// The identities that a session shows to servers that ask for one.
public struct ClientIdentities: Sendable {
  /// No identity for any server: a server that insists on one ends the connection.
  public static let none = ClientIdentities()

  private let patterns: HostPatterns<ClientIdentity>

  /// - Parameters:
  ///   - fallback: for hosts without an identity of their own. Each server that asks learns it, so it is rarely what you want.
  ///   - hosts: by host or by domain, with the patterns of ``ServerTrustManager``.
  public init(default fallback: ClientIdentity? = nil, hosts: [String: ClientIdentity] = [:]) {
    var values = hosts
    if let fallback, values["*"] == nil { values["*"] = fallback }
    patterns = HostPatterns(values)
  }

  /// The identity that `host` is shown; `nil` if none.
  public subscript(host: String) -> ClientIdentity? { patterns[host] }
}
