import ArgumentParser
import TapelineOffline
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
}
