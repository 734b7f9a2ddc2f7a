import TapelineTestSupport
import Testing

@Suite("Golden: help")
struct HelpGoldenTests {
  @Test("A new user finds from the help alone what was slow, why, and how to repeat it")
  func questions() throws {
    let help = try TestProcess(try TapelineProcess.binary, ["--help"])
    try help.wait()
    let lines = help.outputText.split(separator: "\n").map { $0.drop { $0 == " " } }
    let answers = ["What was slow?", "Why was it slow?", "How to repeat it?"].compactMap { question in
      lines.first { $0.hasPrefix(question) }?.dropFirst(question.count).drop { $0 == " " }
    }
    try #require(answers.count == 3)
    // What the help says is done as it stands, on a capture of that name.
    let directory = try TemporaryDirectory()
    let script = "cp \(repositoryRoot)/Tests/Fixtures/har/session.har \(directory.path)/ && cd \(directory.path)"
    let tapeline = "tapeline() { \(try TapelineProcess.binary) \"$@\"; }"
    let shell = try TestProcess("sh", ["-ec", ([script, tapeline] + answers.map(String.init)).joined(separator: "\n")])
    #expect(try shell.wait().isSuccess, "\(shell.errorText)")
    let text = shell.outputText
    #expect(text.contains("ommendations  200    16 wwwwwwwr  463ms"), "the slowest stands in the list")
    let sentences = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(sentences.contains("longest: wait, 421ms of 463ms (91 %): the server had the request and had not answered yet"))
    #expect(text.contains("curl \\\n  --proto '=http,https' \\\n  --url http://127.0.0.1:18080/api/recommendations"))
  }

  @Test("The help of the commands that read a log", arguments: ["list", "show", "stats", "waterfall", "critical"])
  func commands(name: String) throws {
    try expectGolden("help-\(name)", [name, "--help"], columns: [80])
  }

  @Test("The manual pages are what the program says of itself")
  func manual() throws {
    let check = try TestProcess(
      "python3", ["-B", "\(repositoryRoot)/scripts/man", "--check"], environment: ["TAPELINE_BINARY": try TapelineProcess.binary])
    #expect(try check.wait().isSuccess, "\(check.errorText)")
  }

  @Test("Completions for every shell are made", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let script = try TestProcess(try TapelineProcess.binary, ["--generate-completion-script", shell])
    #expect(try script.wait().isSuccess)
    #expect(script.outputText.contains("waterfall"))
    guard shell == "bash" else { return }
    let check = try TestProcess("bash", ["-n"], input: script.standardOutput)
    #expect(try check.wait().isSuccess, "\(check.errorText)")
  }
}
