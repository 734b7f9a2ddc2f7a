/// A certificate and its private key in files, for a server that a test runs.
package struct TestIdentity: Sendable {
  package let certificate: String
  package let key: String
  /// Keeps the files as long as the identity exists.
  private let directory: TemporaryDirectory

  /// Signed by its own key, for `localhost` and 127.0.0.1.
  package static func selfSigned() throws(TestSupportError) -> TestIdentity {
    let directory = try TemporaryDirectory()
    let identity = TestIdentity(in: directory)
    try openssl(
      ["req", "-x509"] + newKey
        + ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=\(loopbackNames.joined(separator: ","))"]
        + ["-keyout", identity.key, "-out", identity.certificate])
    return identity
  }

  static let loopbackNames = ["DNS:localhost", "IP:127.0.0.1"]
  static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  init(in directory: TemporaryDirectory) {
    certificate = directory.path("certificate.pem")
    key = directory.path("key.pem")
    self.directory = directory
  }
}

/// Runs the `openssl` command and requires success.
@discardableResult
func openssl(_ arguments: [String]) throws(TestSupportError) -> TestProcess {
  let process = try TestProcess("openssl", arguments)
  guard try process.wait().isSuccess else { throw .program("openssl \(arguments[0]): \(process.errorText)") }
  return process
}
