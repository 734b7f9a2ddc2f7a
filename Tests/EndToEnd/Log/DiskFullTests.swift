import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The log cannot grow: one error, traffic goes on, the status says so, and what was written is whole.
  @Suite struct DiskFull {
    private static func expectTrafficGoesOn(
      output: String, wrapper: [String], options: [String] = [], remarks: Int = 2,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: String(repeating: "y", count: 20_000))])
      ])
      let command =
        try wrapper + [
          TapelineProcess.binary, "run", "-o", output,
        ] + options + [
          "--", "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}\\n",
          "\(origin.url())[1-200]",
        ]
      let run = try TestProcess(command[0], Array(command.dropFirst()))
      #expect(try run.wait(seconds: 60) == .exited(74), "\(run.errorText)", sourceLocation: sourceLocation)
      #expect(run.outputText == String(repeating: "200\n", count: 200), "traffic is unharmed", sourceLocation: sourceLocation)
      let errors = run.errorText.split(separator: "\n").filter { $0.lowercased().contains("write") }
      #expect(errors.count <= remarks, "said once, and in the summary: \(errors)", sourceLocation: sourceLocation)
      let log = try RecordedLog(contentsOf: output)
      #expect(violations(in: log) == [], sourceLocation: sourceLocation)
      #expect(log.entries.count > 1 && log.entries.count < 200, sourceLocation: sourceLocation)
      try HARValidators.expectAccepted(output, sourceLocation: sourceLocation)
    }

    /// `ulimit -f`: no file may grow beyond a megabyte. What the limit sends (SIGXFSZ) must not kill.
    @Test func aLimitOnFileSizes() throws {
      let directory = try TemporaryDirectory()
      try Self.expectTrafficGoesOn(
        output: directory.path("a.har"), wrapper: ["sh", "-c", #"ulimit -f 2048; exec "$@""#, "sh"])
    }

    @Test("If nothing is to be lost, the relay waits for room, and goes on without when that has taken too long")
    func patience() throws {
      let directory = try TemporaryDirectory()
      try Self.expectTrafficGoesOn(
        output: directory.path("a.har"), wrapper: ["sh", "-c", #"ulimit -f 2048; exec "$@""#, "sh"],
        options: ["--overload", "wait", "--queue", "1MiB", "--overload-patience", "200ms"], remarks: 3)
    }

    /// A file system of one megabyte, in a mount namespace of our own where that is allowed.
    @Test(.enabled(if: canMount)) func aSmallFileSystem() throws {
      let directory = try TemporaryDirectory()
      let small = try directory.makeDirectory("small")
      let script = #"mount -t tmpfs -o size=1m tmpfs "$0" && "$@"; status=$?; cp "$0/a.har" "$0.har"; exit $status"#
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: String(repeating: "z", count: 20_000))])
      ])
      let run = try TestProcess(
        "unshare",
        [
          "--mount", "--map-root-user", "sh", "-c", script, small, TapelineProcess.binary, "run", "-o", "\(small)/a.har", "--",
          "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}\\n", "\(origin.url())[1-200]",
        ])
      #expect(try run.wait(seconds: 60) == .exited(74), "\(run.errorText)")
      #expect(run.outputText == String(repeating: "200\n", count: 200), "traffic is unharmed")
      let log = try RecordedLog(contentsOf: "\(small).har")
      #expect(violations(in: log) == [])
      #expect(log.entries.count > 1 && log.entries.count < 200)
    }

    @Test("A file that is removed while recording: both messages say what helps")
    func removed() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let script = #"curl -s "$1" && tapeline() { "$0" "$@"; } && rm "$2" && curl -s "$1" && tapeline rotate && curl -s "$1""#
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "-o", har, "--", "sh", "-c", script, try TapelineProcess.binary, origin.url(), har])
      #expect(try run.wait() == .exited(74), "\(run.errorText)")
      #expect(
        run.errorText.contains("it was removed while recording; exchanges are relayed but not recorded; begin the next file"))
      #expect(run.errorText.contains("record again, and leave the file where it is until the recording ends"), "\(run.errorText)")
      #expect(try RecordedLog(contentsOf: directory.path("a-001.har")).entries.count == 1)
    }

    private static var canMount: Bool {
      guard let probe = try? TestProcess("unshare", ["--mount", "--map-root-user", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
      else {
        return false
      }
      return (try? probe.wait().isSuccess) ?? false
    }
  }
}
