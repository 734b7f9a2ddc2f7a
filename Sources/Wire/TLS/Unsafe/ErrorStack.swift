internal import COpenSSL

/// OpenSSL's queue of errors; each thread has one.
///
/// Clear it before a call and drain it right after a failed call, on the same thread: otherwise errors of an earlier caller would
/// be taken for ours.
enum ErrorStack {
  /// One error as OpenSSL reports it.
  struct Entry {
    /// `ERR_LIB_SSL`, `ERR_LIB_X509` …
    let library: Int32
    /// Its meaning depends on the library.
    let reason: Int32
    let text: String
  }

  static func clear() {
    // Clearing visits every slot, and nearly always the queue is empty.
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// Takes all errors. The oldest, which is the cause, comes first.
  static func drainEntries() -> [Entry] {
    var entries: [Entry] = []
    var data: UnsafePointer<CChar>?
    var flags: Int32 = 0
    while true {
      let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
      if code == 0 { return entries }
      var text = "error \(code)"
      if let reason = unsafe ERR_reason_error_string(code) { text = unsafe String(cString: reason) }
      if flags & ERR_TXT_STRING != 0, let data = unsafe data {
        let detail = unsafe String(cString: data)
        if !detail.isEmpty { text += " (\(detail))" }
      }
      entries.append(Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: text))
    }
  }

  /// Takes all errors as one text.
  static func drain() -> String {
    text(of: drainEntries())
  }

  static func text(of entries: [Entry]) -> String {
    entries.isEmpty ? "OpenSSL gave no reason" : entries.map(\.text).joined(separator: "; ")
  }
}

extension TLSError.Kind {
  /// The meaning of the oldest error on OpenSSL's stack for a connection.
  init(_ cause: ErrorStack.Entry?, isEstablished: Bool) {
    guard let cause, cause.library == ERR_LIB_SSL else {
      self = .protocolViolation
      return
    }
    // An alert from the peer has the reason 1000 plus its code.
    if let code = UInt8(exactly: cause.reason - SSL_AD_REASON_OFFSET) {
      self = .peerAlert(TLSAlert(code: code))
      return
    }
    self =
      switch cause.reason {
      case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
        SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_UNKNOWN_SSL_VERSION, SSL_R_INAPPROPRIATE_FALLBACK:
        .protocolVersion
      case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_GROUPS,
        SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
        .noSharedCipher
      case SSL_R_NO_APPLICATION_PROTOCOL: .noApplicationProtocol
      case SSL_R_UNEXPECTED_EOF_WHILE_READING: .truncated
      // OpenSSL reads the first bytes as a record's header: its version is wrong, or it looks like plain HTTP.
      case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
        isEstablished ? .protocolViolation : .notTLS
      default: .protocolViolation
      }
  }
}

extension CertificateProblem {
  /// - Parameter result: the value of `SSL_get_verify_result`; `nil` if the verification succeeded.
  init?(verifyResult result: Int) {
    guard let code = Int32(exactly: result), code != X509_V_OK else { return nil }
    self =
      switch code {
      case X509_V_ERR_CERT_HAS_EXPIRED: .expired
      case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
      case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
      case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
        .unknownAuthority
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .hostMismatch
      case X509_V_ERR_CERT_REVOKED: .revoked
      case X509_V_ERR_UNABLE_TO_GET_CRL, X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID: .revocationUnknown
      case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .weakKey
      default: .other(Self.text(ofVerifyResult: result))
      }
  }

  /// OpenSSL's code for the problem, from which it derives the alert.
  var verifyResult: Int32 {
    switch self {
    case .expired: X509_V_ERR_CERT_HAS_EXPIRED
    case .notYetValid: X509_V_ERR_CERT_NOT_YET_VALID
    case .selfSigned: X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
    case .unknownAuthority: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
    case .hostMismatch: X509_V_ERR_HOSTNAME_MISMATCH
    case .revoked: X509_V_ERR_CERT_REVOKED
    case .revocationUnknown: X509_V_ERR_UNABLE_TO_GET_CRL
    case .weakKey: X509_V_ERR_EE_KEY_TOO_SMALL
    case .other: X509_V_ERR_CERT_REJECTED
    }
  }

  /// OpenSSL's description; the texts are constants.
  static func text(ofVerifyResult result: Int) -> String {
    unsafe String(cString: X509_verify_cert_error_string(result))
  }
}
