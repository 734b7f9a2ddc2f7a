import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What README, the pages of `docs` and `--help` tell readers to type, typed.
  @Suite struct Documents {
    private static let pages: [String] = {
      let found = try? TestProcess("sh", ["-c", "cd '\(repositoryRoot)' && ls README.md CONTRIBUTING.md SECURITY.md docs/*.md"])
      _ = try? found?.wait()
      return (found?.outputText ?? "").split(separator: "\n").map(String.init)
    }()

    private static let commands: [String] = {
      let found = try? TestProcess("sh", ["-c", "cd '\(repositoryRoot)/docs/man' && ls tapeline*.1"])
      _ = try? found?.wait()
      return (found?.outputText ?? "").split(separator: "\n")
        .map { $0.dropLast(".1".count).split(separator: "-").dropFirst().joined(separator: " ") }
    }()

    /// How commands begin that are not for a test, and why.
    private static let exceptions = [
      "sudo ": "changes the machine",
      "sha256sum ": "checks a package, as scripts/package does itself",
      "ssh-keygen ": "checks a package, as scripts/package does itself",
      "podman ": "runs a container",
      "docker ": "runs a container",
      "curl -x http://127.0.0.1:8888 ": "uses the container",
      "curl --cacert ": "uses a recording that the example does not start",
      "scripts/test": "is this test",
      "scripts/setup": "installs packages",
      "scripts/format": "changes the sources",
      "curl --proxy socks5h://127.0.0.1:8888 ": "uses a recording that the example does not start",
      "tapeline stop --name web": "needs a second recording; SeveralRecordings has it",
      "scripts/fuzz": "builds for minutes",
      "scripts/check-library": "builds for minutes",
      "TAPELINE_UPDATE_GOLDEN=1 ": "changes the sources",
      "TAPELINE_BINARY=": "needs a build with a sanitizer",
      "git diff ": "is about this checkout",
      "swift ": "builds for minutes",
      "chromium ": "opens a window; BrowserRecipes and ChromiumTests have its options",
      "tapeline run --devtools ": "waits for a browser; DevTools has it",
      "tapeline run --browser ": "opens a window; BrowserRecipes has it",
      "tapeline run --network ": "needs a kernel that allows it; RunAll has it",
      "tapeline run --all ": "needs a kernel that allows it; RunAll has it",
      "tapeline status --name user": "needs the user's service",
      "tapeline env --format fish ": "is for another shell",
      "tapeline import pcap ": "needs packets; PacketImport has it",
      "tapeline list session.har --follow ": "waits until the recording ends; Follow has it",
      "tapeline top": "draws until the recording ends; Control has it",
      "tapeline run --otlp ": "needs a collector; OTLPReceiver has it",
      "tapeline export otlp ": "needs a collector; OTLPReceiver has it",
      "OTEL_SERVICE_NAME=": "needs a collector; OTLPModel has it",
    ]

    /// How commands begin that end with another status than 0, as the documents say.
    private static let statuses: [String: Set<Int>] = [
      "tapeline assert session.har 'p95(wiat)": [64],
      "tapeline list capture.har --filter 'host ~ \"api\" and wiat": [64],
      // A rule may be broken.
      "tapeline assert": [0, 1], "tapeline lint": [0, 1], "tapeline diff": [0, 1],
      // Its second curl meets no server.
      "tapeline run -o capture.har -- sh -c 'curl -s https://example.com/ | wc -c; curl -s http://localhost:1/'": [7, 52, 56],
      // No recording runs, or several do.
      "tapeline stop": [0, 64, 69],
      // The session is shorter, and has no such page.
      "tapeline show session.har 17": [64],
      "tapeline critical session.har --page 'log in'": [1],
    ]

    private func known<Value>(_ command: DocumentedCommand, in table: [String: Value]) -> Value? {
      let text = command.text.replacing("scripts/tapeline", with: "tapeline")
      return table.filter { text.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
    }

    /// Runs what is for a test in one shell.
    private func expectHolds(
      _ commands: [DocumentedCommand], after before: [DocumentedCommand] = [], in sandbox: DocumentSandbox
    ) throws {
      let commands = before + commands.filter { known($0, in: Self.exceptions) == nil && !$0.text.hasPrefix("scripts/lab/run ") }
      guard commands.count > before.count else { return }
      for (command, result) in zip(commands, try sandbox.run(commands)) {
        let statuses = known(command, in: Self.statuses) ?? [0]
        #expect(statuses.contains(result.status), "\(command)\nended with \(result.status): \(result.output)")
        guard statuses == [64] else { continue }
        for line in command.output { #expect(result.output.contains(line), "\(command)\nsays: \(result.output)") }
      }
    }

    @Test("The listings of a page work", arguments: pages)
    func listings(page: String) throws {
      // Listings use the same names for what they write.
      for listing in try DocumentedPage(page).listings {
        // Some go on where another listing has begun a recording.
        let isInRecording = listing.contains { $0.text.contains("TAPELINE_CONTROL") || $0.text.contains("tapeline mark '") }
        let recording = ["tapeline record -o running.har", "eval \"$(tapeline env)\""].map {
          DocumentedCommand(place: page, text: $0)
        }
        try expectHolds(listing, after: isInRecording ? recording : [], in: DocumentSandbox())
      }
    }

    @Test("The commands in the sentences of a page work", arguments: pages)
    func phrases(page: String) throws {
      let recording = DocumentedCommand(place: page, text: "tapeline record -o phrases.har --force")
      let sandbox = try DocumentSandbox()
      for phrase in try DocumentedPage(page).phrases {
        let isWhole = phrase.text.contains { $0.isUppercase || "'\"[".contains($0) } || phrase.text.contains(".har")
        if isWhole {
          let needsRecording = Self.controls.contains { phrase.text.hasPrefix("tapeline \($0)") }
          try expectHolds([phrase.filled], after: needsRecording ? [recording] : [], in: sandbox)
        } else {
          try expectHolds([phrase.asked], in: sandbox)
          // The parser has an option that the help leaves out.
          let options = phrase.text.split(separator: " ").filter { $0.hasPrefix("--") && $0 != "--generate-completion-script" }
          guard !options.isEmpty else { continue }
          let help = try sandbox.run([phrase.asked])[0].output
          for option in options { #expect(help.contains(option), "\(phrase)") }
        }
      }
    }

    private static let controls = ["mark", "wait", "snapshot", "rotate", "status", "passthrough", "rules", "stop", "env"]

    @Test("The examples of a command's help work", arguments: commands)
    func examples(command: String) throws {
      let examples = try DocumentedCommand.examples(of: command)
      let isControl = Self.controls.contains(command) || command.isEmpty
      let sandbox = try DocumentSandbox()
      var before: [DocumentedCommand] = []
      let record = "tapeline record -o running.har --force --name web"
      if isControl { before = [DocumentedCommand(place: command, text: "\(record) --rule '*: delay 1ms' --rule '*: delay 2ms'")] }
      if command.hasPrefix("ca "), command != "ca create" {
        before = [DocumentedCommand(place: command, text: "tapeline ca create")]
      }
      for (index, example) in examples.enumerated() {
        // The first ones of the program itself write what the last ones read.
        try expectHolds(
          [example], after: isControl || index == 0 ? before : [], in: command.isEmpty ? DocumentSandbox() : sandbox)
      }
    }

    @Test("The comparison that docs/diff.md shows is what is printed")
    func comparison() throws {
      let command = try #require(try DocumentedPage("docs/diff.md").listings.first?.first)
      #expect(command.text.hasPrefix("tapeline diff before.har after.har "))
      let result = try #require(try DocumentSandbox().run([command]).first)
      #expect(result.status == 1)
      let printed = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      #expect(
        command.output.drop { $0.isEmpty } == printed.dropLast().drop { $0.isEmpty }, "docs/diff.md should say:\n\(result.output)"
      )
    }

    @Test("The laboratory's tools and options exist")
    func laboratory() throws {
      for page in Self.pages {
        for command in try DocumentedPage(page).listings.joined() where command.text.hasPrefix("scripts/lab/run ") {
          let words = command.text.prefix { $0 != "#" }.split(separator: " ").dropFirst()
          // A program of its own, which scripts/lab/run builds.
          if words.first == "parts" { continue }
          let help = try EndToEndTests.laboratory([String(try #require(words.first)), "--help"])
          #expect(try help.wait().isSuccess, "\(command)")
          for word in words where word.hasPrefix("--") { #expect(help.outputText.contains(word), "\(command)") }
        }
      }
    }

    @Test("Each exception is needed")
    func exceptions() throws {
      let commands = try Self.pages.flatMap { page in
        let page = try DocumentedPage(page)
        return page.listings.joined() + page.phrases
      }
      let examples = try Self.commands.flatMap { try DocumentedCommand.examples(of: $0) }
      for beginning in Self.exceptions.keys {
        let isNeeded = (commands + examples).contains {
          $0.text.replacing("scripts/tapeline", with: "tapeline").hasPrefix(beginning)
        }
        #expect(isNeeded, "\(beginning)")
      }
    }
  }
}

extension DocumentedCommand {
  /// With names in place of what a reader fills in.
  fileprivate var filled: DocumentedCommand {
    let values = [
      "FILE": "session.har", "BEFORE": "before.har", "AFTER": "after.har", " A ": " before.har ", " B ": " after.har ",
      "COMMAND": "curl -s http://example.com/", "TITLE": "title", "OUT": "out.har", "[": "", "]": "", " N ": " 1 ",
      "snapshot -o session.har": "snapshot -o copy.har",
    ]
    var copy = self
    for value in values.sorted(by: { $0.key < $1.key }) { copy.text = copy.text.replacing(value.key, with: value.value) }
    return copy
  }

  /// The question for the help of what is only named: `tapeline run`.
  fileprivate var asked: DocumentedCommand {
    let words = text.split(separator: " ").prefix { !$0.hasPrefix("-") && !$0.hasPrefix("…") }
    return DocumentedCommand(place: place, text: words.joined(separator: " ") + " --help")
  }
}
