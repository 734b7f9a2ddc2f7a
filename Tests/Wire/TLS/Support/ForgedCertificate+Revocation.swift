import COpenSSL

@testable import TapelineTLS
import TapelineDigest

/// What an authority says of its certificates, true or not.
extension ForgedCertificate {
  /// A list of the serial numbers of `revoked`, signed by this authority.
  ///
  /// - Parameter validity: in seconds from now.
  func revocationList(
    of revoked: [ForgedCertificate], validity: ClosedRange<Int> = -3600...86_400
  ) throws -> RevocationListHandle {
    guard let list = unsafe X509_CRL_new() else { throw ForgeryError("X509_CRL_new") }
    defer { unsafe X509_CRL_free(list) }
    unsafe X509_CRL_set_version(list, 1)
    unsafe X509_CRL_set_issuer_name(list, X509_get_subject_name(handle.pointer))
    let (begin, end) = unsafe (X509_gmtime_adj(nil, validity.lowerBound), X509_gmtime_adj(nil, validity.upperBound))
    defer {
      unsafe ASN1_STRING_free(begin)
      unsafe ASN1_STRING_free(end)
    }
    unsafe X509_CRL_set1_lastUpdate(list, begin)
    unsafe X509_CRL_set1_nextUpdate(list, end)
    for certificate in revoked {
      let entry = unsafe X509_REVOKED_new()
      unsafe X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate.handle.pointer))
      unsafe X509_REVOKED_set_revocationDate(entry, begin)
      unsafe X509_CRL_add0_revoked(list, entry)
    }
    unsafe X509_CRL_sort(list)
    guard unsafe X509_CRL_sign(list, key.pointer, EVP_sha256()) > 0 else { throw ForgeryError("X509_CRL_sign") }
    let der = unsafe encoded { unsafe i2d_X509_CRL(list, $0) }
    guard let handle = RevocationListHandle(der: der.span) else { throw ForgeryError("X509_CRL") }
    return handle
  }

  enum Verdict {
    case good
    case revoked
    case unknown

    var status: Int32 {
      switch self {
      case .good: V_OCSP_CERTSTATUS_GOOD
      case .revoked: V_OCSP_CERTSTATUS_REVOKED
      case .unknown: V_OCSP_CERTSTATUS_UNKNOWN
      }
    }
  }

  /// An OCSP response about `certificate`, signed by this authority, or by `signer` in its name.
  ///
  /// - Parameters:
  ///   - validity: in seconds from now.
  ///   - hasNextUpdate: whether it says until when it is valid.
  func response(
    _ verdict: Verdict, of certificate: ForgedCertificate, signer: ForgedCertificate? = nil,
    validity: ClosedRange<Int> = -3600...86_400, hasNextUpdate: Bool = true, digest: MessageDigest = .sha1
  ) throws -> [UInt8] {
    guard let basic = unsafe OCSP_BASICRESP_new() else { throw ForgeryError("OCSP_BASICRESP_new") }
    defer { unsafe OCSP_BASICRESP_free(basic) }
    let identifier = unsafe OCSP_cert_to_id(digest.algorithm, certificate.handle.pointer, handle.pointer)
    defer { unsafe OCSP_CERTID_free(identifier) }
    let (begin, end) = unsafe (X509_gmtime_adj(nil, validity.lowerBound), X509_gmtime_adj(nil, validity.upperBound))
    defer {
      unsafe ASN1_STRING_free(begin)
      unsafe ASN1_STRING_free(end)
    }
    unsafe OCSP_basic_add1_status(
      basic, identifier, verdict.status, OCSP_REVOKED_STATUS_NOSTATUS, begin, begin, hasNextUpdate ? end : nil)
    let signer = signer ?? self
    guard unsafe OCSP_basic_sign(basic, signer.handle.pointer, signer.key.pointer, EVP_sha256(), nil, 0) == 1,
      let response = unsafe OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
    else { throw ForgeryError("OCSP response: \(ErrorStack.drain())") }
    defer { unsafe OCSP_RESPONSE_free(response) }
    return unsafe encoded { unsafe i2d_OCSP_RESPONSE(response, $0) }
  }
}
