internal import TapelineSystem

/// A real web server on two ephemeral loopback ports, one of them with TLS: serves a directory's files, stores PUT uploads, and
/// can put TLS in front of an origin without it.
package final class NginxServer: Sendable {
  package let port: UInt16
  package let tlsPort: UInt16
  /// The directory that holds the file for `/NAME`.
  package let files: String
  /// The directory where a PUT to `/upload/NAME` is stored as `upload/NAME`.
  package let uploads: String
  private let identity: TestIdentity
  private let directory: TemporaryDirectory
  private let process: TestProcess

  /// - Parameters:
  ///   - identity: the certificate of the TLS port; by default self-signed for `localhost` and 127.0.0.1.
  ///   - speaksHTTP2: whether the TLS port offers HTTP/2.
  ///   - origin: the port of the loopback server that serves paths below `/origin/`.
  ///   - versions: of TLS.
  ///   - tls: more directives for TLS.
  ///   - directives: more directives, in the `server` block.
  package init(
    identity: TestIdentity? = nil, speaksHTTP2: Bool = false, before origin: UInt16? = nil,
    versions: String = "TLSv1.2 TLSv1.3", tls: String = "", directives: String = ""
  ) throws(TestSupportError) {
    let directory = try TemporaryDirectory()
    self.directory = directory
    if let identity {
      self.identity = identity
    } else {
      self.identity = try .selfSigned()
    }
    files = try directory.makeDirectory("files")
    uploads = try directory.makeDirectory("uploads")
    let server = """
      ssl_certificate \(self.identity.certificate);
      ssl_certificate_key \(self.identity.key);
      ssl_protocols \(versions);
      \(tls)
      \(directives)
      \(origin.map(passing(to:)) ?? "")
      """
    (process, port, tlsPort) = try startNginx(in: directory, server: server, protocols: speaksHTTP2 ? "ssl http2" : "ssl")
  }

  /// The certificate of the TLS port, a PEM file.
  package var certificate: String { identity.certificate }

  deinit {
    process.signal(ProcessSignal.terminate)
  }

  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
  package func tlsURL(_ path: String) -> String { "https://localhost:\(tlsPort)\(path)" }

  /// Puts a file where `/name` serves it.
  package func serve(_ bytes: [UInt8], as name: String) throws(TestSupportError) {
    try directory.write(bytes, to: "files/\(name)")
  }
}

/// nginx does not support port 0, so free ports are looked up first; if another program takes one, others are tried.
private func startNginx(
  in directory: TemporaryDirectory, server: String, protocols: String
) throws(TestSupportError) -> (TestProcess, UInt16, UInt16) {
  var complaint = ""
  for _ in 0..<5 {
    let ports = [
      try ListeningSocket(on: .v4, backlog: 1), try ListeningSocket(on: .v4, backlog: 1),
    ].map(\.port)
    let path = try directory.write(
      nginxConfiguration(directory: directory.path, port: ports[0], tlsPort: ports[1], protocols: protocols, server: server),
      to: "nginx.conf")
    let process = try TestProcess("nginx", ["-c", path, "-e", "stderr"], environment: ["PATH": pathWithServers()])
    do throws(TestSupportError) {
      // Logged once its sockets listen.
      _ = try process.waitForErrorLine(containing: "OS: ", seconds: 5)
      return (process, ports[0], ports[1])
    } catch {
      complaint = process.errorText
    }
  }
  throw .program("nginx did not start: \(complaint)")
}

/// Bytes pass as they come, and an upgrade (RFC 9110, 7.8) is forwarded.
private func passing(to origin: UInt16) -> String {
  """
  location /origin/ {
    proxy_pass http://127.0.0.1:\(origin)/;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
    proxy_buffering off;
    proxy_request_buffering off;
    gzip off;
  }
  """
}

/// One process in the foreground, so that it ends with the test.
private func nginxConfiguration(
  directory: String, port: UInt16, tlsPort: UInt16, protocols: String, server: String
) -> String {
  """
  daemon off;
  master_process off;
  error_log stderr notice;
  pid \(directory)/nginx.pid;
  events { worker_connections 512; }
  http {
    access_log off;
    sendfile on;
    keepalive_requests 1000000;
    client_max_body_size 0;
    types { text/html html; text/plain txt; application/json json; }
    default_type application/octet-stream;
    gzip on;
    gzip_types text/plain;
    gzip_proxied any;
    map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
    client_body_temp_path \(directory)/body;
    proxy_temp_path \(directory)/proxy;
    fastcgi_temp_path \(directory)/fastcgi;
    uwsgi_temp_path \(directory)/uwsgi;
    scgi_temp_path \(directory)/scgi;
    server {
      listen 127.0.0.1:\(port);
      listen 127.0.0.1:\(tlsPort) \(protocols);
      \(server)
      root \(directory)/files;
      location /upload/ {
        alias \(directory)/uploads/;
        dav_methods PUT;
      }
    }
  }
  """
}

/// Debian keeps servers in a directory that is not on an ordinary user's path.
func pathWithServers() -> String {
  "\(environmentVariable("PATH") ?? "/usr/bin:/bin"):/usr/local/sbin:/usr/sbin:/sbin"
}
