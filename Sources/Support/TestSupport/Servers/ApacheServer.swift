internal import TapelineSystem

/// Apache httpd on an ephemeral loopback port, with the defaults of its distributions: compression of text, ranges, keep-alive.
package final class ApacheServer: Sendable {
  package let port: UInt16
  /// With TLS and HTTP/2, if it was given an identity; else 0.
  package let tlsPort: UInt16
  /// The directory that holds the file for `/NAME`.
  package let files: String
  private let directory: TemporaryDirectory
  private let process: TestProcess

  /// - Parameters:
  ///   - identity: the certificate of a further port, which offers HTTP/2 by `mod_http2`.
  ///   - directives: more directives, at the end of the configuration.
  package init(identity: TestIdentity? = nil, directives: String = "") throws(TestSupportError) {
    let directory = try TemporaryDirectory()
    self.directory = directory
    files = try directory.makeDirectory("files")
    // If root starts it, it serves as another user, who needs access to the files.
    do throws(SystemCallError) {
      try SystemCalls.setPermissions(0o711, of: directory.path)
    } catch {
      throw TestSupportError(error)
    }
    (process, port, tlsPort) = try startApache(in: directory, identity: identity, directives: directives)
  }

  deinit {
    process.signal(ProcessSignal.terminate)
  }

  /// Puts a file where `/name` serves it.
  package func serve(_ bytes: [UInt8], as name: String) throws(TestSupportError) {
    try directory.write(bytes, to: "files/\(name)")
  }
}

/// As with nginx: port 0 is not supported, so free ports are looked up first.
private func startApache(
  in directory: TemporaryDirectory, identity: TestIdentity?, directives: String
) throws(TestSupportError) -> (TestProcess, UInt16, UInt16) {
  var complaint = ""
  for _ in 0..<5 {
    let port = try ListeningSocket(on: .v4, backlog: 1).port
    let tlsPort = identity == nil ? 0 : try ListeningSocket(on: .v4, backlog: 1).port
    let secure = identity.map { securePort(tlsPort, identity: $0, directory: directory.path) } ?? ""
    let path = try directory.write(
      apacheConfiguration(directory: directory.path, port: port, directives: secure + directives),
      to: "apache.conf")
    let process = try TestProcess(
      "apache2", ["-f", path, "-DFOREGROUND"], environment: ["PATH": pathWithServers()])
    do throws(TestSupportError) {
      // Logged once its sockets listen.
      _ = try process.waitForErrorLine(containing: "resuming normal operations", seconds: 5)
      return (process, port, tlsPort)
    } catch {
      complaint = process.errorText
    }
  }
  throw .program("Apache did not start: \(complaint)")
}

private func securePort(_ port: UInt16, identity: TestIdentity, directory: String) -> String {
  """
  LoadModule socache_shmcb_module /usr/lib/apache2/modules/mod_socache_shmcb.so
  LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
  LoadModule http2_module /usr/lib/apache2/modules/mod_http2.so
  Listen 127.0.0.1:\(port)
  <VirtualHost 127.0.0.1:\(port)>
    ServerName localhost
    DocumentRoot "\(directory)/files"
    Protocols h2 http/1.1
    SSLEngine on
    SSLCertificateFile \(identity.certificate)
    SSLCertificateKeyFile \(identity.key)
  </VirtualHost>

  """
}

private func apacheConfiguration(directory: String, port: UInt16, directives: String) -> String {
  let modules = [
    "mpm_event", "authz_core", "authn_core", "authn_file", "authz_user", "auth_basic", "mime", "deflate", "filter", "headers",
    "alias", "dir", "negotiation", "expires",
  ]
  return """
    \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
    Listen 127.0.0.1:\(port)
    ServerName localhost
    ServerRoot "\(directory)"
    PidFile "\(directory)/apache.pid"
    ErrorLog /dev/stderr
    LogLevel notice
    DocumentRoot "\(directory)/files"
    User www-data
    Group www-data
    DefaultRuntimeDir "\(directory)"
    StartServers 1
    ServerLimit 1
    ThreadsPerChild 16
    MaxRequestWorkers 16
    KeepAlive On
    KeepAliveTimeout 60
    MaxKeepAliveRequests 0
    TypesConfig /dev/null
    AddType text/plain .txt
    AddType text/html .html
    AddOutputFilterByType DEFLATE text/plain text/html
    <Directory "\(directory)/files">
      Require all granted
    </Directory>
    \(directives)
    """
}
