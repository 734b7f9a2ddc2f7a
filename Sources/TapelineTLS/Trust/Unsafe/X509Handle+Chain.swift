internal import COpenSSL

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
