import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A client resumes its sessions at the origin as it would without us: connection by connection, by tickets and by identifiers,
  /// whatever versions the two speak.
  @Suite struct Resumption {
    /// What the origin speaks and gives.
    struct Origin: CustomTestStringConvertible {
      let versions: String
      let givesTickets: Bool
      var testDescription: String { "\(versions), \(givesTickets ? "tickets" : "identifiers")" }
    }

    private static let origins = ["TLSv1.2", "TLSv1.3", "TLSv1.2 TLSv1.3"].flatMap { versions in
      [true, false].map { Origin(versions: versions, givesTickets: $0) }
    }
    private static let count = 20

    private let authority: TestAuthority
    private let directory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      directory = try TemporaryDirectory()
    }

    /// The origin's handshakes, `r` for those that resumed, without us and with us.
    ///
    /// - Parameter connect: opens connections to the URL, through the proxy if there is one, with trust in the file; each gets a
    ///   page that has the origin's answer.
    private func expectAlike(
      at origin: Origin, sourceLocation: SourceLocation = #_sourceLocation,
      _ connect: (_ url: String, _ authority: String, _ proxy: String) throws -> String
    ) throws {
      let server = try NginxServer(
        identity: authority.issue(), versions: origin.versions,
        tls: """
          ssl_session_tickets \(origin.givesTickets ? "on" : "off");
          ssl_session_cache \(origin.givesTickets ? "none" : "shared:resumption:1m");
          """,
        directives: #"location /session { return 200 "<$ssl_session_reused $ssl_protocol>"; }"#)
      let url = server.tlsURL("/session")
      let direct = try connect(url, authority.certificate, "")
      #expect(direct.count { $0 == "<" } == Self.count, "\(direct)", sourceLocation: sourceLocation)
      let options = ["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]
      _ = try recording(options, sourceLocation: sourceLocation) { proxy in
        let proxied = try connect(url, directory.path("ca.pem"), proxy.url)
        #expect(proxied == direct, sourceLocation: sourceLocation)
      }
    }

    private func output(of program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> String {
      let client = try TestProcess(program, arguments, environment: environment)
      let status = try client.wait(seconds: 60)
      try #require(status.isSuccess, "\(client.errorText)")
      return client.outputText
    }

    @Test("curl", arguments: origins, ["1.2", "1.3"])
    func curl(origin: Origin, newest: String) throws {
      guard newest == "1.3" || origin.versions.contains("1.2") else { return }
      try expectAlike(at: origin) { url, authority, proxy in
        try output(
          of: "curl",
          [
            "-sS", "--http1.1", "-H", "Connection: close", "--cacert", authority, "--proxy", proxy, "--noproxy",
            proxy.isEmpty ? "*" : "",
          ]
            + ["--tls-max", newest] + Array(repeating: url, count: Self.count))
      }
    }

    /// It keeps several tickets, and uses each once.
    @Test("A newer libcurl", arguments: origins, ["1.2", "1.3"])
    func newerCurl(origin: Origin, newest: String) throws {
      guard newest == "1.3" || origin.versions.contains("1.2") else { return }
      try expectAlike(at: origin) { url, authority, proxy in
        try output(of: pythonInterpreter(), ["-c", newerCurlProgram, url, authority, proxy, newest, "\(Self.count)"])
      }
    }

    @Test("Python", arguments: [origins[1], origins[4]], ["1.2", "1.3"])
    func python(origin: Origin, newest: String) throws {
      guard newest == "1.3" || origin.versions.contains("1.2") else { return }
      try expectAlike(at: origin) { url, authority, proxy in
        try output(of: "python3", ["-c", pythonProgram, url, authority, proxy, newest, "\(Self.count)"])
      }
    }

    @Test("openssl s_client", arguments: [origins[1], origins[4]], [[], ["-no_ticket"]])
    func openssl(origin: Origin, options: [String]) throws {
      let script = try directory.write(opensslScript, to: "connect.sh")
      try expectAlike(at: origin) { url, authority, proxy in
        let session = directory.path(proxy.isEmpty ? "direct" : "proxied")
        return try output(of: "sh", [script, url, authority, proxy, session, "\(Self.count)"] + options)
      }
    }

    /// It knows no identifiers, and before an origin of TLS 1.2 it cannot tell: with us it speaks TLS 1.3.
    @Test("Go", arguments: [origins[0], origins[5]])
    func go(origin: Origin) throws {
      let program = try GoProgram.build(goProgram, in: directory)
      try expectAlike(at: origin) { url, authority, proxy in
        try output(of: program, [url, authority, proxy, "\(Self.count)"])
      }
    }

    @Test("Java", arguments: [origins[0], origins[4]])
    func java(origin: Origin) throws {
      let program = try directory.write(javaProgram, to: "Resume.java")
      try expectAlike(at: origin) { url, authority, proxy in
        try output(of: "java", [program, url, authority, proxy, "\(Self.count)"])
      }
    }
  }
}

private let newerCurlProgram = """
  import pycurl, sys
  url, authority, proxy, newest, count = sys.argv[1:]
  sessions = pycurl.CurlShare()
  sessions.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)
  for _ in range(int(count)):
    curl = pycurl.Curl()
    options = [(pycurl.SHARE, sessions), (pycurl.URL, url), (pycurl.CAINFO, authority), (pycurl.PROXY, proxy)]
    options += [(pycurl.NOPROXY, "" if proxy else "*"), (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)]
    if newest == "1.2":
      options.append((pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2 | pycurl.SSLVERSION_MAX_TLSv1_2))
    options.append((pycurl.WRITEFUNCTION, lambda piece: print(piece.decode(), end="")))
    for option, value in options:
      curl.setopt(option, value)
    curl.perform()
    curl.close()
  """

private let pythonProgram = """
  import socket, ssl, sys, urllib.parse
  url, authority, proxy, newest, count = sys.argv[1:]
  port = urllib.parse.urlsplit(url).port
  context = ssl.create_default_context(cafile=authority)
  context.maximum_version = getattr(ssl.TLSVersion, "TLSv" + newest.replace(".", "_"))
  session = None
  for _ in range(int(count)):
    s = socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(proxy).port if proxy else port))
    if proxy:
      s.sendall(b"CONNECT localhost:%d HTTP/1.1\\r\\nHost: localhost:%d\\r\\n\\r\\n" % (port, port))
      s.recv(4096)
    s = context.wrap_socket(s, server_hostname="localhost", session=session)
    s.sendall(b"GET /session HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
    data = b""
    while more := s.recv(4096):
      data += more
    session = s.session
    s.close()
    print(data.decode().split("\\r\\n\\r\\n")[1], end="")
  """

private let opensslScript = """
  url=$1 authority=$2 proxy=$3 session=$4 count=$5
  shift 5
  port=${url#https://localhost:}
  port=${port%%/*}
  for number in $(seq $count); do
    # The input ends when the server has ended the connection.
    { printf 'GET /session HTTP/1.1\\r\\nHost: localhost:%s\\r\\nConnection: close\\r\\n\\r\\n' $port; } |
      openssl s_client -connect localhost:$port -servername localhost -CAfile "$authority" -ign_eof -sess_out "$session" \\
        $(test -s "$session" && echo -sess_in "$session") ${proxy:+-proxy ${proxy#http://}} "$@" 2>&1 | grep -ao '<[r.] TLS[^>]*>'
  done
  """

private let goProgram = """
  package main

  import (
    "crypto/tls"
    "crypto/x509"
    "fmt"
    "io"
    "net/http"
    "net/url"
    "os"
    "strconv"
  )

  func main() {
    roots := x509.NewCertPool()
    file, _ := os.ReadFile(os.Args[2])
    roots.AppendCertsFromPEM(file)
    transport := &http.Transport{
      TLSClientConfig: &tls.Config{RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)}, DisableKeepAlives: true}
    if os.Args[3] != "" {
      proxy, _ := url.Parse(os.Args[3])
      transport.Proxy = http.ProxyURL(proxy)
    }
    count, _ := strconv.Atoi(os.Args[4])
    for ; count > 0; count-- {
      response, failure := (&http.Client{Transport: transport}).Get(os.Args[1])
      if failure != nil {
        fmt.Fprintln(os.Stderr, failure)
        os.Exit(1)
      }
      body, _ := io.ReadAll(response.Body)
      fmt.Print(string(body))
    }
  }
  """

private let javaProgram = """
  import java.io.FileInputStream;
  import java.net.*;
  import java.security.KeyStore;
  import java.security.cert.CertificateFactory;
  import javax.net.ssl.*;

  public class Resume {
    public static void main(String[] arguments) throws Exception {
      KeyStore roots = KeyStore.getInstance("PKCS12");
      roots.load(null, null);
      FileInputStream file = new FileInputStream(arguments[1]);
      roots.setCertificateEntry("root", CertificateFactory.getInstance("X.509").generateCertificate(file));
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(roots);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      System.setProperty("http.keepAlive", "false");
      Proxy proxy = Proxy.NO_PROXY;
      if (!arguments[2].isEmpty()) {
        URI address = URI.create(arguments[2]);
        proxy = new Proxy(Proxy.Type.HTTP, new InetSocketAddress(address.getHost(), address.getPort()));
      }
      for (int count = Integer.parseInt(arguments[3]); count > 0; count--) {
        HttpsURLConnection connection = (HttpsURLConnection) new URL(arguments[0]).openConnection(proxy);
        connection.setSSLSocketFactory(context.getSocketFactory());
        System.out.print(new String(connection.getInputStream().readAllBytes()));
        connection.disconnect();
      }
    }
  }
  """
