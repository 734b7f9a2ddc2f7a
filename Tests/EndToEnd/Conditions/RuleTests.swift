import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rules, by real clients, in clear and in TLS that is read.
  @Suite struct Rules {
    @Test(arguments: [false, true])
    func doWhatTheySayOverEachProtocol(isSecure: Bool) throws {
      let authority = try TestAuthority()
      let identity = isSecure ? try authority.issue() : nil
      let (server, ports) = try RuleMatrix.startOrigin(identity: identity)
      // The origin reads its files after it has said its ports.
      defer { withExtendedLifetime((server, identity)) {} }
      let run = try RunRecording(
        trusting: authority, options: RuleMatrix.options, RuleMatrix.client(ports + [isSecure ? "tls" : "clear"]), seconds: 120)
      let said = Dictionary(
        run.process.outputText.split(separator: "\n").compactMap { line in
          line.firstIndex(of: ":").map { (String(line[..<$0]), String(line[line.index($0, offsetBy: 2)...])) }
        }, uniquingKeysWith: { first, _ in first })
      let ways = RuleMatrix.ways(isSecure: isSecure)
      let names = ["none"] + Set(RuleMatrix.rules.map(\.0)).sorted()
      #expect(said.count == names.count * ways.count)
      for (way, suffix) in ways {
        let entries = run.exchanges.filter { $0.url.hasSuffix(suffix) }
        #expect(entries.count == names.count, "\(way)")
        for name in names {
          let outcome = said["\(way) \(name)"] ?? "nothing is said"
          #expect(RuleMatrix.expected(name, way).contains(outcome), "\(way) \(name): \(outcome)\n\(run.process.errorText)")
          let entry = try #require(entries.first { $0.requestValues(of: "X-Rule") == [name] }, "\(way) \(name)")
          expect(entry, of: name, way)
        }
      }
      for (place, rule) in RuleMatrix.rules.enumerated() {
        let count = rule.0 == "grpc" ? 1 : ways.count
        let text = "rule \(place + 1) (req.header[\"x-rule\"] == \"\(rule.0)\": \(rule.1.prefix { $0 != ":" })"
        #expect(
          run.process.errorText.contains("\(text)) changed \(count) of \(count) matching exchange"),
          "\(text): \(run.process.errorText)")
      }
    }

    /// The log has what a rule has done, for how long, and the failure as ours.
    private func expect(_ entry: RecordedEntry, of name: String, _ way: String) {
      let isStream = !["h1", "h2"].contains(way)
      let done = (entry.tree["_injected"]?.elements ?? []).filter { $0["action"]?.string?.contains("not done") == false }
      let counts = ["none": 0, "edit": 3, "grpc": way == "call" ? 1 : 0, "cut": isStream ? 1 : 0]
      #expect(done.count == counts[name] ?? 1, "\(way) \(name): \(entry.tree)")
      let fails = ["status", "reset", "close", "block", "timeout", "truncate"].contains(name) || (name == "cut" && isStream)
      let isOurs = entry.error?["kind"]?.string == "injected"
      #expect(isOurs == (fails || name == "grpc" && way == "call"), "\(way) \(name): \(entry.tree)")
      if ["delay", "stall"].contains(name) { #expect((done.first?["ms"]?.number ?? 0) >= 80, "\(way) \(name): \(entry.tree)") }
      if name == "truncate", way != "socket" { #expect(entry.responseBodySize == 3, "\(way): \(entry.tree)") }
      guard name == "cut" else { return }
      let sizes = ["h1-events": entry.responseBodySize, "h2-events": entry.responseBodySize]
      if let size = sizes[way] { #expect(size == 30, "\(way): \(entry.tree)") }
      if way == "call" { #expect(entry.grpc?["responseMessages"]?.integer == 2, "\(entry.tree)") }
      if way == "socket" { #expect(entry.tree["_webSocketMessages"]?.elements.count == 2, "\(entry.tree)") }
    }

    @Test func aRuleThatMatchesNothingNamesTheNearest() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let recording = try recording(["--rule", #"path == "/b" and method == "PUT": reset"#]) { proxy in
        for path in ["/a", "/b", "/c"] { _ = try proxy.curl(["-o", "/dev/null", origin.url(path)]) }
      }
      #expect(
        recording.proxy.process.errorText.contains("matched nothing; nearest: GET \(origin.url("/b"))"),
        "\(recording.proxy.process.errorText)")
    }

    @Test func rulesOfAFileShareTheSeed() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let directory = try TemporaryDirectory()
      let rules = try directory.write(
        "# Failures\n\npath like \"/a*\": status 500 30%\n*: set request X-Run: one\n", to: "rules")
      func statuses() throws -> [Int?] {
        try recording(["--rules", rules, "--seed", "7"]) { proxy in
          _ = try proxy.curl((0..<40).flatMap { ["-o", "/dev/null", origin.url("/a\($0)")] })
        }.entries.map { $0.tree["_localStatus"]?.integer }
      }
      let first = try statuses()
      #expect(first == (try statuses()))
      #expect(first.contains(500) && first.contains(nil))
      #expect(origin.requests.allSatisfy { $0.value(of: "X-Run") == "one" })
    }

    @Test func mistakesAreShownAndNothingStarts() throws {
      let directory = try TemporaryDirectory()
      let record = try TestProcess(
        TapelineProcess.binary, ["record", "-o", directory.path("a.har"), "--rule", "status >= 500: delay 1s"])
      #expect(try record.wait() == .exited(64))
      #expect(record.errorText.split(separator: "\n").suffix(2).map(String.init) == ["  status >= 500: delay 1s", "  ^"])
      #expect(!fileExists(directory.path("a.har")))
    }

    @Test func aSecretValueReachesTheServerAndNotTheLog() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "-o", har, "--rule", "*: set request X-Thing: @env:THING", "--", "curl", "-s", origin.url("/a")],
        environment: ["THING": "plover-egg"])
      #expect(try run.wait().isSuccess)
      #expect(origin.requests.first?.value(of: "X-Thing") == "plover-egg")
      let log = String(decoding: try readFile(har), as: UTF8.self)
      #expect(log.contains("set request X-Thing") && !log.contains("plover-egg"))
      let page = try ReportBrowser.visit(har, [.column("status"), .open("#n=1&tab=headers"), .text(of: "#panel")])
      #expect(page.problems == [] && page.results[0].elements == [.string("~200")], "\(page.results)")
      #expect(page.results[1].string?.contains("Changed by rules (1)") == true, "\(page.results[1])")
      let list = try TestProcess(TapelineProcess.binary, ["list", har])
      #expect(try list.wait().isSuccess)
      #expect(list.outputText.contains("~200"), "\(list.outputText)")
      let left = try TestProcess(TapelineProcess.binary, ["list", har, "--json", "--filter", "not injected"])
      #expect(try left.wait().isSuccess && left.outputText.isEmpty)
    }

    @Test func aFileIsReadAgainWhenItChanges() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let directory = try TemporaryDirectory()
      let rules = try directory.write("# None yet\n", to: "rules")
      let recording = try recording(["--rules", rules]) { proxy in
        func status() throws -> String {
          try proxy.curl(["-o", "/dev/null", "-w", "%{http_code}", origin.url("/a")]).outputText
        }
        #expect(try status() == "200")
        try directory.write("path == \"/a\": status 503\n", to: "rules")
        #expect(try status() == "503")
        try directory.write("path == \"/a\": status 5033\n", to: "rules")
        for _ in 0..<2 { #expect(try status() == "503") }
        try directory.write("path == \"/a\": status 429 first 1\n", to: "rules")
        #expect(try [status(), status()] == ["429", "200"])
      }
      let lines = recording.proxy.process.errorText.split(separator: "\n").map(String.init)
      let mistake = try #require(lines.firstIndex { $0.contains("5033 is not the status of a failure") })
      #expect(lines[mistake].hasPrefix("tapeline: \(rules):1: column 22: "))
      #expect(lines[mistake].hasSuffix("; the earlier rules stay"))
      let excerpt = ["  path == \"/a\": status 5033", String(repeating: " ", count: 23) + "^"]
      #expect(Array(lines.dropFirst(mistake + 1).prefix(2)) == excerpt)
      #expect(lines.count { $0.contains("5033 is not") } == 1 && lines.count { $0.contains("read again: 1 rule") } == 2)
      #expect(lines.contains { $0.contains("rule 1 (path == \"/a\": status 503) changed 3 of 3") }, "\(lines)")
      #expect(lines.contains { $0.contains("rule 1 (path == \"/a\": status 429 first 1) changed 1 of 2") }, "\(lines)")
    }

    @Test("Rules of a running recording are listed, turned off and on, and shown by the live page")
    func control() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let rules = ["--rule", #"path == "/a": status 503"#, "--rule", "*: status 429 first 1"]
      let recording = try recording(rules) { proxy in
        func status() throws -> String {
          try proxy.curl(["-o", "/dev/null", "-w", "%{http_code}", origin.url("/a")]).outputText
        }
        func list(_ options: String...) throws -> String {
          let command = try proxy.control(["rules"] + options)
          #expect(command.exitStatus == .exited(0), "\(command.errorText)")
          return command.outputText
        }
        #expect(try status() == "503")
        #expect(
          try list() == """
            #  matched  changed  rule
            1  1        1        path == "/a": status 503
            2  1        0        *: status 429 first 1

            """)
        #expect(try list("--off", "1").contains("1  1        1        (off) path == "))
        // The second rule has its first exchange behind it, which the first one ended.
        #expect(try status() == "200")
        let browser = try ReportBrowser.start(
          proxy.liveURL,
          [.press(["s"]), .wait("document.querySelector('#summary').textContent.includes('status 429')"), .text(of: "#summary")])
        let outcome = try ReportBrowser.outcome(of: browser)
        #expect(outcome.problems == [])
        #expect(outcome.results.last?.string?.contains("1. path == \"/a\": status 503 (off)") == true, "\(outcome.results)")
        let json = try JSONTree(parsing: Array(try list("--on", "1", "--json").utf8))
        #expect(json["rules"]?.elements.map { $0["off"] } == [.bool(false), .bool(false)])
        #expect(try status() == "503")
        let unknown = try proxy.control(["rules", "--off", "3"])
        #expect(unknown.exitStatus == .exited(64) && unknown.errorText.contains("there is no rule 3"), "\(unknown.errorText)")
      }
      #expect(recording.proxy.process.errorText.contains("rule 1 (path == \"/a\": status 503) changed 2 of 2"))
    }

    @Test(
      "Where nobody can hold packets, a network delays exchanges, and stderr and the log say so", arguments: ["record", "replay"])
    func networkOfExchanges(command: String) throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let (directory, network) = (try TemporaryDirectory(), ["--network", "rtt=120ms,down=1Mbit"])
      let (log, said): (RecordedLog, String)
      if command == "record" {
        let recording = try recording(network) { _ = try $0.curl([origin.url("/a")]) }
        (log, said) = (recording.log, recording.proxy.process.errorText)
      } else {
        let source = try recording { _ = try $0.curl([origin.url("/a")]) }
        let har = directory.path("capture.har")
        let replay = try TestProcess(
          TapelineProcess.binary, ["replay", source.log.path, "-o", har] + network + ["--", "curl", "-s", origin.url("/a")])
        #expect(try replay.wait(seconds: 60).isSuccess && replay.outputText == "ok")
        (log, said) = (try RecordedLog(contentsOf: har), replay.errorText)
      }
      #expect(
        said.contains("--network rtt=120ms,down=1Mbit delays exchanges here, and not packets (*: delay 120ms, *: rate 125kB/s)"),
        "\(said)")
      #expect(log.tree["log"]?["_network"]?["profile"]?.string == "rtt=120ms,down=1Mbit")
      #expect(log.tree["log"]?["_network"]?["packets"] == nil)
      let entry = try #require(log.entries.first)
      #expect(entry.tree["_injected"]?.elements.count == 2 && (entry.tree["time"]?.number ?? 0) >= 120, "\(entry.tree)")
    }

    @Test func answersOfAReplayObeyRules() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "the answer")])
      let recording = try recording { _ = try $0.curl([origin.url("/a")]) }
      origin.stop()
      let replay = try TestProcess(
        TapelineProcess.binary,
        ["replay", recording.log.path, "--rule", "*: status 503 first 1", "--rule", "*: truncate 3B", "--"]
          + ["sh", "-c", "curl -s -o /dev/null -w '%{http_code} ' $1; curl -s $1", "sh", origin.url("/a")])
      _ = try replay.wait(seconds: 60)
      #expect(replay.outputText == "503 the", "\(replay.errorText)")
    }
  }
}
