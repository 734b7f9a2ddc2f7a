internal import COpenSSL
internal import TapelineDigest
internal import TapelineTime

/// Owns one reference to an `X509`: a certificate.
package struct X509Handle: Sendable {
  private let object: OwnedObject

  /// Takes over the caller's reference.
  @unsafe
  init(adopting pointer: OpaquePointer) {
    unsafe object = OwnedObject(pointer, free: X509_free)
  }

  /// Nil unless `der` is one whole certificate.
  package init?(der: Span<UInt8>) {
    let certificate = unsafe der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      let certificate = unsafe d2i_X509(nil, &position, bytes.count)
      let isWhole = unsafe position == bytes.baseAddress.map { unsafe $0 + bytes.count }
      guard let certificate = unsafe certificate, !isWhole else { return unsafe certificate }
      unsafe X509_free(certificate)
      return nil
    }
    guard let certificate = unsafe certificate else { return nil }
    unsafe object = OwnedObject(certificate, free: X509_free)
  }

  /// The first certificate of a PEM text; nil if it is missing or damaged.
  package init?(pem: Span<UInt8>) {
    let certificate = unsafe readPEM(pem) { unsafe PEM_read_bio_X509($0, nil, passwordIsRefused, nil) }
    guard let certificate = unsafe certificate else { return nil }
    unsafe object = OwnedObject(certificate, free: X509_free)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  package var der: [UInt8] {
    unsafe encoded { unsafe i2d_X509(pointer, $0) }
  }

  /// SHA-256 of the DER form, lower-case hexadecimal.
  package var fingerprint: String {
    MessageDigest.sha256.hexadecimal(of: der.span)
  }

  /// SubjectPublicKeyInfo, DER.
  package var publicKeyInfo: [UInt8] {
    unsafe encoded { unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) }
  }

  var subject: DistinguishedName {
    DistinguishedName(encoded: unsafe encoded { unsafe i2d_X509_NAME(X509_get_subject_name(pointer), $0) })
  }

  /// The subject's first common name; empty if it has none.
  var commonName: String {
    var text = [CChar](repeating: 0, count: 4 * DistinguishedName.longestCommonName + 1)
    let count = unsafe text.withUnsafeMutableBufferPointer { text in
      unsafe X509_NAME_get_text_by_NID(X509_get_subject_name(pointer), NID_commonName, text.baseAddress, Int32(text.count))
    }
    return String(decoding: text.prefix(Int(max(0, count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The magnitude; the serial numbers of authorities are positive.
  var serialNumber: [UInt8] {
    unsafe Self.bytes(X509_get0_serialNumber(pointer)) ?? []
  }

  /// Seconds since 1970; nil if the time is malformed.
  package var notBefore: Int64? { unsafe Self.seconds(X509_get0_notBefore(pointer)) }

  package var notAfter: Int64? { unsafe Self.seconds(X509_get0_notAfter(pointer)) }

  /// Nil if the certificate has no such extension.
  var subjectKeyIdentifier: [UInt8]? {
    unsafe Self.bytes(X509_get0_subject_key_id(pointer))
  }

  /// Whether its basic constraints and key usage allow it to sign certificates.
  var isAuthority: Bool {
    unsafe X509_check_ca(pointer) == 1 && X509_get_key_usage(pointer) & UInt32(KU_KEY_CERT_SIGN) != 0
  }

  @unsafe
  private static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8]? {
    guard let string = unsafe string else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
  }

  @unsafe
  static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var seconds: Int64 = 0
    return unsafe tapeline_asn1_unix_seconds(time, &seconds) ? seconds : nil
  }
}

extension X509Handle {
  /// Whether this certificate belongs to an authority whose key has signed `other`.
  func hasIssued(_ other: X509Handle) -> Bool {
    ErrorStack.clear()
    defer { ErrorStack.clear() }
    return unsafe isAuthority && X509_check_issued(pointer, other.pointer) == X509_V_OK
      && X509_verify(other.pointer, X509_get0_pubkey(pointer)) == 1
  }

  /// The first of `certificates`, then its issuer, that issuer's issuer and so on, as far as they are present. Other certificates
  /// from the peer prove nothing, since anybody can send them.
  package static func issuedChain(in certificates: [X509Handle]) -> [X509Handle] {
    var chain = Array(certificates.prefix(1))
    var rest = Array(certificates.dropFirst())
    while let last = chain.last, let index = rest.firstIndex(where: { $0.hasIssued(last) }) {
      chain.append(rest.remove(at: index))
    }
    return chain
  }

  /// All certificates of a PEM text, in their order; nil if one is damaged.
  package static func certificates(pem text: [UInt8]) -> [X509Handle]? {
    defer { ErrorStack.clear() }
    let texts = PEM.certificates(in: text)
    let handles = texts.compactMap { X509Handle(pem: $0.span) }
    return handles.count == texts.count ? handles : nil
  }

  /// Whether the certificate is for `host`, a name or an address without brackets. Only subject alternative names count, and only
  /// wildcards that are a whole label (RFC 9525 6.3).
  package func isFor(_ host: String) -> Bool {
    ErrorStack.clear()
    defer { ErrorStack.clear() }
    return switch ServerName(host) {
    case .name(let text):
      unsafe !text.isEmpty
        && X509_check_host(
          pointer, text, text.utf8.count,
          UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT), nil) == 1
    case .address(let text):
      unsafe X509_check_ip_asc(pointer, text, 0) == 1
    }
  }

  /// Whether the certificate requires a stapled response for every connection (RFC 7633).
  package var mustBeStapled: Bool {
    // In practice the only feature is status_request, by its number.
    let index = unsafe X509_get_ext_by_NID(pointer, NID_tlsfeature, -1)
    guard index >= 0, let value = unsafe X509_EXTENSION_get_data(X509_get_ext(pointer, index)) else { return false }
    let bytes = unsafe UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value)))
    return unsafe Array(bytes) == [0x30, 0x03, 0x02, 0x01, 0x05]
  }

  package var summary: CertificateSummary { unsafe CertificateSummary(reading: pointer) }
}

