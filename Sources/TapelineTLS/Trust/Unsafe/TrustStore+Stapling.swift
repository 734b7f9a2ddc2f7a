internal import COpenSSL
internal import TapelineDigest

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
