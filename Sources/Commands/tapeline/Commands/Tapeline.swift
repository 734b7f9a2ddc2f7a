internal import ArgumentParser
internal import TapelineLive
internal import TapelineOffline
internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineTLS

/// The program.
@main
struct Tapeline: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tapeline",
    abstract: "A local HTTP(S) forwarding proxy that records true timings of every exchange as HAR.",
    discussion: """
      record and run write captures; the commands under Log read them, and any other program's HAR. Three questions to a capture:

        What was slow?       tapeline list session.har --sort total:desc --limit 10
        Why was it slow?     tapeline show session.har --slowest
        How to repeat it?    tapeline show session.har --slowest --curl

      EXAMPLES
        tapeline run -o session.har -- curl -s https://example.com/
        tapeline record --intercept -o session.har
        eval "$(tapeline env)"; tapeline mark 'log in'; ./log-in; tapeline wait
        tapeline list session.har --filter 'error or wait > 200ms'
        tapeline stats session.har --by path
        tapeline waterfall session.har
        tapeline show session.har 3 --curl
        tapeline lint session.har
      """,
    version: programVersion,
    groupedSubcommands: [
      CommandGroup(name: "Recording", subcommands: [RecordCommand.self, RunCommand.self, EnvCommand.self, CACommand.self]),
      CommandGroup(
        name: "Control",
        subcommands: [
          MarkCommand.self, WaitCommand.self, SnapshotCommand.self, RotateCommand.self, StatusCommand.self, TopCommand.self,
          PassthroughCommand.self, RulesCommand.self, StopCommand.self,
        ]),
      CommandGroup(
        name: "Log",
        subcommands: [
          ListCommand.self, ShowCommand.self, StatsCommand.self, WaterfallCommand.self, CriticalCommand.self, LlmCommand.self,
          ReportCommand.self, AssertCommand.self, DiffCommand.self, ReplayCommand.self, LintCommand.self, MergeCommand.self,
          RedactCommand.self, ConvertCommand.self, ImportCommand.self, ExportCommand.self, RecoverCommand.self,
        ]),
    ])

  /// Parses and runs. Every failure ends the program in the same way: one line on stderr and a status that scripts know.
  static func main() {
    // Not a command for users: the step between `run --all` and its command.
    if let launcher = NetworkLauncher(arguments: CommandLine.arguments) {
      launcher.run()
      CurrentProcess.exit(ExitStatus.cannotExecute.rawValue)
    }
    // Nor is this: it stays behind when programs outlive `run`.
    if let guardian = ConnectGuard(arguments: CommandLine.arguments) {
      guardian.stand()
      CurrentProcess.exit(0)
    }
    OpenSSLLibrary.stayUntilExit()
    do {
      var command = try parseAsRoot(CommandOutline(self).terminated(Array(CommandLine.arguments.dropFirst())))
      try command.run()
      CurrentProcess.exit(0)
    } catch let child as ExitCode {
      CurrentProcess.exit(child.rawValue)
    } catch let failure as CommandFailure {
      Console.say(failure.description, excerpt: failure.choices)
      CurrentProcess.exit(failure.status.rawValue)
    } catch {
      endParsing(with: error)
    }
  }

  /// Help and version are results, and go to stdout; the rest is a usage error.
  private static func endParsing(with error: any Error) -> Never {
    guard exitCode(for: error) != .success else { exit(withError: error) }
    let trouble = CommandOutline(self).mistake(in: Array(CommandLine.arguments.dropFirst())) ?? message(for: error)
    var lines = trouble.split(whereSeparator: \.isNewline).map(String.init)
    let excerpt = lines.last.map { $0.allSatisfy { $0 == " " || $0 == "^" } } == true ? Array(lines.suffix(2)) : []
    lines.removeLast(excerpt.count)
    let text = lines.joined(separator: " ")
    Console.say(text.contains(";") ? "usage: \(text)" : "usage: \(text); see tapeline --help", excerpt: excerpt)
    CurrentProcess.exit(ExitStatus.usage.rawValue)
  }
}

/// The version that `--version` prints.
let programVersion = TapelineVersion.current

extension CommandOutline {
  /// `command` and those below it.
  init(_ command: any ParsableCommand.Type) {
    self.init(
      name: command.configuration.commandName ?? "", startsProgram: command == RunCommand.self,
      subcommands: { command.configuration.subcommands.map { CommandOutline($0) } },
      help: { command.helpMessage(includeHidden: true, columns: 1 << 20) })
  }
}
