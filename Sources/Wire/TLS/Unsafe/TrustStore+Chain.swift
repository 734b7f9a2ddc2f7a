internal import COpenSSL
internal import TapelineDigest

extension TrustStore {
  /// How revocation lists are used to verify a chain. We never fetch one.
  package enum Revocation: Sendable {
    case unchecked
    /// A certificate on a list is refused, even if the list is old; a certificate that no list covers is accepted.
    case listed([RevocationListHandle])
    /// Like `listed`, and every certificate must be covered by a list that is valid now.
    case covered([RevocationListHandle])
  }

  /// The chain from the first of `certificates` to a trusted one, verified as a TLS client does now: by signatures, times,
  /// constraints, purposes and strength. It does not check which host the first certificate is for.
  ///
  /// - Parameter certificates: not empty; those after the first may come in any order, and useless ones are left out.
  package func chain(
    of certificates: [X509Handle], revocation: Revocation = .unchecked
  ) throws(ChainError) -> [X509Handle] {
    guard let leaf = certificates.first else { preconditionFailure("a chain begins with a certificate") }
    ErrorStack.clear()
    guard let context = unsafe X509_STORE_CTX_new() else { preconditionFailure("OpenSSL has no memory for a verification") }
    defer { unsafe X509_STORE_CTX_free(context) }
    return try unsafe X509Stack.withStack(of: certificates) { stack throws(ChainError) in
      let isReady = unsafe X509_STORE_CTX_init(context, anchors.pointer, leaf.pointer, stack)
      precondition(isReady == 1, "OpenSSL has no memory for a verification")
      unsafe X509_STORE_CTX_set_default(context, "ssl_server")
      unsafe X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), TLSPolicy.securityLevel)
      return switch revocation {
      case .unchecked:
        try unsafe verify(context)
      case .listed(let lists):
        try unsafe verify(context, lists: lists, toleratesMissing: true)
      case .covered(let lists):
        try unsafe verify(context, lists: lists, toleratesMissing: false)
      }
    }
  }

  /// The trusted certificate that has issued `certificate`, if any.
  package func issuer(of certificate: X509Handle) -> X509Handle? {
    ErrorStack.clear()
    defer { ErrorStack.clear() }
    guard let context = unsafe X509_STORE_CTX_new() else { preconditionFailure("OpenSSL has no memory for a verification") }
    defer { unsafe X509_STORE_CTX_free(context) }
    let isReady = unsafe X509_STORE_CTX_init(context, anchors.pointer, certificate.pointer, nil)
    precondition(isReady == 1, "OpenSSL has no memory for a verification")
    var found: OpaquePointer?
    guard unsafe X509_STORE_CTX_get1_issuer(&found, context, certificate.pointer) == 1, let found = unsafe found else {
      return nil
    }
    let issuer = unsafe X509Handle(adopting: found)
    return issuer.hasIssued(certificate) ? issuer : nil
  }

  @unsafe
  private func verify(
    _ context: OpaquePointer, lists: [RevocationListHandle], toleratesMissing: Bool
  ) throws(ChainError) -> [X509Handle] {
    guard let stack = unsafe tapeline_crl_stack_make() else { preconditionFailure("OpenSSL has no memory for a list") }
    defer {
      unsafe tapeline_crl_stack_free(stack)
      withExtendedLifetime(lists) {}
    }
    for list in lists { unsafe tapeline_crl_stack_append(stack, list.pointer) }
    unsafe X509_STORE_CTX_set0_crls(context, stack)
    unsafe X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    if toleratesMissing { unsafe X509_STORE_CTX_set_verify_cb(context, missingListIsTolerated) }
    return try unsafe verify(context)
  }

  @unsafe
  private func verify(_ context: OpaquePointer) throws(ChainError) -> [X509Handle] {
    guard unsafe X509_verify_cert(context) == 1 else {
      let result = Int(unsafe X509_STORE_CTX_get_error(context))
      let certificate = unsafe X509_STORE_CTX_get_current_cert(context).map { certificate in
        unsafe X509_up_ref(certificate)
        return unsafe X509Handle(adopting: certificate)
      }
      let text = CertificateProblem.text(ofVerifyResult: result)
      throw ChainError(problem: CertificateProblem(verifyResult: result) ?? .other(text), message: text, certificate: certificate)
    }
    return unsafe X509Stack.certificates(in: X509_STORE_CTX_get0_chain(context))
  }
}

/// Called by OpenSSL for each problem; returning 1 lets it continue.
private func missingListIsTolerated(_ isWell: Int32, _ context: OpaquePointer?) -> Int32 {
  guard isWell == 0 else { return 1 }
  switch unsafe X509_STORE_CTX_get_error(context) {
  case X509_V_ERR_UNABLE_TO_GET_CRL, X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID:
    unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
    return 1
  default:
    return 0
  }
}

