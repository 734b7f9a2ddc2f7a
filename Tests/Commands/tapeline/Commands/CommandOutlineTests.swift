import TapelineOffline
import Testing

@testable import tapeline

@Suite("Mistyped command lines")
struct CommandOutlineTests {
  private let outline = CommandOutline(Tapeline.self)

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
    #expect(outline.mistake(in: arguments) == text)
  }

  @Test(
    "An option that does not exist is told before anything else that is wrong",
    arguments: [
      (["list", "--fliter"], "Unknown option '--fliter'. Did you mean '--filter'?"),
      (["stats", "a.har", "--by", "colour", "--flter", "x"], "Unknown option '--flter'. Did you mean '--filter'?"),
      (["record", "--max-body", "x", "--oputput=a"], "Unknown option '--oputput'. Did you mean '--output'?"),
      (["run", "--requir-all", "curl"], "Unknown option '--requir-all'. Did you mean '--require-all'?"),
      (["export", "otlp", "--nothing-like-it"], "Unknown option '--nothing-like-it'"),
      (["ca", "--x"], "Unknown option '--x'"),
      (["list", "-qx"], "Unknown option '-qx'"),
    ])
  func option(arguments: [String], text: String) {
    #expect(outline.mistake(in: arguments) == text)
  }

  @Test(
    "What names what there is",
    arguments: [
      ["list", "lsit"], [], ["help", "list"], ["run", "-qv"], ["run", "--require=2", "-o", "--x", "--", "curl", "--nonsense"],
      ["list", "a.har", "--no-index", "-n", "-1"], ["list", "-"], ["list", "--help"], ["--version"],
    ])
  func right(arguments: [String]) {
    #expect(outline.mistake(in: arguments) == nil)
  }

  @Test(
    "The words of run's command are the command's, also without --",
    arguments: [
      ("run curl -s -o page x", "run -- curl -s -o page x"), ("run -o a.har -q curl -q x", "run -o a.har -q -- curl -q x"),
      ("run --require=0 true", "run --require=0 -- true"),
      ("run --browser chromium https://a.example/ --headless", "run --browser chromium -- https://a.example/ --headless"),
      ("run -q -- curl", "run -q -- curl"), ("run --unknown curl", "run --unknown curl"), ("run", "run"), ("run -q", "run -q"),
      ("list a.har b.har", "list a.har b.har"), ("replay a.har --send", "replay a.har --send"),
    ])
  func terminated(line: String, expected: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(outline.terminated(words).joined(separator: " ") == expected)
  }
}
