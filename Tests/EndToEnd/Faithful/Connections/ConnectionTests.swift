import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rule 3: connections are the client's. What the origin sees of a client's connections is what it sees without us.
  @Suite struct Connections {
    private let authority: TestAuthority
    private let authorityDirectory: TemporaryDirectory
    private let origin: EventOrigin

    init() throws {
      authority = try TestAuthority()
      authorityDirectory = try TemporaryDirectory()
      origin = try EventOrigin(identity: authority.issue())
    }

    private var options: [String] {
      ["--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate]
    }

    /// Runs the script's client to its end; what the origin saw of it.
    private func play(
      _ script: ConnectionScript, _ scheme: ConnectionScript.Scheme, through proxy: TapelineProcess?,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [EventOrigin.Connection] {
      let before = origin.connections.count
      let port = scheme == .http ? origin.port : origin.tlsPort
      let roots = proxy == nil ? authority.certificate : authorityDirectory.path("ca.pem")
      let arguments = [scheme.rawValue, "\(port)", proxy.map { "\($0.port)" } ?? "", roots, "/\(scheme)"]
      for command in script.commands(arguments) {
        let client = try TestProcess(command[0], Array(command.dropFirst()), environment: proxy?.environment ?? [:])
        let status = try client.wait()
        #expect(
          status.isSuccess, "\(script.name), \(scheme), \(proxy == nil ? "directly" : "with us"): \(client.errorText)",
          sourceLocation: sourceLocation)
      }
      return Array(origin.connectionsAtRest().dropFirst(before))
    }

    @Test(arguments: ConnectionScript.all) func areTheClients(_ script: ConnectionScript) throws {
      for scheme in script.schemes {
        let direct = try play(script, scheme, through: nil)
        #expect(direct.allSatisfy { $0.endedBy != nil }, "the harness: \(direct)")
        var through: [EventOrigin.Connection] = []
        let recording = try recording(options) { through = try play(script, scheme, through: $0) }
        if script.isOrdered {
          #expect(through == direct, "\(scheme)")
        } else {
          // Whether one of several handshakes at once finds a ticket of another is chance, directly too.
          #expect(Set(through.map(\.requests)) == Set(direct.map(\.requests)), "\(scheme)")
          #expect(through.map(\.endedBy) == direct.map(\.endedBy), "\(scheme)")
        }
        try expectPaid(direct, scheme, recording, isOrdered: script.isOrdered)
      }
    }

    /// `connect` and `ssl` are where a connection was made without us, and nowhere else.
    private func expectPaid(
      _ direct: [EventOrigin.Connection], _ scheme: ConnectionScript.Scheme, _ recording: Recording, isOrdered: Bool
    ) throws {
      for connection in direct {
        for (number, request) in connection.requests.enumerated() {
          let path = String(request.drop { $0 != " " }.dropFirst())
          let entry = try recording.entry(path)
          let pays = number == 0
          #expect((entry.phase("connect") >= 0) == pays, "\(path): connect \(entry.phase("connect"))")
          #expect((entry.phase("ssl") >= 0) == (pays && scheme == .https), "\(path): ssl \(entry.phase("ssl"))")
          #expect(pays || (entry.phase("connect") == -1 && entry.phase("dns") == -1), "\(path)")
        }
      }
    }

    @Test("Two origins by turns on one connection to the proxy: each has one of its own, and keeps it")
    func twoOrigins() throws {
      let other = try EventOrigin(identity: authority.issue())
      _ = try recording(options) { proxy in
        let client = try proxy.connect()
        for number in 1...3 {
          for port in [origin.port, other.port] {
            try client.send("GET http://127.0.0.1:\(port)/\(number) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            #expect(try client.receiveResponse().bodyText == "hello")
          }
        }
        client.close()
        for server in [origin, other] {
          let seen = server.connectionsAtRest()
          #expect(seen.map(\.requests) == [["GET /1", "GET /2", "GET /3"]])
          #expect(seen.map(\.endedBy) == ["client"])
        }
      }
    }

    @Test(
      "With --share-connections, clients share what they had each for themselves",
      arguments: ["one process per request", "requests without a session"])
    func shared(_ name: String) throws {
      let script = try #require(ConnectionScript.all.first { $0.name == name })
      // A tunnel says that it stands when its connection does, so that each has one to begin with.
      for scheme in [ConnectionScript.Scheme.http] {
        let direct = try play(script, scheme, through: nil)
        var through: [EventOrigin.Connection] = []
        _ = try recording(options + ["--share-connections", "--threads", "1"]) { proxy in
          let before = origin.connections.count
          _ = try play(script, scheme, through: proxy)
          through = Array(origin.connections.dropFirst(before))
        }
        #expect(through.count < direct.count, "\(scheme): \(through)")
        #expect(through.flatMap(\.requests).sorted() == direct.flatMap(\.requests).sorted())
      }
    }
  }
}

extension ConnectionScript {
  /// The programs to run, one after the other.
  func commands(_ arguments: [String]) -> [[String]] {
    switch client {
    case .script(let text): [["python3", "-c", ScriptedPeer.prelude + text] + arguments]
    case .python(let text): [[pythonInterpreter(), "-c", ScriptedPeer.pythonPrelude + text] + arguments]
    case .node(let text): [["node", "-e", ScriptedPeer.nodePrelude + text + ScriptedPeer.nodeEnd] + arguments]
    case .commands(let commands): commands.map { Self.command($0, arguments) }
    }
  }

  private static func command(_ words: [String], _ arguments: [String]) -> [String] {
    let url = "\(arguments[0])://localhost:\(arguments[1])\(arguments[4])"
    var words = words.map { $0.hasPrefix("URL") ? url + $0.dropFirst(3) : $0 }
    // Loopback is not to be left out, and the authority is not the system's.
    let more = words[0] == "curl" ? ["--noproxy", "", "--cacert", arguments[3]] : ["--ca-certificate=\(arguments[3])"]
    if words[0] == "curl" {
      words += Array(repeating: ["-o", "/dev/null"], count: words.count { $0.contains("://") }).flatMap { $0 }
    }
    words.insert(contentsOf: more, at: 1)
    return words
  }
}
