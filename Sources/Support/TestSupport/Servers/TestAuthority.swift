/// A certificate authority that nobody trusts unless told to, made by the `openssl` command: so the project's code
/// is not tested with its own certificates.
package final class TestAuthority: Sendable {
  /// The root's certificate, a PEM file.
  package let certificate: String
  private let key: String
  private let directory: TemporaryDirectory

  package init() throws(TestSupportError) {
    directory = try TemporaryDirectory()
    certificate = directory.path("root.pem")
    key = directory.path("root.key")
    try openssl(
      ["req", "-x509"] + TestIdentity.newKey
        + ["-days", "2", "-subj", "/O=tapeline tests/CN=Test root", "-addext", "basicConstraints=critical,CA:TRUE"]
        + ["-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", key, "-out", certificate])
  }

  /// - Parameters:
  ///   - names: subject alternative names in the notation of openssl.
  ///   - days: how long the certificate is valid; a negative number makes an expired certificate.
  package func issue(
    for names: [String] = TestIdentity.loopbackNames, days: Int = 2
  ) throws(TestSupportError) -> TestIdentity {
    let directory = try TemporaryDirectory()
    let identity = TestIdentity(in: directory)
    let request = directory.path("request.pem")
    let extensions = try directory.write(
      """
      subjectAltName=\(names.joined(separator: ","))
      extendedKeyUsage=serverAuth,clientAuth
      basicConstraints=critical,CA:FALSE
      """, to: "extensions.cnf")
    try openssl(["req"] + TestIdentity.newKey + ["-subj", "/O=tapeline tests", "-keyout", identity.key, "-out", request])
    try openssl(
      ["x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-days", "\(days)", "-extfile", extensions]
        + ["-out", identity.certificate])
    return identity
  }

  package func expired() throws(TestSupportError) -> TestIdentity {
    try issue(days: -1)
  }

  package func forAnotherHost() throws(TestSupportError) -> TestIdentity {
    try issue(for: ["DNS:elsewhere.invalid"])
  }
}

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

  fileprivate static let loopbackNames = ["DNS:localhost", "IP:127.0.0.1"]
  fileprivate static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

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
