import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Programs that speak SOCKS, on the port of the proxy.
  @Suite struct SOCKSClients {
    private func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.answer { .response(body: Array("hello \($0.startLine)".utf8)) }])])
    }

    @Test(
      "curl is heard in every version, and each entry says which",
      arguments: [
        ("--socks4", "socks4"), ("--socks4a", "socks4a"), ("--socks5", "socks5"), ("--socks5-hostname", "socks5"),
      ])
    func curl(option: String, door: String) throws {
      let origin = try origin()
      let recording = try recording { proxy in
        let curl = try TestProcess(
          "curl", ["-sS", option, "127.0.0.1:\(proxy.port)", origin.url("/one"), origin.url("/two")])
        #expect(try curl.wait().isSuccess, "\(curl.errorText)")
        #expect(curl.outputText == "hello GET /one HTTP/1.1hello GET /two HTTP/1.1")
      }
      #expect(recording.entries.map(\.url) == [origin.url("/one"), origin.url("/two")])
      for entry in recording.entries { #expect(entry.tree["_door"]?["kind"]?.string == door) }
      #expect(recording.entries.map { $0.phase("connect") >= 0 } == [true, false])
      try HARValidators.expectAccepted(recording.log.path)
    }

    @Test("A refused connection is told by its code, and curl says so; a password is asked for, and is not in the log")
    func refusals() throws {
      let closed = try origin()
      let port = closed.port
      closed.stop()
      let open = try origin()
      let recording = try recording(["--auth", "me:s3cret", "--deny-host", "denied.example"]) { proxy in
        func curl(_ credentials: String, _ url: String) throws -> TestProcess {
          let curl = try TestProcess("curl", ["-sS", "--proxy", "socks5h://\(credentials)127.0.0.1:\(proxy.port)", url])
          try curl.wait()
          return curl
        }
        let answered = try curl("me:s3cret@", open.url("/x"))
        #expect(answered.outputText == "hello GET /x HTTP/1.1")
        for (credentials, url) in [
          ("me:guess@", open.url("/x")), ("", open.url("/x")), ("me:s3cret@", "http://127.0.0.1:\(port)/"),
          ("me:s3cret@", "http://denied.example/"),
        ] {
          let refused = try curl(credentials, url)
          #expect(refused.exitStatus == .exited(97))
        }
      }
      #expect(
        recording.entries.map { $0.tree["_error"]?["kind"]?.string } == [
          nil, "proxy-authentication-required", "proxy-authentication-required", "refused", "host-denied",
        ])
      #expect(
        recording.entries.map { $0.tree["_door"]?["reply"]?.string } == [nil, nil, nil, "connection-refused", "not-allowed"])
      let text = try readText(recording.log.path)
      #expect(!text.contains("s3cret") && !text.contains("guess"))
    }

    @Test("PySocks, for requests and for a plain socket")
    func pySocks() throws {
      let origin = try origin()
      let echo = try ScriptedOrigin([.expect(bytes: 4), .send("pong"), .expectEnd])
      let recording = try recording { proxy in
        try proxy.run(
          pythonInterpreter(),
          [
            "-c",
            """
            import sys, requests, socks
            port, url, plain = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
            answer = requests.get(url, proxies={'http': f'socks5h://127.0.0.1:{port}'})
            assert answer.text == 'hello GET /py HTTP/1.1', answer.text
            s = socks.socksocket()
            s.set_proxy(socks.SOCKS5, '127.0.0.1', port, rdns=True)
            s.connect(('localhost', plain))
            s.sendall(b'ping')
            assert s.recv(4) == b'pong'
            """, "\(proxy.port)", origin.url("/py"), "\(echo.port)",
          ], environment: ["HTTP_PROXY": "", "http_proxy": "", "HTTPS_PROXY": "", "https_proxy": ""])
      }
      #expect(try recording.entry("/py").status == 200)
      let tunnel = try #require(recording.entries.first { $0.method == "CONNECT" })
      #expect(tunnel.tree["_tunnel"]?["toServer"]?.integer == 4 && tunnel.tree["_tunnel"]?["toClient"]?.integer == 4)
      #expect(tunnel.tree["_door"]?["reply"]?.string == "succeeded")
    }

    @Test("git clones through SOCKS")
    func git() throws {
      let directory = try TemporaryDirectory()
      let none = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"]
      let script = """
        cd \(directory.path); git init -q -b main work; cd work; echo text >file; git add file
        git -c user.name=T -c user.email=t@example.invalid commit -qm one; cd ..; git clone -q --bare work repository.git
        """
      let shell = try TestProcess("sh", ["-ec", script], environment: none)
      try #require(try shell.wait().isSuccess, "\(shell.errorText)")
      let server = try GitServer(root: directory.path)
      let recording = try recording { proxy in
        let git = try TestProcess(
          "git",
          [
            "-c", "http.proxy=socks5h://127.0.0.1:\(proxy.port)", "clone", "-q", server.url("/repository.git"),
            directory.path("clone"),
          ], environment: none)
        #expect(try git.wait(seconds: 60).isSuccess, "\(git.errorText)")
      }
      #expect(try readText(directory.path("clone/file")) == "text\n")
      #expect(try recording.entry("/info/refs?service=git-upload-pack").tree["_door"]?["kind"]?.string == "socks5")
    }

    @Test("Chromium loads a page over HTTPS through SOCKS, and it is decrypted")
    func chromium() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("<!DOCTYPE html><title>T</title><p>through socks</p>".utf8), as: "page.html")
      let directory = try TemporaryDirectory()
      let home = directory.path("authority")
      let hash = try HeadlessChromium.publicKeyHash(in: home)
      let recording = try recording(["--intercept", "--ca-dir", home, "--upstream-ca", authority.certificate]) { proxy in
        let command = HeadlessChromium.command(
          printing: server.tlsURL("/page.html"), profile: directory.path("profile"), trusting: hash,
          ["--proxy-server=socks5://127.0.0.1:\(proxy.port)", "--proxy-bypass-list=<-loopback>"])
        let chromium = try TestProcess(command[0], Array(command[1...]), environment: ["HOME": directory.path])
        #expect(try chromium.wait(seconds: 120).isSuccess, "\(chromium.errorText)")
        #expect(chromium.outputText.contains("through socks"), "\(chromium.outputText) \(chromium.errorText)")
      }
      let entry = try #require(recording.entries.first { $0.url == server.tlsURL("/page.html") })
      #expect(entry.status == 200 && entry.tree["_door"]?["kind"]?.string == "socks5")
    }
  }
}
