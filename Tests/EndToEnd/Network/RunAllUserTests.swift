import TapelineTestSupport
import Testing

/// A user with no privileges, whoever runs the tests: another number in a user namespace, and no capability.
enum OrdinaryUser {
  static let launcher = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]

  static var hasNetworks: Bool {
    (try? TestProcess(launcher[0], Array(launcher[1...]) + ["unshare", "-Urn", "true"]).wait()) == .exited(0)
  }
}

extension EndToEnd {
  /// Programs that ignore proxies or have none to ask, for a user without privileges. Each looks a name up by itself.
  @Suite(.enabled(if: OrdinaryUser.hasNetworks, "this system lets no ordinary user make networks"))
  struct RunAllAsUser {
    private let authority: TestAuthority
    private let server: NginxServer
    private let names: NameServer

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(
        identity: authority.issue(for: ["DNS:four.example"]),
        directives: #"location /repository.git/info/refs { return 200 "\#(Self.commit)\trefs/heads/main\n"; }"#)
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      names = try NameServer()
    }

    private static let commit = "0123456789abcdef0123456789abcdef01234567"

    private func url(_ path: String) -> String { "https://four.example:\(server.tlsPort)\(path)" }

    private func run(_ command: [String], environment: [String: String] = [:], seconds: Int64 = 60) throws -> RunRecording {
      try RunRecording(
        trusting: authority, through: OrdinaryUser.launcher, options: ["--all", "--name-server", names.address], command,
        environment: environment, seconds: seconds)
    }

    /// The first exchange of a program that has looked `four.example` up and connected to it.
    private func expectRecorded(
      _ run: RunRecording, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try expectRecorded(run, try run.entry(path, sourceLocation: sourceLocation), sourceLocation: sourceLocation)
    }

    private func expectRecorded(
      _ run: RunRecording, _ entry: RecordedEntry, port: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let port = port ?? Int(server.tlsPort)
      #expect(entry.url.hasPrefix("https://four.example:\(port)/"), sourceLocation: sourceLocation)
      #expect(entry.tree["_door"]?["kind"]?.string == "network", sourceLocation: sourceLocation)
      #expect(entry.tree["serverIPAddress"]?.string == "127.0.0.1", sourceLocation: sourceLocation)
      #expect(entry.connection == "\(port)", sourceLocation: sourceLocation)
      #expect(entry.error == nil, "\(entry.tree)", sourceLocation: sourceLocation)
      #expect(entry.phase("ssl") > 0 && entry.phase("connect") >= entry.phase("ssl"), sourceLocation: sourceLocation)
      #expect(entry.phase("send") >= 0 && entry.phase("wait") >= 0, sourceLocation: sourceLocation)
      let lookup = try #require(entry.tree["_lookup"], "\(run.process.errorText)", sourceLocation: sourceLocation)
      #expect(lookup["name"]?.string == "four.example", sourceLocation: sourceLocation)
      #expect(lookup["server"]?.string == names.address, sourceLocation: sourceLocation)
      #expect((lookup["time"]?.number ?? 0) >= NameServer.milliseconds, sourceLocation: sourceLocation)
      #expect(entry.phase("dns") == -1, sourceLocation: sourceLocation)
      #expect(run.process.errorText.contains("all accepted here"), sourceLocation: sourceLocation)
    }

