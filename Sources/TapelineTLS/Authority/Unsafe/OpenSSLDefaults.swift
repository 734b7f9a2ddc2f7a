internal import COpenSSL

/// The places where the linked OpenSSL looks for roots by default.
enum OpenSSLDefaults {
  static var rootFile: String {
    guard let path = unsafe X509_get_default_cert_file() else { return "" }
    return unsafe String(cString: path)
  }
}
