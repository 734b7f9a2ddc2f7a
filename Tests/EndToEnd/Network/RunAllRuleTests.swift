import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The rules for hosts, for programs in a network of their own.
  @Suite(.enabled(if: CommandNetworks.arePossible, "this system lets nobody make networks"))
  struct RunAllRules {
    /// A name server that prints what it gets, and answers each question by 127.0.0.1; before that, by datagrams that are no
    /// answers.
    private final class NameServer {
      private static let script = """
        import socket, sys
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.7.7.7", int(sys.argv[1])))
        print("port", s.getsockname()[1], flush=True)
        while True:
            question, client = s.recvfrom(65536)
            print("got", question.hex(), flush=True)
            end = question.index(0, 12) + 5 if len(question) > 16 else len(question)
            record = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x09\\0\\4\\x7f\\0\\0\\1"
            answer = question[:2] + b"\\x81\\x80\\0\\1\\0\\1\\0\\0\\0\\0" + question[12:end] + record
            for other in (b"no answer at all", bytes([answer[0] ^ 1]) + answer[1:], answer[:13] + b"x" + answer[14:]):
                s.sendto(other, client)
            s.sendto(answer, client)
        """

      private let process: TestProcess
      let port: String

      init(port: Int = 0) throws {
        process = try TestProcess("python3", ["-u", "-c", Self.script, "\(port)"])
        self.port = try process.waitForOutputLine(containing: "port ").filter(\.isNumber)
      }

      /// In hexadecimal.
      var received: [String] {
        process.outputText.split(separator: "\n").filter { $0.hasPrefix("got ") }.map { String($0.dropFirst(4)) }
      }

      /// Only some may take the port of name servers.
      static var isPossible: Bool { (try? NameServer(port: 53)) != nil }
    }

    /// Asks 127.7.7.7 for the names in its arguments, after what is no question; prints the code of each answer and its length.
    private static let asking = """
      import socket, sys
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.connect(("127.7.7.7", 53))
      def question(name):
          labels = b"".join(bytes([len(l)]) + l.encode() for l in name.split("."))
          return b"\\x12\\x34\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + labels + b"\\0\\0\\1\\0\\1"
      whole = question("smuggled.example")
      for bad in (b"secret", b"\\0" * 12, whole + b"secret", whole[:-1], bytes([whole[0], whole[1], 0x81]) + whole[3:],
                  whole[:2] + b"\\x28" + whole[3:], whole[:7] + b"\\1" + whole[8:]):
          s.send(bad)
      for name in sys.argv[1:]:
          s.send(question(name))
          answer = s.recv(65536)
          print(name, answer[3] & 15, answer[:2].hex(), int.from_bytes(answer[6:8], "big"))
      s.settimeout(0.2)
      try:
          print("more:", s.recv(65536))
      except OSError:
          pass
      """

    private static func hexadecimal(_ name: String) -> String {
      name.utf8.map { String($0, radix: 16) }.joined()
    }

    @Test(
      "UDP port 53 obeys the rules, and carries questions and the answers to them alone",
      .enabled(if: NameServer.isPossible, "somebody has port 53, or it is not ours to take"),
      arguments: [
        ([], ["good.example", "other.example"], []), (["--no-host-loopback"], [], ["good.example", "other.example"]),
        (["--deny-host", "127.7.7.7"], [], ["good.example", "other.example"]),
        (["--deny-host", "*:53"], [], ["good.example", "other.example"]),
        (["--allow-host", "good.example"], ["good.example"], ["other.example"]),
        (["--allow-host", "*.example:443"], ["good.example", "other.example"], []),
        (["--allow-host", "127.7.7.7"], ["good.example", "other.example"], []),
        (["--allow-host", "127.7.7.8"], [], ["good.example", "other.example"]),
      ] as [([String], [String], [String])])
    func nameServers(options: [String], asked: [String], refused: [String]) throws {
      let server = try NameServer(port: 53)
      let run = try RunAll.python(Self.asking, ["good.example", "other.example"], options: options + ["--require", "0"])
      let expected = ["good.example", "other.example"].map { asked.contains($0) ? "\($0) 0 1234 1" : "\($0) 5 1234 0" }
      #expect(run.process.outputText == expected.map { $0 + "\n" }.joined(), "\(run.process.errorText)")
      #expect(server.received.count == asked.count, "\(server.received)")
      #expect(!server.received.contains { $0.contains(Self.hexadecimal("secret")) || $0.contains(Self.hexadecimal("smuggled")) })
      let line = try #require(run.process.errorText.split(separator: "\n").first { $0.contains("the command's network") })
      #expect(line.contains("refused: \(7 + 3 * asked.count) datagrams"), "\(line)")
      for name in refused {
        #expect(run.process.errorText.contains("\(name) (its name server may not be asked"), "\(run.process.errorText)")
      }
    }

    /// Looks a name up once, and connects to its address twice; prints what became of it.
    private static let connecting = """
      import errno, socket, sys
      address = socket.getaddrinfo(sys.argv[1], int(sys.argv[2]), socket.AF_INET, socket.SOCK_STREAM)[0][4]
      for _ in range(2):
          s = socket.socket()
          try:
              s.connect(address)
              s.send(b"GET / HTTP/1.1\\r\\nHost: " + sys.argv[3].encode() + b"\\r\\nConnection: close\\r\\n\\r\\n")
              answer = b"".join(iter(lambda: s.recv(4096), b""))
              print(answer.split(b"\\r\\n")[0].decode() or "nothing")
          except OSError as error:
              print(errno.errorcode[error.errno])
      """

    @Test(
      "A rule for a name holds for the addresses that were looked up by it, whatever the program says to them",
      arguments: [
        (["--deny-host", "four.example"], "four.example", "else.example", "ECONNREFUSED"),
        (["--deny-host", "*.example"], "four.example", "127.0.0.1", "ECONNREFUSED"),
        (["--deny-host", "other.example"], "four.example", "four.example", "HTTP/1.1 200 OK"),
        (["--allow-host", "four.example"], "four.example", "four.example", "HTTP/1.1 200 OK"),
        (["--allow-host", "other.example"], "four.example", "other.example", "ECONNREFUSED"),
        (["--allow-host", "four.example"], "four.example", "other.example", "HTTP/1.1 403 Forbidden"),
      ])
    func names(options: [String], name: String, host: String, outcome: String) throws {
      let origin = try RunAll.answering()
      let server = try NameServer()
      let run = try RunAll.python(
        Self.connecting, [name, "\(origin.port)", host],
        options: options + ["--name-server", "127.7.7.7:\(server.port)", "--require", "0"])
      #expect(run.process.outputText == "\(outcome)\n\(outcome)\n", "\(run.process.errorText)")
      if outcome == "ECONNREFUSED" {
        #expect(origin.connections.isEmpty)
        #expect(run.entries.count == 2 && run.entries.allSatisfy { $0.error?["kind"]?.string == "host-denied" })
        #expect(run.entries.first?.tree["_lookup"]?["name"]?.string == name)
        #expect(run.entries.first?.error?["message"]?.string?.contains(name) == true)
      }
    }
  }
}
