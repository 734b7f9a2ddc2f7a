package import TapelineTLS

/// An X.509 certificate, as servers and authorities have it.
///
/// Two certificates are equal when all their bytes are.
public struct Certificate: Sendable, Hashable, CustomStringConvertible {
  package let handle: X509Handle
  /// The certificate in DER.
  public let der: [UInt8]

  package init(_ handle: X509Handle) {
    self.handle = handle
    der = handle.der
  }

  /// Reads one certificate in DER.
  public init(der: some Sequence<UInt8>) throws(TLSMaterialError) {
    guard let handle = X509Handle(der: Array(der).span) else {
      throw TLSMaterialError(.malformed, "the bytes are not one certificate in DER")
    }
    self.init(handle)
  }

  /// Reads all certificates of a PEM text, in their order; other contents are ignored. There must be at least one.
  public static func certificates(pem text: String) throws(TLSMaterialError) -> [Certificate] {
    try certificates(in: Array(text.utf8), source: "the text")
  }

  /// Reads all certificates of a file, in PEM, or one in DER.
  public static func certificates(contentsOfFile path: String) throws(TLSMaterialError) -> [Certificate] {
    let bytes = try TLSMaterialError.read(path)
    if let handle = X509Handle(der: bytes.span) { return [Certificate(handle)] }
    return try certificates(in: bytes, source: path)
  }

  private static func certificates(in bytes: [UInt8], source: String) throws(TLSMaterialError) -> [Certificate] {
    guard let handles = X509Handle.certificates(pem: bytes) else {
      throw TLSMaterialError(.malformed, "a certificate in \(source) is damaged")
    }
    guard !handles.isEmpty else { throw TLSMaterialError(KeyMaterialError.noCertificate, source: source) }
    return handles.map { Certificate($0) }
  }

  // MARK: What it says

  /// The subject: a distinguished name in the order and with the escapes of RFC 2253.
  public var subject: String { handle.summary.subject }

  /// The issuer, in the same form.
  public var issuer: String { handle.summary.issuer }

  /// The host names and addresses that it is for.
  public var names: [String] { handle.summary.names }

  /// When it begins to be valid, in seconds since 1970.
  public var notBefore: Int64 { handle.summary.notBefore }

  /// When it ceases to be valid, in seconds since 1970.
  public var notAfter: Int64 { handle.summary.notAfter }

  /// SHA-256 of the DER form, in lower-case hexadecimal.
  public var fingerprint: String { handle.fingerprint }

  /// Its number among the issuer's certificates, in lower-case hexadecimal.
  public var serialNumber: String { handle.summary.serialNumber }

  /// The key that it vouches for.
  public var publicKey: PublicKey { PublicKey(information: handle.publicKeyInfo) }

  /// Whether it is valid only with a stapled response of its authority (RFC 7633).
  public var mustBeStapled: Bool { handle.mustBeStapled }

  /// Its subject and its fingerprint.
  public var description: String { "\(subject) (SHA-256 \(fingerprint))" }

  /// Whether the bytes of both are the same.
  public static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// A public key, as certificates have it.
public struct PublicKey: Sendable, Hashable, CustomStringConvertible {
  /// The key's SubjectPublicKeyInfo (RFC 5280 4.1.2.7) in DER: the algorithm, its parameters and the key.
  public let derRepresentation: [UInt8]

  init(information: [UInt8]) {
    derRepresentation = information
  }

  /// Reads a SubjectPublicKeyInfo in DER.
  public init(der: some Sequence<UInt8>) throws(TLSMaterialError) {
    guard let information = PublicKeyInfo.read(der: Array(der).span) else {
      throw TLSMaterialError(.malformed, "the bytes are not one public key in DER")
    }
    self.init(information: information)
  }

  /// Reads the first public key of a PEM text, as `openssl pkey -pubout` writes it.
  public init(pem text: String) throws(TLSMaterialError) {
    guard let information = PublicKeyInfo.read(pem: Array(text.utf8).span) else {
      throw TLSMaterialError(.noPublicKey, "there is no public key in the text")
    }
    self.init(information: information)
  }

  /// SHA-256 of the key, in Base64: the usual name of a key outside of certificates (RFC 7469 2.4).
  public var pin: String { PublicKeyInfo.pin(of: derRepresentation) }

  /// The pin.
  public var description: String { "SHA-256 \(pin)" }
}
