import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What somebody finds who examines our side of TLS.
  @Suite struct TLSProbes {
    private let authority: TestAuthority
    private let server: NginxServer
    private let authorityDirectory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("probed".utf8), as: "probed.txt")
      authorityDirectory = try TemporaryDirectory()
    }

    private var target: String { "localhost:\(server.tlsPort)" }

    private func intercepting(
      _ more: [String] = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: (TapelineProcess) throws -> Void
    ) throws -> Recording {
      let options = ["--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate] + more
      return try recording(options, sourceLocation: sourceLocation, body)
    }

    private func connect(_ options: [String], through proxy: TapelineProcess) throws -> TestProcess {
      let probe = try TestProcess(
        "openssl",
        ["s_client", "-proxy", "127.0.0.1:\(proxy.port)", "-connect", target, "-servername", "localhost", "-ign_eof"] + options,
        input: Array("GET /probed.txt HTTP/1.1\r\nHost: \(target)\r\nConnection: close\r\n\r\n".utf8))
      try probe.wait()
      return probe
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func speaksOnly(version: String) throws {
      let recording = try intercepting { proxy in
        let probe = try connect(
          [version, "-CAfile", authorityDirectory.path("ca.pem"), "-verify_return_error", "-verify_hostname", "localhost"],
          through: proxy)
        #expect(probe.exitStatus == .exited(0), "\(probe.errorText)")
        #expect(probe.outputText.contains("probed"))
        #expect(probe.outputText.contains("Verify return code: 0"))
        #expect(!probe.outputText.contains("Compression: zlib"))
      }
      expectDecrypted(try recording.entry("/probed.txt"))
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func refuses(version: String) throws {
      // Otherwise such a client is passed through to its server.
      let recording = try intercepting(["--strict"]) { proxy in
        // Security level 0 lets the probe itself offer what is long forbidden.
        let probe = try connect([version, "-cipher", "ALL:@SECLEVEL=0"], through: proxy)
        #expect(probe.exitStatus != .exited(0))
        #expect(probe.errorText.contains("protocol version"), "the alert: \(probe.errorText)")
        #expect(try connect(["-tls1_3"], through: proxy).outputText.contains("probed"), "the next one works")
      }
      let refusal = try #require(recording.entries.first { $0.method == "CONNECT" })
      #expect(refusal.error?["phase"]?.string == "tls")
    }

    @Test(arguments: ["NULL", "EXPORT", "RC4", "3DES", "aNULL", "AES128-SHA"])
    func refusesWeakCiphers(_ cipher: String) throws {
      _ = try intercepting { proxy in
        let probe = try connect(["-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0"], through: proxy)
        #expect(!probe.outputText.contains("probed"))
      }
    }

    @Test func renegotiationIsRefused() throws {
      _ = try intercepting { proxy in
        let probe = try TestProcess(
          "openssl", ["s_client", "-proxy", "127.0.0.1:\(proxy.port)", "-connect", target, "-tls1_2"],
          input: Array("R\n".utf8))
        try probe.wait()
        #expect(probe.errorText.contains("no renegotiation") || probe.errorText.contains("alert"), "\(probe.errorText)")
      }
    }

    /// Bytes that are no TLS, or break off in it. Each ends in order, none disturbs what comes after.
    @Test func survivesWhatIsNoHandshake() throws {
      let hello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03]
      let bad: [[UInt8]] = [
        [0x16], Array(hello.prefix(5)), hello, hello + patternedBytes(501), [0x16, 0x03, 0x01, 0x00, 0x00],
        [0x16, 0x03, 0x01, 0xFF, 0xFF] + patternedBytes(70_000), [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28],
        [0x80, 0x2E, 0x01, 0x00, 0x02], [0x17, 0x03, 0x03, 0x00, 0x01, 0x00],
      ]
      let recording = try intercepting { proxy in
        for bytes in bad {
          let client = try proxy.request("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
          #expect(try client.receiveResponse(to: "CONNECT").status == 200)
          try client.send(bytes)
          try client.halfClose()
          _ = try? client.receiveToEnd()
        }
        let curl = try proxy.curl(["--cacert", authorityDirectory.path("ca.pem"), server.tlsURL("/probed.txt")])
        #expect(curl.outputText == "probed", "\(curl.errorText)")
      }
      #expect(recording.entries.filter { $0.method == "CONNECT" }.count == bad.count, "each is an entry")
    }

    @Test func manyHandshakesLeaveMemoryFlat() throws {
      let options = [
        "--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate, "--bodies", "none",
      ]
      _ = try recording(options) { proxy in
        let script = """
          import http.client, ssl, sys, threading
          proxy, port, authority, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
          def work():
              # A context of its own for each, or sessions would be resumed.
              for _ in range(count):
                  context = ssl.create_default_context(cafile=authority)
                  client = http.client.HTTPSConnection('127.0.0.1', proxy, context=context)
                  client.set_tunnel('localhost', port)
                  client.request('GET', '/probed.txt', headers={'Connection': 'close'})
                  assert client.getresponse().read() == b'probed'
                  client.close()
          proxy = int(proxy)
          threads = [threading.Thread(target=work) for _ in range(4)]
          for thread in threads: thread.start()
          for thread in threads: thread.join()
          """
        func shakeHands(_ count: Int) throws -> Int {
          let clients = try TestProcess(
            pythonInterpreter(),
            ["-c", script, "\(proxy.port)", "\(server.tlsPort)", authorityDirectory.path("ca.pem"), "\(count / 4)"])
          #expect(try clients.wait(seconds: 120).isSuccess, "\(clients.errorText)")
          return try #require(proxy.process.memory).resident
        }
        let warm = try shakeHands(400)
        let later = try shakeHands(400)
        #expect(later - warm < 4096, "\(later - warm) KiB more after 400 more handshakes")
      }
    }
  }
}