/// OpenSSL's lists of certificates.
enum X509Stack {
  /// The certificates of a borrowed list; empty for `nil`.
  @unsafe
  static func certificates(in stack: OpaquePointer?) -> [X509Handle] {
    guard let stack = unsafe stack else { return [] }
    return (0..<(unsafe tapeline_x509_stack_count(stack))).compactMap { index in
      guard let certificate = unsafe tapeline_x509_stack_value(stack, index) else { return nil }
      unsafe X509_up_ref(certificate)
      return unsafe X509Handle(adopting: certificate)
    }
  }

  /// Calls `body` with a list of `certificates`, which are borrowed for the call.
  @unsafe
  static func withStack<Result, Failure: Error>(
    of certificates: some Sequence<X509Handle>, _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let stack = unsafe tapeline_x509_stack_make() else { preconditionFailure("OpenSSL has no memory for a list") }
    defer { unsafe tapeline_x509_stack_free(stack) }
    let held = Array(certificates)
    defer { withExtendedLifetime(held) {} }
    for certificate in held {
      let count = unsafe tapeline_x509_stack_append(stack, certificate.pointer)
      precondition(count > 0, "OpenSSL has no memory for a list")
    }
    return unsafe try body(stack)
  }
}

/// A public key as certificates carry it: SubjectPublicKeyInfo (RFC 5280 4.1.2.7), DER.
package enum PublicKeyInfo {
  /// Nil unless `der` is one whole public key that OpenSSL knows.
  package static func read(der: Span<UInt8>) -> [UInt8]? {
    ErrorStack.clear()
    defer { ErrorStack.clear() }
    return unsafe der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      guard let key = unsafe d2i_PUBKEY(nil, &position, bytes.count) else { return nil }
      defer { unsafe EVP_PKEY_free(key) }
      guard unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }) else { return nil }
      return unsafe encoded { unsafe i2d_PUBKEY(key, $0) }
    }
  }

  /// The first public key of a PEM text.
  package static func read(pem: Span<UInt8>) -> [UInt8]? {
    defer { ErrorStack.clear() }
    let key = unsafe readPEM(pem) { unsafe PEM_read_bio_PUBKEY($0, nil, passwordIsRefused, nil) }
    guard let key = unsafe key else { return nil }
    defer { unsafe EVP_PKEY_free(key) }
    return unsafe encoded { unsafe i2d_PUBKEY(key, $0) }
  }

  /// SHA-256, Base64 (RFC 7469 2.4).
  package static func pin(of bytes: [UInt8]) -> String {
    KeyIdentifier.pin(of: bytes)
  }
}
