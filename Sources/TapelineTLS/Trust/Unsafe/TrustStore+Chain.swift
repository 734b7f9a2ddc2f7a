internal import COpenSSL

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
