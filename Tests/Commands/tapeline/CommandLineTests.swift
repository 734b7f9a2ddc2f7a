import ArgumentParser
import TapelineOffline
import Testing

@testable import tapeline

@Suite("Command line")
struct CommandLineTests {
  @Test("run takes everything after -- as the command, its options too")
  func run() throws {
    let command = try #require(
      try Tapeline.parseAsRoot(["run", "-o", "a.har", "-q", "--", "curl", "-q", "--", "x"]) as? RunCommand)
    #expect(command.job.command == ["curl", "-q", "--", "x"])
    #expect(command.log.output == "a.har")
    #expect(command.quiet)
  }

  @Test(
    "What cannot be meant is a usage error",
    arguments: [
      ["run"], ["run", "--"], ["run", "curl"], ["list"], ["show", "f"], ["show", "f", "0"], ["show", "f", "x"],
      ["show", "f", "1", "--body", "--curl"], ["env", "127.0.0.1:1", "--port-file", "p"], ["env", "nonsense"], ["nonsense"],
      ["record", "extra"], ["env", "--control", "c", "--port-file", "p"], ["mark"], ["snapshot"], ["snapshot", "-o", "-"],
      ["wait", "--quiet", "2s", "--timeout", "1s"], ["record", "--strict"], ["record", "--passthrough-host", "a.example"],
      ["list", "f", "--filter", "hots == 1"], ["stats"], ["stats", "f", "--by", "colour"], ["stats", "f", "--top", "0"],
      ["list", "f", "--sort", "totl"], ["list", "f", "--sort", "total:down"], ["list", "f", "--columns", "host,"],
      ["list", "f", "--limit", "0"], ["list", "f", "--json", "--csv"], ["show", "f", "1", "--slowest"],
      ["show", "f", "3-1"], ["show", "f", "1-2-3"], ["show", "f", "+1"], ["show", "f", "1", "--filter", "error"], ["waterfall"],
      ["waterfall", "f", "--by", "colour"], ["critical"], ["critical", "f", "--top", "-1"],
      ["record", "--filter", "hots == 1"], ["record", "--filter", "error", "--bodies-dir", "d"],
    ])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }

  @Test("Every command's help has examples and fits a terminal")
  func examples() {
    for command in Tapeline.configuration.subcommands {
      let help = Tapeline.helpMessage(for: command, columns: 80)
      #expect(help.contains("EXAMPLES\n  "))
      #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  @Test("What would mean nothing without interception is taken where there is one")
  func interception() throws {
    let options = [["--intercept", "--strict"], ["--intercept-host", "a.example", "--passthrough-host", "b.a.example"]]
    for options in options {
      let command = try #require(try Tapeline.parseAsRoot(["record"] + options) as? RecordCommand)
      #expect(command.https.intercepts(byDefault: false))
    }
    #expect(try Tapeline.parseAsRoot(["run", "--strict", "--", "true"]) is RunCommand)
  }

  @Test("Numbers and ranges of exchanges")
  func ranges() throws {
    let command = try #require(try Tapeline.parseAsRoot(["show", "f", "1-3", "7"]) as? ShowCommand)
    #expect(command.numbers.map(\.numbers) == [1...3, 7...7])
    let list = try #require(try Tapeline.parseAsRoot(["list", "f", "-n", "20"]) as? ListCommand)
    #expect(list.limit == 20)
  }

  @Test("A failure reads: what, why, what to do")
  func failure() {
    let failure = CommandFailure(status: .unavailable, what: "cannot listen", why: "in use", remedy: "choose another")
    #expect(failure.description == "cannot listen: in use; choose another")
  }
}
