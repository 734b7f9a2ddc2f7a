internal import Glibc

/// A real web server on two ephemeral loopback ports, one of them with TLS: serves a directory's files, and keeps uploads by PUT.
package final class NginxServer: Sendable {
  package let port: UInt16
  package let tlsPort: UInt16
  /// What `/NAME` serves.
  package let files: String
  /// Where a PUT to `/upload/NAME` lands as `upload/NAME`.
  package let uploads: String
  /// The self-signed certificate of the TLS port, for `localhost` and 127.0.0.1.
  package let certificate: String
  private let directory: TemporaryDirectory
  private let process: TestProcess

  package init() throws(TestSupportError) {
    let directory = try TemporaryDirectory()
    self.directory = directory
    files = try directory.makeDirectory("files")
    uploads = try directory.makeDirectory("uploads")
    certificate = try makeCertificate(in: directory)
    (process, port, tlsPort) = try startNginx(in: directory)
  }

  deinit {
    process.signal(SIGTERM)
  }

  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
  package func tlsURL(_ path: String) -> String { "https://localhost:\(tlsPort)\(path)" }

  /// Puts a file where `/name` serves it.
  package func serve(_ octets: [UInt8], as name: String) throws(TestSupportError) {
    try directory.write(octets, to: "files/\(name)")
  }
}

/// nginx takes no port 0, so free ports are looked up first; if somebody else was faster, others are tried.
private func startNginx(in directory: TemporaryDirectory) throws(TestSupportError) -> (TestProcess, UInt16, UInt16) {
  var complaint = ""
  for _ in 0..<5 {
    let ports = [
      try ListeningSocket(on: .v4, backlog: 1), try ListeningSocket(on: .v4, backlog: 1),
    ].map(\.port)
    let path = try directory.write(
      nginxConfiguration(directory: directory.path, port: ports[0], tlsPort: ports[1]), to: "nginx.conf")
    let process = try TestProcess("nginx", ["-c", path, "-e", "stderr"], environment: ["PATH": pathWithServers()])
    do throws(TestSupportError) {
      // Said once its sockets listen.
      _ = try process.waitForErrorLine(containing: "OS: ", seconds: 5)
      return (process, ports[0], ports[1])
    } catch {
      complaint = process.errorText
    }
  }
  throw .program("nginx did not start: \(complaint)")
}

/// One process in the foreground, so that the test's end is its end.
private func nginxConfiguration(directory: String, port: UInt16, tlsPort: UInt16) -> String {
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
    client_body_temp_path \(directory)/body;
    proxy_temp_path \(directory)/proxy;
    fastcgi_temp_path \(directory)/fastcgi;
    uwsgi_temp_path \(directory)/uwsgi;
    scgi_temp_path \(directory)/scgi;
    server {
      listen 127.0.0.1:\(port);
      listen 127.0.0.1:\(tlsPort) ssl;
      ssl_certificate \(directory)/certificate.pem;
      ssl_certificate_key \(directory)/key.pem;
      root \(directory)/files;
      location /upload/ {
        alias \(directory)/uploads/;
        dav_methods PUT;
      }
    }
  }
  """
}

private func makeCertificate(in directory: TemporaryDirectory) throws(TestSupportError) -> String {
  let certificate = directory.path("certificate.pem")
  let openssl = try TestProcess(
    "openssl",
    [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
      "-keyout", directory.path("key.pem"), "-out", certificate,
    ])
  guard try openssl.wait().isSuccess else { throw .program("openssl: \(openssl.errorText)") }
  return certificate
}

/// Debian keeps servers where an ordinary user's path does not look.
private func pathWithServers() -> String {
  "\(environmentVariable("PATH") ?? "/usr/bin:/bin"):/usr/local/sbin:/usr/sbin:/sbin"
}
