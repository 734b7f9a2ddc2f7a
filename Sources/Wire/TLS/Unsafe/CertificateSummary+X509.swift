internal import COpenSSL
internal import CTapeline
internal import TapelineBase

extension CertificateSummary {
  /// Reads a borrowed `X509`.
  init(reading certificate: OpaquePointer) {
    unsafe self.init(
      subject: Self.text(of: X509_get_subject_name(certificate)), issuer: Self.text(of: X509_get_issuer_name(certificate)),
      names: Self.names(of: certificate), notBefore: X509Handle.seconds(X509_get0_notBefore(certificate)) ?? 0,
      notAfter: X509Handle.seconds(X509_get0_notAfter(certificate)) ?? 0,
      fingerprint: Self.fingerprint(of: certificate), serialNumber: Self.digits(of: X509_get0_serialNumber(certificate)))
  }

  private static func text(of name: OpaquePointer?) -> String {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { preconditionFailure("OpenSSL has no memory for a BIO") }
    defer { unsafe BIO_free(bio) }
    unsafe X509_NAME_print_ex(bio, name, 0, tapeline_x509_name_format)
    let count = unsafe BIO_ctrl_pending(bio)
    return unsafe String(unsafeUninitializedCapacity: count) { buffer in
      unsafe max(Int(BIO_read(bio, buffer.baseAddress, Int32(count))), 0)
    }
  }

  private static func names(of certificate: OpaquePointer) -> [String] {
    guard let found = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
      // The extension is missing or malformed. Verification reports that; this is only a summary.
      ErrorStack.clear()
      return []
    }
    let names = OpaquePointer(found)
    defer { unsafe GENERAL_NAMES_free(names) }
    var texts: [String] = []
    for index in 0..<(unsafe tapeline_general_names_count(names)) {
      var isAddress = false
      var count: Int32 = 0
      guard let bytes = unsafe tapeline_general_name(names, index, &isAddress, &count) else { continue }
      let value = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
      texts.append(isAddress ? addressText(value) : String(decoding: value, as: UTF8.self))
    }
    return texts
  }

  private static func addressText(_ bytes: [UInt8]) -> String {
    bytes.count == 4 || bytes.count == 16 ? "\(IPAddress(bytes: bytes))" : Hexadecimal.text(of: bytes)
  }

  private static func fingerprint(of certificate: OpaquePointer) -> String {
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
      var size: UInt32 = 0
      let status = unsafe X509_digest(certificate, EVP_sha256(), digest.baseAddress, &size)
      precondition(status == 1, "OpenSSL has SHA-256 in every configuration")
      count = Int(size)
    }
    return Hexadecimal.text(of: digest)
  }

  private static func digits(of number: UnsafePointer<ASN1_INTEGER>?) -> String {
    let bytes = unsafe UnsafeBufferPointer(start: ASN1_STRING_get0_data(number), count: Int(ASN1_STRING_length(number)))
    return unsafe Hexadecimal.text(of: bytes)
  }
}
