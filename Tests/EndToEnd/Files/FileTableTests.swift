import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Every file that the program makes, under every condition that somebody else could have prepared: refused, or ours alone.
  ///
  /// The table in docs/threat-model.md is what this finds.
  @Suite struct FileTable {
    private struct Kind {
      let name: String
      /// What it is called in its directory.
      let file: String
      let isDirectory: Bool
      /// Has it made, and says what has become of it.
      let outcome: (FilePlace) throws -> String

      /// - Parameter make: gives the path of what was made, `nil` when that was refused.
      init(name: String, file: String, isDirectory: Bool = false, make: @escaping (FilePlace) throws -> String?) {
        self.init(name: name, file: file, isDirectory: isDirectory) { try $0.outcome(try make($0)) }
      }

      /// A file that is gone when the program has ended.
      init(name: String, file: String, isDirectory: Bool, outcome: @escaping (FilePlace) throws -> String) {
        self.name = name
        self.file = file
        self.isDirectory = isDirectory
        self.outcome = outcome
      }
    }

    @Test("No file is written through a link, into a file of somebody else, or for others to read")
    func table() throws {
      let conditions = FileCondition.testable
      var rows = [["File"] + conditions.map(\.rawValue)]
      for kind in Self.kinds {
        rows.append(
          try [kind.name]
            + conditions.map { condition in
              let place = try FilePlace(kind.file, condition, isDirectory: kind.isDirectory)
              return try kind.outcome(place)
            })
      }
      let lines = rows.map { "| \($0.joined(separator: " | ")) |" }
      let documented = try Self.documented(conditions)
      #expect(lines == documented, "\n\(lines.joined(separator: "\n"))")
    }

    private static func documented(_ conditions: [FileCondition]) throws -> [String] {
      let text = try readText("\(repositoryRoot)/docs/threat-model.md").split(separator: "\n").map(String.init)
      let start = try #require(text.firstIndex { $0.hasPrefix("| File |") })
      let rows = text[start...].prefix { $0.hasPrefix("|") }.filter { !$0.hasPrefix("|---") }
      let cells = rows.map { $0.split(separator: "|").map { $0.trimmed } }
      let all = ["File"] + FileCondition.allCases.map(\.rawValue)
      #expect(cells.first == all)
      let kept = all.indices.filter { $0 == 0 || conditions.map(\.rawValue).contains(all[$0]) }
      try #require(cells.allSatisfy { $0.count == all.count })
      return cells.map { row in "| \(kept.map { row[$0] }.joined(separator: " | ")) |" }
    }

    private static var kinds: [Kind] {
      [
        Kind(name: "capture, `-o`", file: "a.har") { place in
          try record(place, ["-o", place.path]) { _ in } ? place.path : nil
        },
        Kind(name: "the next capture, after rotation", file: "a-001.har") { place in
          let first = "\(place.directory)/a.har"
          let isRecorded = try record(place, ["-o", first]) { _ in
            try place.start(["rotate"]).wait()
          }
          let next = "\(place.directory)/a-002.har"
          return isRecorded ? (fileExists(next) ? next : place.path) : nil
        },
        Kind(name: "`snapshot`", file: "s.har") { place in
          var isMade = false
          _ = try record(place, ["-o", place.other("a.har")]) { _ in
            isMade = try place.start(["snapshot", "-o", place.path]).wait().isSuccess
          }
          return isMade ? place.path : nil
        },
        Kind(name: "bodies, `--bodies-dir`", file: "bodies", isDirectory: true) { place in
          let isRecorded = try record(place, ["-o", place.other("a.har"), "--bodies-dir", place.path]) { port in
            try TestProcess(
              "curl", ["-s", "-x", "http://127.0.0.1:\(port)", "--noproxy", "", "--data-binary", "@-", "http://127.0.0.1:1/"],
              input: [0, 255, 1]
            ).wait()
          }
          guard isRecorded else { return nil }
          let names = try TestProcess("ls", [place.path])
          try names.wait()
          return "\(place.path)/\(names.outputText.split(separator: "\n").first { $0.utf8.count == 64 } ?? "none")"
        },
        Kind(name: "`--debug-log`", file: "debug.log") { place in
          try record(place, ["-o", place.other("a.har"), "--debug-log", place.path]) { _ in } ? place.path : nil
        },
        Kind(name: "`--port-file`", file: "port") { place in
          try record(place, ["-o", place.other("a.har"), "--port-file", place.path]) { _ in } ? place.path : nil
        },
        Kind(name: "the authority's key, `--ca-dir`", file: "ca", isDirectory: true) { place in
          try place.start(["ca", "create", "--ca-dir", place.path]).wait().isSuccess ? "\(place.path)/ca.key" : nil
        },
        Kind(name: "the authority's lock", file: "ca.lock") { place in
          // The directory is checked first: of this file it is the only one to be seen that others may write to.
          try place.start(["ca", "create", "--ca-dir", place.directory]).wait().isSuccess ? place.path : nil
        },
        Kind(name: "`SSLKEYLOGFILE`", file: "keys") { place in
          let options = ["-o", place.other("a.har"), "--intercept", "--ca-dir", place.other("ca")]
          return try record(place, options, ["SSLKEYLOGFILE": place.path]) { _ in } ? place.path : nil
        },
        Kind(name: "results, `-o`", file: "out.csv") { place in
          let har = "\(repositoryRoot)/Tests/Fixtures/har/session.har"
          return try place.start(["convert", har, "--to", "csv", "-o", place.path]).wait().isSuccess ? place.path : nil
        },
        Kind(
          name: "the control socket, in `$XDG_RUNTIME_DIR/tapeline`", file: "tapeline", isDirectory: true,
          outcome: { place in
            var outcome = "MISSING"
            let places = ["XDG_RUNTIME_DIR": place.directory]
            _ = try record(place, ["-o", place.other("a.har")], places) { port in
              let variables = try place.start(["env", "127.0.0.1:\(port)"], places)
              try variables.wait()
              let line = variables.outputText.split(separator: "\n").first { $0.contains("TAPELINE_CONTROL=") } ?? ""
              outcome = try place.outcome(String(line.drop { $0 != "/" }.prefix { $0 != "'" }))
            }
            return outcome
          }),
        Kind(
          name: "the directory of `run`, in `$TMPDIR`", file: "tapeline-run.AAAAAA-1", isDirectory: true,
          outcome: { place in
            let look = "cd \"${WGETRC%/*}\" && pwd && stat -c '%F %a %u' . wgetrc"
            let options = ["--require", "0", "-q", "-o", place.other("a.har"), "--ca-dir", place.other("ca")]
            let run = try place.start(["run"] + options + ["--", "sh", "-c", look], ["TMPDIR": place.directory])
            try run.wait()
            return try place.outcome(ofDirectory: run.outputText.split(separator: "\n").map(String.init))
          }),
      ]
    }

    /// Whether a recording came about, and ended well.
    private static func record(
      _ place: FilePlace, _ options: [String], _ environment: [String: String] = [:], _ use: (String) throws -> Void
    ) throws -> Bool {
      let process = try place.start(["record", "--listen", "127.0.0.1:0"] + options, environment)
      let line: String
      do {
        line = try process.waitForErrorLine(containing: "listening on")
      } catch {
        return try process.wait().isSuccess
      }
      let address = line.split(separator: " ").first { $0.contains("127.0.0.1:") } ?? ""
      try use(String(address.split(separator: ":").last?.filter(\.isNumber) ?? ""))
      process.signal(ProcessSignal.interrupt)
      return try process.wait().isSuccess
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
