import ArgumentParser
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("convert")
struct ConvertCommandTests {
  @Test("Three forms", arguments: ConvertCommand.Format.allCases)
  func forms(form: ConvertCommand.Format) throws {
    let command = try #require(try Tapeline.parseAsRoot(["convert", "a", "--to", form.rawValue]) as? ConvertCommand)
    #expect(command.to == form && command.output == nil)
  }

  @Test(
    "What cannot be meant is a usage error",
    arguments: [["convert", "a"], ["convert", "a", "--to", "xml"], ["convert", "--to", "csv"]])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }

  @Test("Each form of a small log")
  func conversion() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(
      #"{"log":{"entries":[{"time": 1.50,"request":{"method":"GET","url":"http://h/","bodySize":0},"response":{"status":200}}],"pages":[]}}"#,
      to: "in.har")
    for (form, start) in [
      ("ndjson", #"{"startedDateTime":"","time":1.5,"#), ("csv", "startedDateTime,time,"), ("har", #"{"log":{"version":"1.2","#),
    ] {
      let output = files.path("out.\(form)")
      var command = try #require(try Tapeline.parseAsRoot(["convert", log, "--to", form, "-o", output]) as? ConvertCommand)
      try command.run()
      #expect(try readText(output).hasPrefix(start))
      #expect(try fileMode(output) == 0o600)
      let failure = #expect(throws: CommandFailure.self) { try command.run() }
      #expect(failure?.status == .cannotCreate)
    }
    #expect(try readText(files.path("out.csv")).split(separator: "\r\n").count == 2)
  }
}
