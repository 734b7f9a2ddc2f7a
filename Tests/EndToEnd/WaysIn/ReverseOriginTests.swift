import TapelineTestSupport
import Testing

extension TapelineProcess {
  /// The port of each address of `--reverse`, in order.
  var reversePorts: [Int] {
    get throws {
      try readText(portFile).split(separator: "\n").dropFirst().compactMap { Int($0.split(separator: ":").last ?? "") }
    }
  }
}

extension EndToEnd {
  /// Clients that know no proxy, at addresses that lead to one origin each.
  @Suite struct ReverseOrigins {
    private let authority: TestAuthority

    init() throws {
      authority = try TestAuthority()
    }

    @Test("nginx behind two addresses, one of them in TLS on both sides")
    func nginx() throws {
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("one page".utf8), as: "page.html")
      let directory = try TemporaryDirectory()
      let options = [
        "--reverse", "http://127.0.0.1:\(server.port)", "--reverse", "https://localhost:\(server.tlsPort)", "--intercept",
        "--ca-dir", directory.path("ca"), "--upstream-ca", authority.certificate,
      ]
      let recording = try recording(options) { proxy in
        let ports = try proxy.reversePorts
        try #require(ports.count == 2)
        let ca = ["--cacert", directory.path("ca/ca.pem")]
        for arguments in [
          ["http://127.0.0.1:\(ports[0])/page.html?clear"],
          ca + ["https://localhost:\(ports[1])/page.html?secure"],
          ca + ["--http1.1", "https://127.0.0.1:\(ports[1])/page.html?address"],
        ] {
          let curl = try TestProcess("curl", ["-sS", "--noproxy", "*"] + arguments)
          #expect(try curl.wait().isSuccess, "\(curl.errorText) \(proxy.process.errorText)")
          #expect(curl.outputText == "one page")
        }
      }
      #expect(
        recording.entries.map(\.url) == [
          server.url("/page.html?clear"), server.tlsURL("/page.html?secure"), server.tlsURL("/page.html?address"),
        ])
      #expect(recording.entries.allSatisfy { $0.tree["_door"]?["kind"]?.string == "reverse" && $0.status == 200 })
      // The client is answered the protocol that the origin has chosen.
      #expect(recording.entries.dropFirst().allSatisfy { $0.tls?["alpn"]?.string == $0.tree["_clientTLS"]?["alpn"]?.string })
      let changes = recording.entries[0].tree["_changes"]?.elements ?? []
      #expect(changes.contains { $0["name"]?.string == "Host" && $0["to"]?.string == "127.0.0.1:\(server.port)" })
      try HARValidators.expectAccepted(recording.log.path)
    }

    @Test("grpcio in clear (h2c) behind an address: every kind of call")
    func grpc() throws {
      let environment = ["PYTHONPATH": "\(repositoryRoot)/scripts"]
      let server = try TestProcess(pythonInterpreter(), ["-m", "lab.http2.calls", "serve"], environment: environment)
      let line = try server.waitForOutputLine(containing: "port ", seconds: 60)
      let port = try #require(Int(line.dropFirst("port ".count)))
      let recording = try recording(["--reverse", "http://localhost:\(port)"]) { proxy in
        let client = try TestProcess(
          pythonInterpreter(), ["-m", "lab.http2.calls", "ask", "localhost:\(try #require(try proxy.reversePorts.first))"],
          environment: environment)
        #expect(try client.wait(seconds: 120).isSuccess, "\(client.errorText)")
        #expect(client.outputText == "all calls are as they must be\n")
      }
      let calls = recording.entries.filter { $0.tree["_grpc"] != nil }
      #expect(calls.count >= 7)
      #expect(calls.allSatisfy { $0.url.hasPrefix("http://localhost:\(port)/lab.Calls/") })
    }

    @Test("--reverse-host keep tells the origin the client's host")
    func keepsHost() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      let recording = try recording(["--reverse", "127.0.0.1:0=http://\(origin.authority)", "--reverse-host", "keep"]) { proxy in
        let port = try #require(try proxy.reversePorts.first)
        let curl = try TestProcess("curl", ["-sS", "--noproxy", "*", "-H", "Host: www.example", "http://127.0.0.1:\(port)/"])
        #expect(try curl.wait().isSuccess, "\(curl.errorText)")
      }
      #expect(origin.requests.first?.value(of: "Host") == "www.example")
      #expect(recording.entries.first?.url == origin.url("/"))
    }
  }
}
