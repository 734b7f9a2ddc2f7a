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
