import COpenSSL

@testable import TapelineTLS

/// What a strict client says of a leaf under a root: OpenSSL's verification by the letter of RFC 5280.
///
/// - Returns: OpenSSL's name of the first error; "ok" if there is none.
func verification(of leaf: X509Handle, under root: X509Handle, for host: String, at seconds: Int64) -> String {
  let store = unsafe X509_STORE_new()
  defer { unsafe X509_STORE_free(store) }
  unsafe X509_STORE_add_cert(store, root.pointer)
  let context = unsafe X509_STORE_CTX_new()
  defer { unsafe X509_STORE_CTX_free(context) }
  unsafe X509_STORE_CTX_init(context, store, leaf.pointer, nil)
  unsafe X509_STORE_CTX_set_default(context, "ssl_server")
  let parameters = unsafe X509_STORE_CTX_get0_param(context)
  unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE))
  unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
  if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
    unsafe X509_VERIFY_PARAM_set1_host(parameters, host, 0)
  }
  if unsafe X509_verify_cert(context) == 1 { return "ok" }
  let code = unsafe X509_STORE_CTX_get_error(context)
  return unsafe String(cString: X509_verify_cert_error_string(Int(code)))
}

/// What `openssl x509 -text` prints.
func text(of certificate: X509Handle) -> String {
  let memory = unsafe BIO_new(BIO_s_mem())
  defer { unsafe BIO_free(memory) }
  unsafe X509_print(memory, certificate.pointer)
  var bytes = [UInt8](repeating: 0, count: 16_384)
  let count = unsafe BIO_read(memory, &bytes, Int32(bytes.count))
  return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
}
