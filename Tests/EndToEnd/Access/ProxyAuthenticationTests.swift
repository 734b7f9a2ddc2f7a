import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `--auth`: who gets through, and where the credentials go, which is nowhere.
  @Suite struct ProxyAuthentication {
    private static let right = "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n"
    private static let options = ["--auth", "user:pass"]

    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.answer { .response(body: $0.body) }])])
    }

    @Test("RFC 9110 15.5.8: who gives no credentials, or wrong ones, is asked, and may answer on the same connection")
    func questions() throws {
      let origin = try Self.answering()
      let wrong = [
        "", "Proxy-Authorization: Basic dXNlcjpwYXNy\r\n", "Proxy-Authorization: Basic dXNlcjpwYXNzeA==\r\n",
        "Proxy-Authorization: Basic eHNlcjpwYXNz\r\n", "Proxy-Authorization: Basic\r\n", "Proxy-Authorization:\r\n",
        "Proxy-Authorization: Basic !!!!\r\n", "Proxy-Authorization: Bearer dXNlcjpwYXNz\r\n",
        "Proxy-Authorization: Digest username=\"user\"\r\n", "Authorization: Basic dXNlcjpwYXNz\r\n", Self.right + Self.right,
        Self.right + "Proxy-Authorization: Basic eHNlcjpwYXNz\r\n",
        "Proxy-Authorization: Basic dXNlcjpwYXNz, Basic dXNlcjpwYXNz\r\n",
      ]
      let recording = try recording(Self.options) { proxy in
        let client = try proxy.connect()
        for fields in wrong {
          try client.send("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(fields)\r\n")
          let question = try client.receiveResponse()
          #expect(question.status == 407, "\(fields)")
          #expect(question.values(of: "Proxy-Authenticate") == ["Basic realm=\"tapeline\", charset=\"UTF-8\""])
          #expect(question.value(of: "Connection") == nil)
          #expect(question.value(of: "WWW-Authenticate") == nil)
        }
        #expect(origin.connections.isEmpty)
        for scheme in ["Basic", "basic", "BASIC"] {
          try client.send(
            "GET \(origin.url("/in")) HTTP/1.1\r\nHost: \(origin.authority)\r\nproxy-authorization: \(scheme) dXNlcjpwYXNz\r\n\r\n"
          )
          #expect(try client.receiveResponse().status == 200)
        }
      }
      #expect(origin.requests.count == 3)
      let refused = recording.entries.filter { $0.error?["kind"]?.string == "proxy-authentication-required" }
      #expect(refused.count == wrong.count - 2, "two gave none")
      #expect(recording.entries.count { $0.status == 407 && $0.error == nil } == 2)
      #expect(recording.entries.count == wrong.count + 3)
    }

    @Test("RFC 9112 9.3, 9.6: a connection whose request is not read to its end closes with the question")
    func questionsThatClose() throws {
      let origin = try Self.answering()
      _ = try recording(Self.options) { proxy in
        for request in [
          "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 100000\r\n\r\n",
          "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nTransfer-Encoding: chunked\r\n\r\n",
          "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n",
          "GET \(origin.url()) HTTP/1.0\r\n\r\n",
        ] {
          let client = try proxy.request(request)
          let question = try client.receiveResponse()
          #expect(question.status == 407)
          #expect(question.value(of: "Connection") == "close")
          #expect(question.value(of: "Proxy-Authenticate") != nil)
          #expect(try client.receiveToEnd().bytes.isEmpty)
        }
        let head = try proxy.request("HEAD \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: close\r\n\r\n")
        #expect(try head.receiveResponse(to: "HEAD").status == 407)
        #expect(try head.receiveToEnd().bytes.isEmpty, "no body for HEAD")
      }
      #expect(origin.connections.isEmpty)
    }

    @Test("RFC 9110 11.7.2: the credentials are for the proxy, and go no further")
    func notForwarded() throws {
      let origin = try Self.answering()
      _ = try recording(Self.options) { proxy in
        let client = try proxy.request(
          "GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(Self.right)Authorization: Basic b3JpZ2luOng=\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
        let tunnel = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(Self.right)\r\n")
        #expect(try tunnel.receiveResponse(to: "CONNECT").status == 200)
        try tunnel.send("GET /inside HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try tunnel.receiveResponse().status == 200)
      }
      let first = try #require(origin.requests.first)
      #expect(first.value(of: "Proxy-Authorization") == nil)
      #expect(first.value(of: "Authorization") == "Basic b3JpZ2luOng=", "what is for the origin goes there")
      #expect(!origin.connections.contains { $0.receivedText.contains("dXNlcjpwYXNz") })
    }

    @Test("RFC 9110 9.3.6: a tunnel is asked for once; what passes through it, opened or not, is asked nothing")
    func tunnels() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("inside".utf8), as: "inside.txt")
      let directory = try TemporaryDirectory()
      let recording = try recording(
        [
          "--intercept", "--ca-dir", directory.path("ca"), "--upstream-ca", authority.certificate, "--debug-log", "-",
          "--verbose",
        ]
          + ["--auth", "user:s3cr3t-pass"]
      ) { proxy in
        let trusting = ["--cacert", directory.path("ca/ca.pem"), "-o", "/dev/null", "-w", "%{http_connect} %{http_code}\n"]
        let url = server.tlsURL("/inside.txt")
        let right = try proxy.curl(trusting + ["--proxy-user", "user:s3cr3t-pass", url, "-o", "/dev/null", url])
        #expect(right.outputText == "200 200\n200 200\n" || right.outputText == "200 200\n000 200\n", "\(right.outputText)")
        for arguments in [[], ["--proxy-user", "user:wrong"]] {
          let refused = try proxy.curl(trusting + arguments + [url])
          #expect(refused.outputText == "407 000\n", "\(refused.outputText)\(refused.errorText)")
        }
      }
      let inside = recording.entries.filter { $0.url.hasSuffix("/inside.txt") }
      #expect(inside.map(\.status) == [200, 200])
      #expect(recording.entries.count == 4)
      let written = try readText(recording.log.path) + recording.proxy.process.outputText + recording.proxy.process.errorText
      for secret in ["s3cr3t-pass", "dXNlcjpzM2NyM3QtcGFzcw", "dXNlcjp3cm9uZw"] {
        #expect(!written.contains(secret), "neither the log, nor the debug log, nor the terminal has it")
      }
    }

    @Test("RFC 9110 11.7.2: credentials are recorded only where nothing is redacted")
    func redaction() throws {
      let origin = try Self.answering()
      for (options, isKept) in [([], false), (["--no-redact"], true)] {
        let recording = try recording(Self.options + options) { proxy in
          let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(Self.right)\r\n")
          #expect(try client.receiveResponse().status == 200)
        }
        #expect(try readText(recording.log.path).contains("dXNlcjpwYXNz") == isKept)
      }
    }

    @Test("--auth @FILE: the first line of a file that nobody else can use; any other file is refused with what to do")
    func files() throws {
      let directory = try TemporaryDirectory()
      let file = try directory.write("user:pass\n", to: "auth", mode: 0o600)
      _ = try recording(["--auth", "@\(file)"]) { proxy in
        let client = try proxy.request("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic dXNlcjpwYXNz\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
      }
      let open = try directory.write("user:pass\n", to: "open", mode: 0o644)
      let refused = try TestProcess(TapelineProcess.binary, ["record", "-o", directory.path("a.har"), "--auth", "@\(open)"])
      #expect(try refused.wait() == .exited(65))
      #expect(refused.errorText == "tapeline: --auth @\(open): others may use it (mode 644); chmod 600 \(open)\n")
      #expect(!fileExists(directory.path("a.har")))
      let bad = try TestProcess(TapelineProcess.binary, ["record", "--auth", "topsecret"])
      #expect(try bad.wait() == .exited(64))
      #expect(!bad.errorText.contains("topsecret"))
    }

    @Test("run --auth gives its command what the proxy asks for, and keeps everybody else out")
    func run() throws {
      let origin = try Self.answering()
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("inside".utf8), as: "inside.txt")
      let directory = try TemporaryDirectory()
      let script = """
        set -e
        curl -sS --fail \(origin.url("/curl")) -d plain
        curl -sS --fail \(server.tlsURL("/inside.txt"))
        python3 -c 'import urllib.request as r; print(r.urlopen("\(origin.url("/python"))", b"python").read().decode(), end="")'
        wget -qO- --post-data=wget \(origin.url("/wget"))
        curl -s -o /dev/null -w ' %{http_code}' --proxy "http://${http_proxy##*@}" \(origin.url("/other"))
        """
      let password = "p@ss:w/rd?#£ %"
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "-o", directory.path("a.har"), "--ca-dir", directory.path("ca"), "--upstream-ca", authority.certificate]
          + ["--auth", "me@home:\(password)", "--", "sh", "-c", script])
      #expect(try run.wait().isSuccess, "\(run.errorText)")
      #expect(run.outputText == "plaininsidepythonwget 407")
      let log = try RecordedLog(contentsOf: directory.path("a.har"))
      #expect(
        log.entries.map(\.status) == [200, 200, 200, 200, 407], "\(log.entries.map(\.status))")
      let written = try readText(log.path) + run.errorText
      #expect(!written.contains(password) && !written.contains("bWVAaG9tZT"))
    }

    @Test("env gives the credentials that it is given, and says when it needs them")
    func environment() throws {
      _ = try recording(Self.options) { proxy in
        let variables = try TestProcess(
          TapelineProcess.binary, ["env", "--auth", "user:pass", "--port-file", proxy.portFile])
        #expect(try variables.wait() == .exited(0), "\(variables.errorText)")
        #expect(
          variables.outputText.contains("export https_proxy='http://user:pass@127.0.0.1:\(proxy.port)'")
            || variables.outputText.contains("export https_proxy=http://user:pass@127.0.0.1:\(proxy.port)\n"),
          "\(variables.outputText)")
        let without = try TestProcess(TapelineProcess.binary, ["env", "--port-file", proxy.portFile])
        #expect(try without.wait() == .exited(64))
        #expect(
          without.errorText
            == "tapeline: 127.0.0.1:\(proxy.port): it asks clients for a name and a password; give them as it has got them: "
            + "tapeline env --auth @FILE\n")
      }
    }
  }
}
