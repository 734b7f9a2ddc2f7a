import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Chains of real proxies: one tapeline behind another, with TLS through both.
  @Suite struct UpstreamProxyChains {
    @Test(
      "RFC 9110 7.6.3: a request goes through two of a kind; the origin sees no credentials, and Via only with --via",
      arguments: [false, true])
    func inClear(namesItself: Bool) throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
      let outer = try recording(["--auth", "me:secret", "--no-redact"] + (namesItself ? ["--via"] : [])) { outer in
        let inner = try recording(["--upstream-proxy", "http://me:secret@127.0.0.1:\(outer.port)"]) { inner in
          let curl = try inner.curl([origin.url("/both")])
          #expect(curl.outputText == "hello", "\(curl.errorText)")
        }
        #expect(try inner.entry("/both").upstreamProxy == "127.0.0.1:\(outer.port)")
      }
      let request = try #require(origin.requests.first)
      #expect(request.values(of: "Proxy-Authorization") == [])
      let via = request.values(of: "Via")
      #expect(via.count == (namesItself ? 2 : 0), "\(via)")
      #expect(via.allSatisfy { $0.wholeMatch(of: /1\.1 tapeline-[0-9a-f]{6}/) != nil }, "\(via)")
      let entry = try outer.entry("/both")
      #expect(entry.requestValues(of: "Proxy-Authorization") == ["Basic bWU6c2VjcmV0"])
    }

    @Test("RFC 1928: in clear, by HTTPS and by a failure, through a SOCKS proxy that asks for a password")
    func bySOCKS() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
      let server = try NginxServer()
      try server.serve(Array("secret".utf8), as: "file")
      let outer = try recording(["--auth", "me:secret"]) { outer in
        let inner = try recording(["--upstream-proxy", "socks5h://me:secret@127.0.0.1:\(outer.port)"]) { inner in
          let clear = try inner.curl([origin.url("/clear"), origin.url("/again")])
          #expect(clear.outputText == "hellohello", "\(clear.errorText)")
          let tls = try inner.curl(["--cacert", server.certificate, server.tlsURL("/file")])
          #expect(tls.outputText == "secret", "\(tls.errorText)")
          let refused = try inner.curl(["-w", "%{http_code}", "http://127.0.0.1:1/"])
          #expect(refused.outputText.hasSuffix("502"), "\(refused.outputText)")
        }
        for entry in inner.entries { #expect(entry.upstreamProxy == "127.0.0.1:\(outer.port)", "\(entry.url)") }
        #expect(try inner.entry("/clear").tunnelTime != nil)
        let failure = try inner.entry("http://127.0.0.1:1/").error?["message"]?.string
        #expect(failure?.contains("upstream proxy 127.0.0.1:\(outer.port): no tunnel to 127.0.0.1:1") == true, "\(failure ?? "")")
        try HARValidators.expectAccepted(inner.log.path)
      }
      let tunnels = outer.entries.filter { $0.tree["_door"]?["kind"]?.string == "socks5" }
      #expect(tunnels.count == 4, "two exchanges in clear are read, and two tunnels are not")
      let wrong = try recording(["--auth", "me:other"]) { outer in
        let inner = try recording(["--upstream-proxy", "socks5://me:secret@127.0.0.1:\(outer.port)"]) { inner in
          _ = try inner.curl([origin.url("/wrong")])
        }
        #expect(try inner.entry("/wrong").tree["_error"]?["kind"]?.string == "proxy-authentication-required")
        #expect(!(try readText(inner.log.path)).contains("secret"))
      }
      #expect(wrong.entries.count == 1)
    }

    @Test("RFC 9110 9.3.6: curl over HTTPS through both, decrypted by both: each has the exchange, and one tunnel carries it")
    func decrypted() throws {
      let server = try NginxServer()
      let body = patternedBytes(300_000, seed: 5)
      try server.serve(body, as: "file.bin")
      let directories = (try TemporaryDirectory(), try TemporaryDirectory())
      let outer = try recording([
        "--auth", "me:secret", "--intercept", "--ca-dir", directories.0.path, "--upstream-ca", server.certificate,
      ]) { outer in
        let inner = try recording([
          "--upstream-proxy", "http://me:secret@127.0.0.1:\(outer.port)", "--intercept", "--ca-dir", directories.1.path,
          "--upstream-ca", directories.0.path("ca.pem"), "--threads", "1",
        ]) { inner in
          // Two runs of curl are two connections to us, and two from us.
          for query in ["1", "2"] {
            let curl = try inner.curl(["--cacert", directories.1.path("ca.pem"), server.tlsURL("/file.bin?\(query)")])
            #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
            #expect(curl.standardOutput == body)
          }
        }
        let entries = inner.entries.filter { $0.url.contains("/file.bin") }
        #expect(entries.count == 2)
        for entry in entries {
          #expect(entry.upstreamProxy == "127.0.0.1:\(outer.port)")
          #expect(entry.error == nil)
        }
        expectDecrypted(entries[0])
        let tunnelTime = try #require(entries[0].tunnelTime)
        #expect(entries[0].phase("connect") >= entries[0].phase("ssl") + tunnelTime)
        try HARValidators.expectAccepted(inner.log.path)
      }
      #expect(outer.entries.filter { $0.url.contains("/file.bin") }.count == 2)
      #expect(outer.entries.allSatisfy { $0.upstreamProxy == nil })
    }

    @Test("RFC 9110 9.3.6: curl over HTTPS through both, decrypted by neither")
    func tunnelled() throws {
      let server = try NginxServer()
      try server.serve(Array("hello".utf8), as: "file.txt")
      _ = try recording(["--auth", "me:secret"]) { outer in
        let inner = try recording(["--upstream-proxy", "http://me:secret@127.0.0.1:\(outer.port)"]) { inner in
          let curl = try inner.curl(["--cacert", server.certificate, server.tlsURL("/file.txt")])
          #expect(curl.outputText == "hello", "\(curl.errorText)")
        }
        #expect(inner.entries.first?.tunnelTime != nil)
      }
    }

    @Test("RFC 9110 15.5.8: a wrong password ends at the proxy that sent it", arguments: ["http://me:wrong@", "http://"])
    func refused(userinfo: String) throws {
      _ = try recording(["--auth", "me:secret"]) { outer in
        let inner = try recording(["--upstream-proxy", "\(userinfo)127.0.0.1:\(outer.port)"]) { inner in
          for request in requestAndTunnel {
            let response = try inner.request(request).receiveResponse()
            #expect(response.status == 502)
            #expect(response.values(of: "Proxy-Authenticate") == [])
            let reason = userinfo.contains("wrong") ? "refuses the given name and password" : "none was given"
            #expect(response.bodyText.contains(reason), "\(response.bodyText)")
          }
        }
        #expect(inner.entries.allSatisfy { $0.error?["kind"]?.string == "proxy-authentication-required" })
      }
    }

    // MARK: Circles

    @Test("RFC 9110 7.6.3: two that are each other's upstream proxy notice it when a request comes round")
    func circle() throws {
      let ports = try freePorts()
      let first = try TapelineProcess(["--listen", "127.0.0.1:\(ports.0)", "--upstream-proxy", "http://127.0.0.1:\(ports.1)"])
      let second = try TapelineProcess(["--listen", "127.0.0.1:\(ports.1)", "--upstream-proxy", "http://127.0.0.1:\(ports.0)"])
      let plain = try first.request("GET http://origin.test/round HTTP/1.1\r\nHost: origin.test\r\n\r\n").receiveResponse()
      #expect(plain.status == 508)
      let tunnel = try first.request("CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n").receiveResponse()
      #expect(tunnel.status == 502)
      let reason = "upstream proxy 127.0.0.1:\(ports.1): no tunnel to origin.test:443: 502"
      #expect(tunnel.bodyText.contains(reason), "\(tunnel.bodyText)")
      for process in [first, second] { #expect(try process.stop() == .exited(0)) }
      let entries = try RecordedLog(contentsOf: first.harPath).entries
      #expect(entries.count == 4, "each request was here twice")
      #expect(entries.filter { $0.error?["kind"]?.string == "loop-detected" }.count == 2)
    }

    @Test("RFC 9110 7.6.3: an upstream proxy that turns out to be ourselves is a loop, whatever its name")
    func ourselves() throws {
      let port = try freePorts().0
      let recording = try recording(["--listen", "127.0.0.1:\(port)", "--upstream-proxy", "http://127.1:\(port)"]) { proxy in
        for request in requestAndTunnel {
          let response = try proxy.request(request).receiveResponse()
          #expect(response.status == 508)
          #expect(response.value(of: "Proxy-Status") == "tapeline; error=proxy_loop_detected")
          #expect(response.bodyText.contains("127.0.0.1:\(port) is this proxy itself"), "\(response.bodyText)")
        }
      }
      #expect(recording.entries.count == 2, "nothing has gone round")
    }

    @Test(
      "An upstream proxy where we are to listen ourselves is refused before anything is recorded",
      arguments: ["127.0.0.1", "localhost"])
    func ownListener(host: String) throws {
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let port = try freePorts().0
      let process = try TestProcess(
        TapelineProcess.binary,
        ["record", "-o", har, "--listen", "127.0.0.1:\(port)", "--upstream-proxy", "http://me:secret@\(host):\(port)"])
      #expect(try process.wait() == .exited(64))
      let complaint = "tapeline: --upstream-proxy http://\(host):\(port): tapeline itself is to listen there"
      #expect(process.errorText.hasPrefix(complaint), "\(process.errorText)")
      #expect(!process.errorText.contains("secret"))
      #expect(!fileExists(har))
    }

    /// Ports that nobody had a moment ago.
    private func freePorts() throws -> (UInt16, UInt16) {
      let servers = (try ScriptedOrigin([]), try ScriptedOrigin([]))
      defer { [servers.0, servers.1].forEach { $0.stop() } }
      return (servers.0.port, servers.1.port)
    }
  }
}
