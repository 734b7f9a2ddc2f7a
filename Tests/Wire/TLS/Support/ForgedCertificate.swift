import COpenSSL
import TapelineTestSupport

@testable import TapelineTLS

/// A certificate with whatever fault a test asks for, made by OpenSSL alone: what our own authority would not issue.
struct ForgedCertificate {
  enum KeyKind {
    case p256
    case p384
    case rsa
    case rsaPSS
    case ed25519
    case ed448
    /// Weaker than security level 2 allows.
    case rsa1024
  }

  let handle: X509Handle
  let key: PrivateKeyHandle

  /// - Parameters:
  ///   - names: as in OpenSSL's configuration, e.g. "DNS:example.test, IP:127.0.0.1".
  ///   - validity: in seconds from now.
  ///   - issuer: `nil`: it vouches for itself.
  init(
    commonName: String, names: String? = nil, isAuthority: Bool = false, validity: ClosedRange<Int> = -3600...86_400,
    issuer: ForgedCertificate? = nil, keyKind: KeyKind = .p256, key: PrivateKeyHandle? = nil, serialNumber: Int = 0x1234_5678,
    mustBeStapled: Bool = false, extendedUsage: String? = nil
  ) throws {
    self.key = try key ?? Self.makeKey(keyKind)
    guard let certificate = unsafe X509_new() else { throw ForgeryError("X509_new") }
    unsafe handle = X509Handle(adopting: certificate)
    unsafe X509_set_version(certificate, 2)
    unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate), serialNumber)
    unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), validity.lowerBound)
    unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), validity.upperBound)
    unsafe X509_set_pubkey(certificate, self.key.pointer)
    let subject = unsafe X509_get_subject_name(certificate)
    for (field, value) in [("O", "Tapeline Tests"), ("CN", commonName)] {
      let bytes = Array(value.utf8)
      unsafe X509_NAME_add_entry_by_txt(subject, field, MBSTRING_FLAG, bytes, Int32(bytes.count), -1, 0)
    }
    unsafe X509_set_issuer_name(certificate, issuer.map { unsafe X509_get_subject_name($0.handle.pointer) } ?? subject)
    try add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE")
    if let names { try add(NID_subject_alt_name, names) }
    if let extendedUsage { try add(NID_ext_key_usage, extendedUsage) }
    if mustBeStapled { try add(NID_tlsfeature, "status_request") }
    let signer = (issuer ?? self).key
    // Ed25519 and Ed448 digest what they sign themselves.
    let isDigested =
      unsafe EVP_PKEY_get_base_id(signer.pointer) != NID_ED25519 && EVP_PKEY_get_base_id(signer.pointer) != NID_ED448
    guard unsafe X509_sign(certificate, signer.pointer, isDigested ? EVP_sha256() : nil) > 0 else {
      throw ForgeryError("X509_sign: \(ErrorStack.drain())")
    }
  }

  var credentials: TLSCredentials { TLSCredentials(leaf: handle, key: key) }

  func credentials(over chain: ForgedCertificate...) -> TLSCredentials {
    TLSCredentials(leaf: handle, key: key, chain: chain.map(\.handle))
  }

  var summary: CertificateSummary { unsafe CertificateSummary(reading: handle.pointer) }

  var pem: [UInt8] {
    unsafe Self.text { bio in unsafe PEM_write_bio_X509(bio, handle.pointer) }
  }

  /// Trusts this certificate and nothing else.
  func trusted() throws -> TrustStore {
    let directory = try TemporaryDirectory()
    return try TrustStore.only(directory.write(pem, to: "root.pem"))
  }

  private func add(_ kind: Int32, _ value: String) throws {
    guard let part = unsafe X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw ForgeryError("extension \(value)") }
    defer { unsafe X509_EXTENSION_free(part) }
    unsafe X509_add_ext(handle.pointer, part, -1)
  }

  private static func makeKey(_ kind: KeyKind) throws -> PrivateKeyHandle {
    let (algorithm, bits, curve): (String, Int32?, String?) =
      switch kind {
      case .p256: ("EC", nil, "P-256")
      case .p384: ("EC", nil, "P-384")
      case .rsa: ("RSA", 2048, nil)
      case .rsaPSS: ("RSA-PSS", 2048, nil)
      case .ed25519: ("ED25519", nil, nil)
      case .ed448: ("ED448", nil, nil)
      case .rsa1024: ("RSA", 1024, nil)
      }
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      bits.map({ unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, $0) == 1 }) ?? true,
      curve.map({ unsafe EVP_PKEY_CTX_set_group_name(context, $0) == 1 }) ?? true,
      unsafe EVP_PKEY_generate(context, &made) == 1
    else { throw ForgeryError("\(algorithm): \(ErrorStack.drain())") }
    defer { unsafe EVP_PKEY_free(made) }
    let pem = unsafe text { bio in unsafe PEM_write_bio_PrivateKey(bio, made, nil, nil, 0, nil, nil) }
    guard let key = PrivateKeyHandle(pem: pem.span) else { throw ForgeryError("\(algorithm) key") }
    return key
  }

  static func text(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
    let bio = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(bio) }
    _ = unsafe write(bio)
    var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(bio))
    unsafe BIO_read(bio, &bytes, Int32(bytes.count))
    return bytes
  }
}

struct ForgeryError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
