import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Several recordings of one user: a command acts on the one that is meant, and never on one that nothing names.
  @Suite struct SeveralRecordings {
    private let root: TemporaryDirectory
    private let mine: Started
    private let theirs: Started

    /// `tapeline record` in a directory of its own.
    private struct Started {
      let process: TestProcess
      let directory: String
      let announcement: String

      var address: String {
        "127.0.0.1:\(announcement.split(separator: ":").last { $0.first?.isNumber == true }?.prefix { $0.isNumber } ?? "")"
      }
      var har: String { "\(directory)/capture.har" }
      /// What a command says of it.
      func text(name: String = "") -> String { "process \(process.id)\(name), \(address), \(har)" }
    }

    init() throws {
      root = try TemporaryDirectory()
      mine = try Self.start(in: root, "mine", [])
      theirs = try Self.start(in: root, "theirs", ["--name", "theirs"])
    }

    private static func start(in root: TemporaryDirectory, _ name: String, _ options: [String]) throws -> Started {
      let directory = try root.makeDirectory(name)
      let process = try execute(
        ["record", "--listen", "127.0.0.1:0", "-o", "capture.har"] + options, in: directory, [:], root: root)
      return Started(
        process: process, directory: directory, announcement: try process.waitForErrorLine(containing: "listening on"))
    }

    private static func execute(
      _ arguments: [String], in directory: String, _ variables: [String: String], root: TemporaryDirectory
    ) throws -> TestProcess {
      let environment = ["XDG_RUNTIME_DIR": root.path, "TMPDIR": root.path, "TAPELINE_CONTROL": ""]
      return try TestProcess(
        "sh", ["-c", "cd \"$0\" && exec \"$@\"", directory, try TapelineProcess.binary] + arguments,
        environment: environment.merging(variables) { $1 })
    }

    private func run(_ arguments: [String], in directory: String, _ variables: [String: String] = [:]) throws -> TestProcess {
      let process = try Self.execute(arguments, in: directory, variables, root: root)
      try process.wait(seconds: 60)
      return process
    }

    /// All that ask a recording for something, those that change nothing last.
    private var commands: [[String]] {
      [
        ["stop"], ["rotate"], ["mark", "x"], ["snapshot", "-o", root.path("copy.har")], ["passthrough", "--clear"],
        ["passthrough"], ["rules"],
        ["wait", "--quiet", "1ms"], ["top", "--count", "1", "--interval", "50ms"], ["env"], ["status"], ["status", "--json"],
      ]
    }

    private func end(_ recordings: Started...) throws {
      for recording in recordings {
        recording.process.signal(ProcessSignal.interrupt)
        #expect(try recording.process.wait() == .exited(0), "\(recording.process.errorText)")
      }
    }

    @Test("A shell that names none gets the list, and nothing happens to any")
    func noneIsNamed() throws {
      for command in commands {
        let refused = try run(command, in: root.path)
        #expect(refused.exitStatus == .exited(64), "\(command): \(refused.errorText)")
        #expect(
          refused.errorText.contains("  --name \(mine.process.id): \(mine.text()), started in \(mine.directory)\n"), "\(command)")
        #expect(refused.errorText.contains("  --name theirs: \(theirs.text(name: " (theirs)"))"), "\(refused.errorText)")
        #expect(refused.outputText.isEmpty)
      }
      try end(mine, theirs)
      #expect(!fileExists(root.path("copy.har")))
      for recording in [mine, theirs] {
        let log = try RecordedLog(contentsOf: recording.har)
        #expect(log.tree["log"]?["pages"]?.elements.count == 1)
        #expect(!fileExists("\(recording.directory)/capture-001.har"))
      }
    }

    @Test("The only one that runs is left alone as well, where nothing names it")
    func theOnlyOne() throws {
      try end(mine)
      for command in commands {
        let refused = try run(command, in: mine.directory)
        #expect(refused.exitStatus == .exited(64), "\(command): \(refused.errorText)")
        #expect(refused.errorText.contains("  --name theirs: "), "\(command)")
      }
      try end(theirs)
    }

    @Test("A shell in the directory of one acts on that, and says so")
    func ownDirectory() throws {
      for command in commands.reversed() {
        let done = try run(command, in: mine.directory)
        #expect(done.exitStatus == .exited(0), "\(command): \(done.errorText)")
        let says = command[0] == "status" ? "" : "tapeline: \(command[0]): \(mine.text())"
        // A rotation before it has changed the file.
        #expect(done.errorText.hasPrefix(says.replacing("capture.har", with: "capture")), "\(command): \(done.errorText)")
      }
      #expect(try mine.process.wait() == .exited(0))
      #expect(fileExists("\(mine.directory)/capture-001.har"))
      #expect(
        try run(["status"], in: theirs.directory).outputText.contains("\(theirs.process.id) (theirs), on \(theirs.address)"))
      try end(theirs)
    }

    @Test("So does one whose proxy it is, and one that is told by its name, its process or its socket")
    func names() throws {
      let byProxy = try run(["mark", "proxy"], in: root.path, ["http_proxy": "http://\(theirs.address)"])
      let socket = try #require(
        try run(["env", "--name", "theirs"], in: root.path).outputText.split(separator: "\n").first {
          $0.contains("TAPELINE_CONTROL")
        })
      let path = String(socket.drop { $0 != "/" }.prefix { $0 != "'" })
      let others = try [
        run(["mark", "name", "--name", "theirs"], in: mine.directory),
        run(["mark", "process", "--name", "\(theirs.process.id)"], in: root.path),
        run(["mark", "socket", "--control", path], in: mine.directory),
        run(["mark", "variable"], in: mine.directory, ["TAPELINE_CONTROL": path]),
      ]
      for done in [byProxy] + others {
        #expect(done.exitStatus == .exited(0), "\(done.errorText)")
        #expect(done.errorText == "tapeline: mark: \(theirs.text(name: " (theirs)"))\n")
      }
      let quiet = try run(["mark", "quiet", "-q", "--name", "theirs"], in: root.path)
      #expect(quiet.errorText.isEmpty)
      try end(mine, theirs)
      let pages = try RecordedLog(contentsOf: theirs.har).tree["log"]?["pages"]?.elements ?? []
      #expect(pages.dropFirst().map { $0["title"]?.string } == ["proxy", "name", "process", "socket", "variable", "quiet"])
      #expect(try RecordedLog(contentsOf: mine.har).tree["log"]?["pages"]?.elements.count == 1)
    }

    @Test("Where a directory and a proxy name different ones, neither is taken")
    func contradiction() throws {
      let refused = try run(["stop"], in: mine.directory, ["http_proxy": "http://\(theirs.address)"])
      #expect(refused.exitStatus == .exited(64))
      #expect(refused.errorText.contains("2 recordings of yours may be meant"), "\(refused.errorText)")
      try end(mine, theirs)
    }

    @Test("The start says what it is called, and status lists all")
    func startAndList() throws {
      #expect(theirs.announcement.hasSuffix(", recording to capture.har, name theirs"))
      #expect(mine.announcement.hasSuffix(", recording to capture.har, name \(mine.process.id)"))
      let list = try run(["status", "--all"], in: root.path)
      #expect(
        list.outputText.split(separator: "\n").sorted().map(String.init)
          == [
            "--name \(mine.process.id): \(mine.text()), started in \(mine.directory)",
            "--name theirs: \(theirs.text(name: " (theirs)")), started in \(theirs.directory)",
          ].sorted())
      try end(mine, theirs)
      let named = try run(
        ["run", "--require", "0", "--name", "job", "--no-intercept", "-o", "job.har", "--", "true"], in: root.path)
      #expect(named.errorText.contains(", recording to job.har, name job\n"), "\(named.errorText)")
    }
  }
}