    @Test("The command has its user, no privilege, and the descriptors that it would have without us")
    func privileges() throws {
      let directory = try TemporaryDirectory()
      let descriptors = "ls /proc/self/fd | tr '\\n' ' '; echo"
      let run = try TestProcess(
        OrdinaryUser.launcher[0],
        Array(OrdinaryUser.launcher[1...]) + ["sh", "-c", #"\#(descriptors); exec "$@""#, "sh"]
          + [TapelineProcess.binary, "run", "--all", "-q", "-o", directory.path("a.har"), "--require", "0", "--"]
          + ["sh", "-c", "\(descriptors); id -u; id -g; grep CapEff /proc/self/status"])
      #expect(try run.wait().isSuccess, "\(run.errorText)")
      let lines = run.outputText.split(separator: "\n")
      try #require(lines.count == 5, "\(run.outputText)")
      #expect(lines[1] == lines[0])
      #expect(lines[2...] == ["1000", "1000", "CapEff:\t0000000000000000"])
    }

    @Test("curl that is told to use no proxy")
    func curl() throws {
      let run = try run(["curl", "-sS", "--noproxy", "*", url("/hello.txt")])
      #expect(run.process.outputText == "hello\n")
      try expectRecorded(run, "/hello.txt")
    }

    @Test("A static program in Go, without a transport of its own")
    func go() throws {
      let directory = try TemporaryDirectory()
      let program = try GoProgram.build(
        """
        package main

        import (
          "io"
          "net/http"
          "os"
        )

        func main() {
          answer, err := http.Get(os.Args[1])
          if err != nil {
            panic(err)
          }
          io.Copy(os.Stdout, answer.Body)
        }
        """, in: directory)
      let run = try run([program, url("/hello.txt")])
      #expect(run.process.outputText == "hello\n")
      try expectRecorded(run, "/hello.txt")
    }

    @Test("Java without properties for a proxy")
    func java() throws {
      let directory = try TemporaryDirectory()
      let program = try directory.write(
        """
        import java.net.URL;

        class Fetch {
          public static void main(String[] arguments) throws Exception {
            try (var stream = new URL(arguments[0]).openStream()) { stream.transferTo(System.out); }
          }
        }
        """, to: "Fetch.java")
      let run = try run(["java", program, url("/hello.txt")], seconds: 120)
      #expect(run.process.outputText == "hello\n")
      try expectRecorded(run, "/hello.txt")
    }

    @Test("Node's fetch, which knows no proxy")
    func node() throws {
      let run = try run([
        "node", "-e", "fetch(process.argv[1]).then(a => a.text()).then(t => process.stdout.write(t))", url("/hello.txt"),
      ])
      #expect(run.process.outputText == "hello\n")
      try expectRecorded(run, "/hello.txt")
    }

    @Test("Python with sockets")
    func python() throws {
      let run = try run([
        "python3", "-c",
        """
        import socket, ssl, sys
        plain = socket.create_connection(("four.example", int(sys.argv[1])))
        with ssl.create_default_context().wrap_socket(plain, server_hostname="four.example") as s:
            s.sendall(b"GET /hello.txt HTTP/1.1\\r\\nHost: four.example:" + sys.argv[1].encode() + b"\\r\\nConnection: close\\r\\n\\r\\n")
            print(s.makefile("rb").read().decode().rpartition("\\r\\n\\r\\n")[2], end="")
        """, "\(server.tlsPort)",
      ])
      #expect(run.process.outputText == "hello\n")
      try expectRecorded(run, "/hello.txt")
    }

    @Test("git over HTTPS")
    func git() throws {
      let run = try run(
        ["git", "ls-remote", url("/repository.git")],
        environment: ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"])
      #expect(run.process.outputText == "\(Self.commit)\trefs/heads/main\n")
      try expectRecorded(run, "/info/refs?service=git-upload-pack")
    }

    @Test("A client of gRPC")
    func grpc() throws {
      let identity = try authority.issue(for: ["DNS:four.example"])
      let environment = ["PYTHONPATH": "\(repositoryRoot)/scripts"]
      let service = try TestProcess(
        pythonInterpreter(), ["-m", "lab.http2.calls", "serve", identity.certificate, identity.key], environment: environment)
      let line = try service.waitForOutputLine(containing: "port ", seconds: 60)
      let port = try #require(Int(line.dropFirst("port ".count)))
      // `-`: the roots that `run` names to gRPC.
      let run = try run(
        [pythonInterpreter(), "-m", "lab.http2.calls", "ask", "four.example:\(port)", "-"], environment: environment, seconds: 120
      )
      #expect(run.process.outputText == "all calls are as they must be\n")
      // The call to `Echo` came first, and another follows.
      try expectRecorded(run, try #require(run.exchanges.first), port: port)
      #expect(run.exchanges.count == 8 && run.exchanges.allSatisfy { $0.tree["_grpc"] != nil })
    }

    @Test("IPv6: a name that has no other address")
    func ipv6() throws {
      let origin = try ScriptedOrigin(on: .v6, [.forever([.expectRequest, .respond(body: "six")])])
      let run = try run(["curl", "-sS", "--noproxy", "*", "http://six.example:\(origin.port)/six"])
      #expect(run.process.outputText == "six")
      let entry = try run.entry("/six")
      #expect(entry.url == "http://six.example:\(origin.port)/six")
      #expect(entry.tree["serverIPAddress"]?.string == "::1")
      #expect(entry.tree["_lookup"]?["name"]?.string == "six.example")
      #expect((entry.tree["_lookup"]?["time"]?.number ?? 0) >= NameServer.milliseconds)
    }

    @Test("A client that trusts nobody but its server is passed through, under the name that it asked for")
    func pinned() throws {
      let curl = ["curl", "-s", "--noproxy", "*", "--cacert", authority.certificate, url("/hello.txt")].map { "'\($0)'" }
        .joined(separator: " ")
      let run = try run(["sh", "-c", "\(curl); \(curl)"])
      #expect(run.process.outputText == "hello\n")
      #expect(run.entries.map(\.method) == ["CONNECT", "CONNECT"])
      let passed = try #require(run.entries.last)
      #expect(passed.comment?.contains("refused our certificate for four.example") == true, "\(passed.tree)")
      #expect(passed.tls?["sni"]?.string == "four.example")
      #expect(run.process.errorText.contains("four.example"), "\(run.process.errorText)")
    }

    @Test("A name that nobody knows is in the last lines, with the questions")
    func unknownName() throws {
      let directory = try TemporaryDirectory()
      let run = try TestProcess(
        OrdinaryUser.launcher[0],
        Array(OrdinaryUser.launcher[1...])
          + [TapelineProcess.binary, "run", "--all", "-o", directory.path("a.har"), "--name-server", names.address, "--"]
          + ["curl", "-s", "--noproxy", "*", "http://none.example/"])
      #expect(try run.wait() == .exited(6), "\(run.errorText)")
      #expect(run.errorText.contains("no address for none.example (no such name)"), "\(run.errorText)")
      #expect(run.errorText.contains("the command began no connection"), "\(run.errorText)")
    }
  }
}

/// A name server for the programs of a command, by UDP.
private final class NameServer {
  /// It thinks for as long about each question.
  static let milliseconds = 50.0
  let address: String
  private let process: TestProcess

  /// Knows `four.example`, which is 127.0.0.1, and `six.example`, which is ::1; every other name does not exist.
  private static let script = """
    import socket, threading, time
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 0))
    print("port", s.getsockname()[1], flush=True)
    known = {b"\\4four\\7example\\0": (1, b"\\x7f\\0\\0\\1"), b"\\3six\\7example\\0": (28, bytes(15) + b"\\1")}
    def answer(question, client):
        time.sleep(0.05)
        end = question.index(0, 12) + 1
        name, kind = question[12:end].lower(), int.from_bytes(question[end:end + 2], "big")
        code, records = (0, b"") if name in known else (3, b"")
        if name in known and known[name][0] == kind:
            data = known[name][1]
            records = b"\\xc0\\x0c" + kind.to_bytes(2, "big") + b"\\0\\1\\0\\0\\0\\x09" + len(data).to_bytes(2, "big") + data
        count = bytes([0, 1 if records else 0])
        s.sendto(question[:2] + bytes([0x81, 0x80 | code]) + b"\\0\\1" + count + b"\\0\\0\\0\\0" + question[12:end + 4] + records, client)
    while True:
        threading.Thread(target=answer, args=s.recvfrom(512), daemon=True).start()
    """

  init() throws {
    process = try TestProcess("python3", ["-c", Self.script])
    address = "127.0.0.1:\(try process.waitForOutputLine(containing: "port ").filter(\.isNumber))"
  }
}
