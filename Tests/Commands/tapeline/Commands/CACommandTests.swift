import ArgumentParser
import TapelineOffline
import Testing

@testable import tapeline

@Suite("ca")
struct CACommandTests {
  @Test("Every command's help has examples and fits a terminal")
  func examples() {
    for command in CACommand.configuration.subcommands + [CACommand.self] {
      let help = CACommand.helpMessage(for: command, columns: 80)
      #expect(help.contains("EXAMPLES\n  "))
      #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  @Test(
    "What cannot be meant is a usage error",
    arguments: [
      ["export", "--format", "key"], ["export", "--password", "x"], ["trust", "--install", "--remove"], ["create", "extra"],
      ["path", "extra"], ["nonsense"],
    ])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try CACommand.parseAsRoot(arguments) }
    #expect(error.map { CACommand.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }
}
