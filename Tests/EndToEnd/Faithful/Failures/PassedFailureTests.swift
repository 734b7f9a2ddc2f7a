import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A server that fails before it answers: in `run`, its client fails as it would without tapeline.
  @Suite struct PassedFailures {
    private static let servers = Result { try FailingServers() }

    /// In `run`, which names the authorities that the variables named before, and ours.
    private static func running(
      _ command: [String], _ servers: FailingServers, options: [String] = []
    ) throws -> (outcomes: FailureOutcomes, words: String, log: RecordedLog) {
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "-o", har, "--ca-dir", directory.path("authority"), "--upstream-ca", servers.authority.certificate] + options
          + ["--"] + command + servers.pairs, environment: servers.trust)
      #expect(try run.wait(seconds: 120).isSuccess, "\(run.errorText)")
      let log = try RecordedLog(contentsOf: har)
      #expect(violations(in: log) == [])
      return (FailureOutcomes(run.outputText), run.errorText, log)
    }

    @Test("In run each client fails where it fails directly", arguments: FailingClient.allCases)
    func failsAsDirectly(client: FailingClient) throws {
      let servers = try Self.servers.get()
      let directory = try TemporaryDirectory()
      let command = try client.command(in: directory)
      let alone = try TestProcess(command[0], command.dropFirst() + servers.pairs, environment: servers.trust)
      let (outcomes, words, log) = try Self.running(command, servers)
      #expect(try alone.wait(seconds: 120).isSuccess, "\(alone.errorText)")
      let direct = FailureOutcomes(alone.outputText)
      let names = servers.pairs.map { String($0.prefix { $0 != "=" }) }
      #expect(direct.count == names.count && outcomes.count == names.count)
      // Wget takes content that is cut inside a chunk for complete; ours is cut between two.
      for name in names where (client, name) != (.wget, "close-in-chunk") {
        #expect(direct.succeeded(name) == outcomes.succeeded(name), "\(name): \(direct[name]), \(outcomes[name])")
      }
      #expect(try Self.documented(client) == Self.differences(direct, outcomes, names))
      #expect(words.contains(" passed on as ended connections"), "\(words)")
      for entry in log.entries where entry.url.contains("unknown-name") || entry.url.contains("reset-after-request") {
        #expect(entry.error != nil && entry.status == 0)
        #expect(entry.tree["_localStatus"] == nil, "nobody was answered")
      }
    }

    @Test(
      "In a network of its own, each client fails as directly",
      .enabled(if: CommandNetworks.arePossible, "this system lets nobody make networks"), arguments: FailingClient.allCases)
    func failsAsDirectlyInItsOwnNetwork(client: FailingClient) throws {
      let servers = try Self.servers.get()
      let directory = try TemporaryDirectory()
      let command = try client.command(in: directory)
      let alone = try TestProcess(command[0], command.dropFirst() + servers.pairs, environment: servers.trust)
      let outcomes = try Self.running(command, servers, options: ["--all"]).outcomes
      #expect(try alone.wait(seconds: 120).isSuccess, "\(alone.errorText)")
      let direct = FailureOutcomes(alone.outputText)
      for name in servers.pairs.map({ String($0.prefix { $0 != "=" }) }) {
        // Chunks and the frames of HTTP/2 are ours.
        if ["wget close-in-chunk", "go h2-goaway"].contains("\(client) \(name)") { continue }
        #expect(direct[name] == outcomes[name], "\(name)")
      }
    }

    /// What cannot be equal, as rows of a table: failures with the same outcomes in one row.
    private static func differences(
      _ direct: FailureOutcomes, _ outcomes: FailureOutcomes, _ names: [String]
    ) -> [String] {
      var rows: [(outcomes: String, names: [String])] = []
      for name in names where direct[name] != outcomes[name] {
        let both = "\(direct[name]) | \(outcomes[name])"
        if let index = rows.firstIndex(where: { $0.outcomes == both }) {
          rows[index].names.append(name)
        } else {
          rows.append((both, [name]))
        }
      }
      return rows.map { "\($0.names.joined(separator: ", ")) | \($0.outcomes)" }
    }

    /// The rows of docs/faithful.md about the client.
    private static func documented(_ client: FailingClient) throws -> [String] {
      let beginning = "| `\(client.rawValue)` | "
      return try readText("\(repositoryRoot)/docs/faithful.md").split(separator: "\n").filter { $0.hasPrefix(beginning) }
        .map { String($0.dropFirst(beginning.count).dropLast(2)) }
    }

    /// Failures for which there is a page.
    private static let paged = ["refused", "unknown-name", "unreachable", "close-after-request", "reset-in-head", "garbage"]

    @Test("With pages, a failure is an answer of 502", arguments: FailingClient.allCases)
    func pages(client: FailingClient) throws {
      let servers = try Self.servers.get()
      let directory = try TemporaryDirectory()
      let command = try client.command(in: directory) + servers.pairs(of: Self.paged)
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "--failures", "page", "-o", directory.path("a.har"), "--"] + command)
      #expect(try run.wait(seconds: 120).isSuccess, "\(run.errorText)")
      let answer =
        switch client {
        case .curl: "exit 0 502"
        case .wget: "exit 8"
        case .requests, .httpx, .aiohttp, .fetch, .java, .go: "502"
        }
      let outcomes = FailureOutcomes(run.outputText)
      for name in Self.paged { #expect(outcomes[name] == answer, "\(name)") }
    }

    @Test("record has pages unless it is told otherwise")
    func recordsWithPages() throws {
      let servers = try Self.servers.get()
      let command = try FailingClient.curl.command(in: TemporaryDirectory()) + servers.pairs(of: Self.paged)
      let recording = try recording { proxy in
        let outcomes = FailureOutcomes(try proxy.run(command[0], Array(command.dropFirst())).outputText)
        for name in Self.paged { #expect(outcomes[name] == "exit 0 502", "\(name)") }
      }
      #expect(recording.entries.allSatisfy { $0.tree["_localStatus"]?.integer == 502 })
      #expect(recording.proxy.process.errorText.contains("failures of servers: 6 answered with a page\n"))
    }

    @Test("A loop that waits for a server until curl succeeds waits in run as well")
    func waitingLoop() throws {
      let directory = try TemporaryDirectory()
      // The server is there after the third attempt, on the port of the first.
      let script = """
        port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
        n=0
        until curl -s "http://127.0.0.1:$port/"; do
          n=$((n + 1))
          test $n -lt 100 || exit 1
          if test $n -eq 3; then python3 -m http.server --bind 127.0.0.1 --directory "$0" "$port" >"$0/log" 2>&1 & fi
        done
        test $n -ge 3 && kill $!
        """
      try directory.write("there", to: "index.html")
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "-o", directory.path("a.har"), "--", "sh", "-c", script, directory.path])
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      #expect(run.outputText.contains("there"))
    }
  }
}
