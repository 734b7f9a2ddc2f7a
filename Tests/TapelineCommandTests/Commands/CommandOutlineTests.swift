import Testing

@testable import tapeline

@Suite("Mistyped commands")
struct MistypedCommandTests {
  @Test(
    "The command that was meant",
    arguments: [
      (["lsit", "a.har"], "Unknown command 'lsit'. Did you mean 'list'?"),
      (["reprot"], "Unknown command 'reprot'. Did you mean 'report'?"),
      (["water", "a"], "Unknown command 'water'. Did you mean 'waterfall'?"),
      (["help", "recrod"], "Unknown command 'recrod'. Did you mean 'record'?"),
      (["ca", "exprot"], "Unknown command 'exprot'. Did you mean 'export'?"),
      (["session.har"], "Unknown command 'session.har'"),
    ])
  func meant(arguments: [String], text: String) {
    #expect(MistypedCommand.text(for: arguments) == text)
  }

  @Test(
    "What names a command, or none at all", arguments: [["list", "lsit"], [], ["--lsit"], ["ca", "--x"], ["help", "list"]])
  func right(arguments: [String]) {
    #expect(MistypedCommand.text(for: arguments) == nil)
  }
}