extension TrustStore {
  /// How far clocks may differ, in seconds.
  private static let tolerance = 300
  /// The maximum age in seconds of a response without a next update: the longest lifetime that public authorities give one.
  private static let longestLife = 10 * 86_400

  /// The status that `response`, an OCSP response in DER, gives for the first certificate of `chain` (RFC 6960).
  ///
  /// - Parameter chain: verified; the response must be signed by the second certificate, or by one that it has issued for this
  ///   purpose.
  package func status(in response: Span<UInt8>, of chain: [X509Handle]) -> StapledStatus {
    guard chain.count > 1 else { return .unknown("nobody has issued the certificate, so nobody can revoke it") }
    ErrorStack.clear()
    defer { ErrorStack.clear() }
    let parsed = unsafe response.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return unsafe d2i_OCSP_RESPONSE(nil, &position, bytes.count)
    }
    guard let parsed = unsafe parsed else { return .unknown("the stapled response is damaged") }
    defer { unsafe OCSP_RESPONSE_free(parsed) }
    let answer = unsafe OCSP_response_status(parsed)
    guard answer == OCSP_RESPONSE_STATUS_SUCCESSFUL, let basic = unsafe OCSP_response_get1_basic(parsed) else {
      return .unknown("the responder had no answer: \(unsafe String(cString: OCSP_response_status_str(Int(answer))))")
    }
    defer { unsafe OCSP_BASICRESP_free(basic) }
    let isSigned = unsafe X509Stack.withStack(of: chain.dropFirst()) { issuers in
      unsafe OCSP_basic_verify(basic, issuers, anchors.pointer, 0) == 1
    }
    guard isSigned else { return .unknown("the stapled response is not signed by who may: \(ErrorStack.drain())") }
    return unsafe status(in: basic, of: chain[0], issuer: chain[1])
  }

  /// - Parameter basic: has a valid signature.
  @unsafe
  private func status(in basic: OpaquePointer, of certificate: X509Handle, issuer: X509Handle) -> StapledStatus {
    // The responder chooses the digest that identifies a certificate (RFC 6960 4.1.1).
    for digest in [MessageDigest.sha1, .sha256] {
      guard let identifier = unsafe OCSP_cert_to_id(digest.algorithm, certificate.pointer, issuer.pointer) else { continue }
      defer { unsafe OCSP_CERTID_free(identifier) }
      var status: Int32 = 0
      var thisUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      var nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      guard unsafe OCSP_resp_find_status(basic, identifier, &status, nil, nil, &thisUpdate, &nextUpdate) == 1 else { continue }
      // Revocation is final: an old response proves it as well.
      if status == V_OCSP_CERTSTATUS_REVOKED { return .revoked }
      let longestLife = unsafe nextUpdate == nil ? Self.longestLife : -1
      guard unsafe OCSP_check_validity(thisUpdate, nextUpdate, Self.tolerance, longestLife) == 1 else {
        return .unknown("the stapled response is out of date")
      }
      return status == V_OCSP_CERTSTATUS_GOOD ? .good : .unknown("the responder does not know the certificate")
    }
    return .unknown("the stapled response is about another certificate")
  }
}

/// Owns one reference to an `X509_CRL`: an authority's list of the certificates that it has revoked (RFC 5280 5).
package struct RevocationListHandle: Sendable {
  private let object: OwnedObject

  /// Nil unless `der` is one whole list.
  package init?(der: Span<UInt8>) {
    let list = unsafe der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      let list = unsafe d2i_X509_CRL(nil, &position, bytes.count)
      let isWhole = unsafe position == bytes.baseAddress.map { unsafe $0 + bytes.count }
      guard let list = unsafe list, !isWhole else { return unsafe list }
      unsafe X509_CRL_free(list)
      return nil
    }
    ErrorStack.clear()
    guard let list = unsafe list else { return nil }
    unsafe object = OwnedObject(list, free: X509_CRL_free)
  }

  /// The first list of a PEM text; nil if it is missing or damaged.
  package init?(pem: Span<UInt8>) {
    let list = unsafe readPEM(pem) { unsafe PEM_read_bio_X509_CRL($0, nil, passwordIsRefused, nil) }
    guard let list = unsafe list else { return nil }
    unsafe object = OwnedObject(list, free: X509_CRL_free)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  package var der: [UInt8] {
    unsafe encoded { unsafe i2d_X509_CRL(pointer, $0) }
  }
}
