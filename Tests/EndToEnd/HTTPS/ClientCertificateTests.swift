import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Origins that want a certificate which only their client has: the first failure says so, and then the client is let through;
  /// with `--client-cert` it goes on being read.
  @Suite struct ClientCertificates {
    private let authority: TestAuthority
    private let client: TestIdentity
    private let directory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      client = try authority.issue(for: ["DNS:client"])
      directory = try TemporaryDirectory()
    }

    private var interception: [String] {
      ["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]
    }

    /// By a client that trusts us, and the origin.
    private func get(_ url: String, through proxy: TapelineProcess, _ options: [String] = []) throws -> String {
      let bundle = try directory.write(
        readText(authority.certificate) + readText(directory.path("ca.pem")), to: "both.pem")
      return try proxy.curl(["--cacert", bundle] + options + [url]).outputText
    }

    private func expect(
      _ text: String, _ url: String, through proxy: TapelineProcess, _ options: [String] = [],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let got = try get(url, through: proxy, options)
      #expect(got == text, sourceLocation: sourceLocation)
    }

    private var own: [String] { ["--cert", client.certificate, "--key", client.key] }

    @Test(
      "An origin that demands a certificate: one failure that says so, then its clients pass through",
      arguments: [("1.2", "handshake_failure"), ("1.3", "certificate_required")])
    func demanded(version: String, alert: String) throws {
      let origin = try TLSOrigin(authority, version: version, certificates: .required)
      var listed = ""
      let recording = try recording(interception) { proxy in
        _ = try get(origin.url(), through: proxy, own)
        for _ in 0..<2 { try expect("known", origin.url(), through: proxy, own) }
        try expect("", origin.url(), through: proxy)
        listed = try proxy.control(["passthrough"]).outputText
      }
      #expect(listed.contains("asks for a client certificate (alert \(alert))"), "\(listed)")
      let first = try #require(recording.entries.first)
      #expect(first.error?["kind"]?.string == "alert-\(alert)", "\(first.tree)")
      #expect(first.error?["origin"]?.string == "upstream")
      #expect(first.error?["phase"]?.string == "tls")
      #expect(first.error?["message"]?.string?.contains("asked for a client certificate") == true)
      #expect(first.comment?.contains("from now on curl is passed through") == true, "\(first.tree)")
      let others = recording.entries.dropFirst()
      #expect(others.count == 3)
      #expect(others.allSatisfy { $0.tree["_tunnel"]?["unread"]?.string == "client-certificate" })
      let said = recording.proxy.process.errorText.split(separator: "\n").filter { $0.contains("asks for a client certificate") }
      #expect(said.count == 1 && said[0].contains("--client-cert localhost=FILE"), "\(said)")
    }

    @Test("An origin that does without the certificate that it asks for goes on being read", arguments: ["1.2", "1.3"])
    func optional(version: String) throws {
      let origin = try TLSOrigin(authority, version: version, certificates: .optional)
      let recording = try recording(interception) { proxy in
        for _ in 0..<3 { try expect("unknown", origin.url(), through: proxy) }
      }
      #expect(recording.entries.map(\.method) == ["GET", "GET", "GET"])
    }

    @Test("--client-cert presents the certificate, and the requests are read", arguments: ["1.2", "1.3"])
    func presented(version: String) throws {
      let origin = try TLSOrigin(authority, version: version, certificates: .required)
      let option = ["--client-cert", "localhost=\(client.certificate),\(client.key)"]
      let recording = try recording(interception + option) { proxy in
        for _ in 0..<2 { try expect("known", origin.url(), through: proxy) }
      }
      #expect(recording.entries.map(\.method) == ["GET", "GET"])
      #expect(recording.entries.allSatisfy { $0.error == nil && $0.comment == nil })
    }

    @Test(
      "Apache asks for one place only, after the handshake: by renegotiation, or by TLS 1.3's request",
      arguments: [("TLSv1.2", "handshake_failure"), ("TLSv1.3", "certificate_required")])
    func perLocation(version: String, alert: String) throws {
      let apache = try ApacheServer(
        identity: authority.issue(),
        directives: """
          SSLProtocol -all +\(version)
          SSLCACertificateFile \(authority.certificate)
          <Location /private.txt>
            SSLVerifyClient require
          </Location>

          """)
      for name in ["open.txt", "private.txt"] { try apache.serve(Array(name.utf8), as: name) }
      func url(_ name: String) -> String { "https://localhost:\(apache.tlsPort)/\(name)" }
      let http1 = ["--http1.1"]
      let unread = try recording(interception) { proxy in
        try expect("open.txt", url("open.txt"), through: proxy, http1)
        _ = try get(url("private.txt"), through: proxy, http1 + own)
        try expect("private.txt", url("private.txt"), through: proxy, http1 + own)
      }
      #expect(unread.entries.map(\.method) == ["GET", "GET", "CONNECT"])
      #expect(unread.entries.dropFirst().first?.error?["kind"]?.string == "alert-\(alert)", "\(unread.entries.map(\.tree))")
      let read = try recording(interception + ["--client-cert", "localhost=\(client.certificate),\(client.key)"]) { proxy in
        try expect("open.txt", url("open.txt"), through: proxy, http1)
        try expect("private.txt", url("private.txt"), through: proxy, http1)
        try expect("private.txt", url("private.txt"), through: proxy, http1 + ["--data", "posted"])
      }
      #expect(read.entries.map(\.method) == ["GET", "GET", "POST"])
    }

    @Test("nginx demands a certificate by an answer")
    func answered() throws {
      let server = try NginxServer(
        identity: authority.issue(), tls: "ssl_client_certificate \(authority.certificate); ssl_verify_client on;")
      try server.serve(Array("private".utf8), as: "private.txt")
      let recording = try recording(interception) { proxy in
        let page = try get(server.tlsURL("/private.txt"), through: proxy, own)
        #expect(page.contains("No required SSL certificate was sent"))
        try expect("private", server.tlsURL("/private.txt"), through: proxy, own)
      }
      #expect(recording.entries.map(\.method) == ["GET", "CONNECT"])
      #expect(recording.entries.first?.comment?.contains("asks for a client certificate (answer 400)") == true)
    }

    /// Each asks until it gets what it wants, and says how often it had to.
    @Test("requests, gRPC and Java have to try twice", arguments: ["requests", "grpc", "java"])
    func clients(program: String) throws {
      let origin = try TLSOrigin(authority, certificates: .required)
      let run: RunRecording
      switch program {
      case "java":
        let store = directory.path("client.p12")
        let files = ["-in", client.certificate, "-inkey", client.key, "-out", store]
        let export = try TestProcess("openssl", ["pkcs12", "-export", "-passout", "pass:secret"] + files)
        #expect(try export.wait().isSuccess, "\(export.errorText)")
        run = try RunRecording(
          trusting: authority, ["java", directory.write(javaClient, to: "Fetch.java"), origin.url(), store], seconds: 120)
      case "grpc":
        run = try RunRecording(
          trusting: authority,
          [pythonInterpreter(), "-c", grpcClient, client.certificate, client.key, authority.certificate] + serverFiles())
      default:
        run = try RunRecording(
          trusting: authority, [pythonInterpreter(), "-c", requestsClient, origin.url(), client.certificate, client.key])
      }
      #expect(run.process.outputText == "2\n", "\(run.process.errorText)")
      #expect(run.entries.last?.tree["_tunnel"]?["unread"]?.string == "client-certificate", "\(run.entries.map(\.tree))")
      #expect(run.process.errorText.contains("asks for a client certificate"), "\(run.process.errorText)")
    }

    private func serverFiles() throws -> [String] {
      let identity = try authority.issue()
      let certificate = try directory.write(readText(identity.certificate), to: "server.pem")
      return try [certificate, directory.write(readText(identity.key), to: "server.key", mode: 0o600)]
    }

    @Test("A certificate that cannot be presented ends the command before anything else")
    func unusable() throws {
      let other = try authority.issue()
      let open = try directory.write(readText(client.certificate) + readText(client.key), to: "open.pem")
      let alone = try directory.write(readText(client.certificate), to: "alone.pem", mode: 0o600)
      let cases = [
        ("localhost=\(alone)", "no private key"), ("localhost=\(client.certificate),\(other.key)", "is not that of"),
        ("localhost=/nowhere.pem", "No such file"), ("localhost=\(open)", "others may use it"),
      ]
      for (argument, text) in cases {
        let command = try TestProcess(
          TapelineProcess.binary,
          ["run", "--ca-dir", directory.path("ca"), "-o", directory.path("a.har"), "--client-cert", argument, "--", "true"])
        let status = try command.wait()
        #expect(status == .exited(65), "\(command.errorText)")
        #expect(command.errorText.contains(text), "\(command.errorText)")
      }
      let command = try TestProcess(TapelineProcess.binary, ["run", "--client-cert", "localhost", "--", "true"])
      #expect(try command.wait() == .exited(64))
    }
  }
}

