import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What `env` and `ca trust` print is evaluated by shells; the names in it are those of files, which may be called anything.
  @Suite struct EnvironmentPaste {
    private static let name = "a'b\\c$(touch ran)`touch ran`!x \u{1B}[31m\u{202E}é;touch ran\\"

    private let directory: TemporaryDirectory
    private let home: String

    init() throws {
      directory = try TemporaryDirectory()
      home = directory.path(Self.name)
    }

    @Test("the lines of env set what they say, in every shell", arguments: PastedWords.shells)
    func env(shell: [String]) throws {
      // Where no recording of another test is found.
      let runtime = try directory.makeDirectory("runtime")
      let variables = ["XDG_RUNTIME_DIR": runtime, "TMPDIR": runtime, "JAVA_HOME": "", "JAVA_TOOL_OPTIONS": ""]
      let recording = try TestProcess(
        TapelineProcess.binary,
        ["record", "--listen", "127.0.0.1:0", "--output", directory.path("a.har"), "--intercept", "--ca-dir", home],
        environment: variables)
      _ = try recording.waitForErrorLine(containing: "listening on")
      let env = try TestProcess(TapelineProcess.binary, ["env"], environment: variables)
      #expect(try env.wait().isSuccess, "\(env.errorText)")
      #expect(!env.outputText.unicodeScalars.contains { $0 == "\u{1B}" || drivesTerminal($0) })
      let pasted = try PastedWords(
        env.outputText + "probe \"$SSL_CERT_FILE\" \"$WGETRC\"\n", in: shell, programs: ["probe"])
      #expect(pasted.calls.map(\.arguments) == [["\(home)/ca-bundle.pem", "\(home)/wgetrc"]], "\(pasted.errors)")
      #expect(pasted.files == [])
      recording.signal(15)
      try recording.wait()
    }

    @Test("the commands of ca trust name the certificate, in every shell", arguments: PastedWords.shells)
    func trust(shell: [String]) throws {
      try TestProcess(TapelineProcess.binary, ["ca", "create", "--ca-dir", home]).wait()
      let trust = try TestProcess(TapelineProcess.binary, ["ca", "trust", "--ca-dir", home])
      #expect(try trust.wait().isSuccess, "\(trust.errorText)")
      #expect(!trust.outputText.unicodeScalars.contains { $0 == "\u{1B}" || drivesTerminal($0) })
      let programs = ["sudo", "git", "keytool", "wget", "php"]
      // With the slash: the fingerprint in the name of an installed certificate may end in "ca".
      let commands = trust.outputText.split(separator: "\n").map { $0.drop { $0 == " " } }
        .filter { line in programs.contains { line.hasPrefix("\($0) ") } && line.contains("/ca.pem") }
      try #require(commands.count > 8)
      let pasted = try PastedWords(commands.joined(separator: "\n") + "\n", in: shell, programs: programs)
      #expect(pasted.calls.count == commands.count, "\(pasted.errors)")
      for call in pasted.calls {
        #expect(call.arguments.contains { $0.hasSuffix("\(home)/ca.pem") }, "\(call)")
      }
      #expect(pasted.files == [])
    }
  }
}
