import TapelineTestSupport
import Testing

/// Whether this system gives commands networks of their own.
enum CommandNetworks {
  /// The options of `run` by which a client's way to tapeline is tried: variables and, where it can be had, a network.
  static var ways: [[String]] { arePossible ? [[], ["--all"]] : [[]] }

  static var arePossible: Bool {
    (try? TestProcess("sh", ["-c", "unshare -n true || unshare -Urn true"]).wait()) == .exited(0)
  }
}

extension EndToEnd {
  /// Programs that know nothing of a proxy, in a network of their own.
  @Suite(.enabled(if: CommandNetworks.arePossible, "this system lets nobody make networks"))
  struct RunAll {
    static func answering(on loopback: Loopback = .v4) throws -> ScriptedOrigin {
      try ScriptedOrigin(
        on: loopback, [.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "the answer")])])
    }

    static func run(
      _ command: [String], options: [String] = [], environment: [String: String] = [:]
    ) throws -> RunRecording {
      try RunRecording(trusting: TestAuthority(), options: ["--all"] + options, command, environment: environment)
    }

    /// Runs a script for Python with `arguments`.
    static func python(_ script: String, _ arguments: [String], options: [String] = []) throws -> RunRecording {
      try run(["python3", "-c", script] + arguments, options: options)
    }

    /// Says what became of a connection to an address and a port.
    static let connecting = """
      import errno, socket, sys
      host, port = sys.argv[1], int(sys.argv[2])
      s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
      try:
          s.connect((host, port))
          print("connected")
      except OSError as error:
          print(errno.errorcode[error.errno])
      """

    @Test(arguments: Loopback.allCases)
    func recordsAClientThatIsToldToUseNoProxy(loopback: Loopback) throws {
      let origin = try Self.answering(on: loopback)
      let run = try Self.run(["curl", "-s", "--noproxy", "*", origin.url("/a"), origin.url("/b")])
      #expect(run.process.outputText == "the answerthe answer")
      for path in ["/a", "/b"] {
        let entry = try run.entry(path)
        #expect(entry.url == origin.url(path))
        #expect(entry.contentText == "the answer")
        #expect(entry.connection == "\(origin.port)")
        #expect(entry.tree["_door"]?["kind"]?.string == "network")
      }
      #expect(origin.connections.count == 1, "the client's own connection")
    }

    @Test func namesAnEntryByTheHostOfTheRequest() throws {
      let origin = try Self.answering()
      let run = try Self.python(
        """
        import socket, sys
        s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        s.sendall(b"GET /raw HTTP/1.1\\r\\nHost: elsewhere.example\\r\\nConnection: close\\r\\n\\r\\n")
        print(b"the answer" in s.makefile("rb").read())
        """, ["\(origin.port)"])
      #expect(run.process.outputText == "True\n")
      let entry = try run.entry("/raw")
      #expect(entry.url == "http://elsewhere.example/raw")
      #expect(entry.tree["serverIPAddress"]?.string == "127.0.0.1")
      #expect(entry.comment == nil)
    }

    @Test func decryptsAsTheHostInTheHello() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue(), speaksHTTP2: true)
      try server.serve(Array("secret".utf8), as: "file")
      let run = try RunRecording(
        trusting: authority, options: ["--all"], ["curl", "-s", "--noproxy", "*", server.tlsURL("/file")])
      #expect(run.process.outputText == "secret")
      let entry = try run.entry("/file")
      expectDecrypted(entry)
      #expect(entry.connection == "\(server.tlsPort)")
    }

    @Test func tellsAProgramThatIsPinnedFromOthersWithTheSameHello() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("secret ".utf8), as: "file")
      let curl = "curl -s --noproxy '*'"
      let pinned = "\(curl) --cacert '\(authority.certificate)' \(server.tlsURL("/file"))"
      let script = "\(pinned); \(pinned); \(curl) \(server.tlsURL("/file"))"
      let run = try RunRecording(trusting: authority, options: ["--all"], ["sh", "-c", script])
      #expect(run.process.outputText == "secret secret ")
      #expect(run.entries.map(\.method) == ["CONNECT", "CONNECT", "GET"])
      #expect(run.entries[0].comment?.hasPrefix("curl refused our certificate") == true, "\(run.entries[0].tree)")
      expectDecrypted(try run.entry("/file"))
    }

    @Test func passesOtherProtocolsOn() throws {
      let origin = try ScriptedOrigin([
        .send(Array("220 ready\r\n".utf8)), .expect(bytes: 6), .send(Array("221 bye\r\n".utf8)), .close,
      ])
      let run = try Self.python(
        """
        import socket, sys
        s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        f = s.makefile("rb")
        print(f.readline().decode().strip())
        s.sendall(b"QUIT\\r\\n")
        print(f.readline().decode().strip())
        """, ["\(origin.port)"])
      #expect(run.process.outputText == "220 ready\n221 bye\n")
      let entry = try #require(run.entries.first)
      #expect(entry.method == "CONNECT")
      #expect(entry.error == nil)
      #expect(entry.status == 0, "nobody answered the CONNECT, which nobody sent")
    }

    @Test func theCommandsOwnServersStayItsOwn() throws {
      let run = try Self.python(
        """
        import socket
        for host, family in (("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)):
            for bound in (host, "0.0.0.0" if family == socket.AF_INET else "::"):
                server = socket.socket(family)
                server.bind((bound, 0))
                server.listen()
                client = socket.create_connection((host, server.getsockname()[1]))
                client.sendall(b"x")
                print(server.accept()[0].recv(1) == b"x")
        """, [], options: ["--require", "0"])
      #expect(run.process.outputText == String(repeating: "True\n", count: 4))
      #expect(run.entries.isEmpty)
      #expect(run.process.errorText.contains("4 connections, all accepted here"))
      #expect(!run.process.errorText.contains("of another network"))
    }

    @Test func refusesAndCountsDatagrams() throws {
      let run = try Self.python(
        """
        import socket
        for address in (("192.0.2.1", 443), ("192.0.2.1", 9999)):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.connect(address)
            s.send(b"x")
            try:
                s.recv(1)
            except ConnectionRefusedError:
                print("refused")
        """, [], options: ["--require", "0"])
      #expect(run.process.outputText == "refused\nrefused\n")
      #expect(run.process.errorText.contains("refused: 2 datagrams, 0 pings"))
    }

    @Test func asksTheNameServerForTheCommand() throws {
      let origin = try Self.answering()
      let server = try TestProcess("python3", ["-c", nameServer])
      let port = try server.waitForOutputLine(containing: "port ").filter(\.isNumber)
      // A question of the program's own: the machine may have no name server.
      let run = try Self.python(
        """
        import socket, sys, urllib.request
        q = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        q.settimeout(20)
        q.connect(("192.0.2.53", 53))
        q.send(b"\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\4name\\7example\\0\\0\\1\\0\\1")
        answer = q.recv(512)
        address = socket.inet_ntoa(answer[-4:])
        s = socket.create_connection((address, int(sys.argv[1])))
        s.sendall(b"GET /named HTTP/1.1\\r\\nHost: name.example\\r\\nConnection: close\\r\\n\\r\\n")
        print(b"the answer" in s.makefile("rb").read())
        """, ["\(origin.port)"], options: ["--name-server", "127.0.0.1:\(port)"])
      #expect(run.process.outputText == "True\n")
      let entry = try run.entry("/named")
      #expect(entry.tree["_lookup"]?["name"]?.string == "name.example")
      #expect(entry.tree["_lookup"]?["server"]?.string == "127.0.0.1:\(port)")
      #expect((entry.tree["_lookup"]?["time"]?.number ?? 0) >= 50, "the server thinks for as long")
      #expect(entry.phase("dns") == -1, "the program looked the name up before the entry began")
    }

    /// Answers each question by 127.0.0.1, after 50 ms.
    private let nameServer = """
      import socket, time
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.bind(("127.0.0.1", 0))
      print("port", s.getsockname()[1], flush=True)
      while True:
          question, client = s.recvfrom(512)
          time.sleep(0.05)
          record = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x09\\0\\4\\x7f\\0\\0\\1"
          s.sendto(question[:2] + b"\\x81\\x80\\0\\1\\0\\1\\0\\0\\0\\0" + question[12:] + record, client)
      """

    @Test func closesTheLoopbackOfTheMachine() throws {
      let origin = try Self.answering()
      let run = try Self.python(Self.connecting, ["127.0.0.1", "\(origin.port)"], options: ["--no-host-loopback"])
      #expect(run.process.outputText == "ECONNREFUSED\n")
      #expect(origin.connections.isEmpty)
      #expect(run.entries.first?.error?["kind"]?.string == "host-denied", "\(run.entries.first?.tree as Any)")
    }

    @Test func givesTheCommandNoProxyAndNoPrivileges() throws {
      let run = try Self.run(
        ["sh", "-c", "env; grep CapBnd /proc/self/status; id -u; if unshare -n true; then echo escaped; fi"],
        options: ["--require", "0", "--no-intercept"],
        environment: ["NO_PROXY": "example.com"])
      let lines = run.process.outputText.split(separator: "\n").map(String.init)
      #expect(!lines.contains { $0.lowercased().contains("proxy=") })
      #expect(!lines.contains("escaped"))
      let bound = try #require(lines.first { $0.hasPrefix("CapBnd") }?.split(separator: "\t").last)
      let capabilities = try #require(UInt64(bound, radix: 16))
      #expect(capabilities & (1 << 12 | 1 << 21) == 0)
    }

    /// A user namespace in which no further one may be made, and no network: what an administrator can forbid on the whole
    /// machine.
    private static func withoutNamespaces(_ command: [String]) throws -> TestProcess {
      let script = """
        echo 0 > /proc/sys/user/max_user_namespaces && echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"
        """
      return try TestProcess("unshare", ["-Ur", "sh", "-c", script, "sh"] + command)
    }

    private static var canForbidNamespaces: Bool {
      (try? withoutNamespaces(["true"]).wait()) == .exited(0)
    }

    @Test(.enabled(if: canForbidNamespaces, "no user namespace whose limits could be set"))
    func saysWhatForbidsANetwork() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let run = try Self.withoutNamespaces(
        [TapelineProcess.binary, "run", "--all", "-o", directory.path("a.har"), "--", "curl", "-s", origin.url("/a")])
      #expect(try run.wait() == .exited(0), "\(run.errorText)")
      #expect(run.outputText == "the answer")
      #expect(run.errorText.contains("max_user_namespaces is 0"), "\(run.errorText)")
      _ = try RecordedLog(contentsOf: directory.path("a.har")).entry("/a")
    }
  }
}