private let requestsClient = """
  import requests, sys
  for number in range(1, 4):
    try:
      if requests.get(sys.argv[1], cert=(sys.argv[2], sys.argv[3]), timeout=20).text == "known":
        break
    except requests.RequestException:
      pass
  print(number)
  """

private let grpcClient = """
  import concurrent.futures, grpc, sys
  certificate, key, root, server_certificate, server_key = [open(path, "rb").read() for path in sys.argv[1:]]
  server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
  handler = grpc.unary_unary_rpc_method_handler(lambda request, context: request)
  server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("test.Echo", {"Echo": handler})])
  credentials = grpc.ssl_server_credentials([(server_key, server_certificate)], root, True)
  port = server.add_secure_port("127.0.0.1:0", credentials)
  server.start()
  roots = open(__import__("os").environ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"], "rb").read()
  for number in range(1, 4):
    own = grpc.ssl_channel_credentials(roots, key, certificate)
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.secure_channel("localhost:%d" % port, own, options) as channel:
      try:
        if channel.unary_unary("/test.Echo/Echo")(b"echo", timeout=20) == b"echo":
          break
      except grpc.RpcError:
        pass
  print(number)
  server.stop(None)
  """

private let javaClient = """
  import java.io.FileInputStream;
  import java.net.ProxySelector;
  import java.net.URI;
  import java.net.http.*;
  import java.security.KeyStore;
  import java.security.cert.*;
  import javax.net.ssl.*;

  public class Fetch {
    public static void main(String[] arguments) throws Exception {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new FileInputStream(arguments[1]), "secret".toCharArray());
      KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, "secret".toCharArray());
      KeyStore roots = KeyStore.getInstance("PKCS12");
      roots.load(null, null);
      try (FileInputStream bundle = new FileInputStream(System.getenv("SSL_CERT_FILE"))) {
        int count = 0;
        for (Certificate root : CertificateFactory.getInstance("X.509").generateCertificates(bundle))
          roots.setCertificateEntry("root" + count++, root);
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(roots);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      int number = 1;
      for (; number < 4; number++) {
        HttpClient client = HttpClient.newBuilder().sslContext(context).proxy(ProxySelector.getDefault()).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
        try {
          if (client.send(request, HttpResponse.BodyHandlers.ofString()).body().equals("known")) break;
        } catch (java.io.IOException error) {
          continue;
        }
      }
      System.out.println(number);
    }
  }
  """
