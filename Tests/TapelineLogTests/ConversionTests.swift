import TapelineConsole
import TapelineTestSupport
import Testing

@testable import TapelineLog

@Suite("Conversion")
struct ConversionTests {
  @Test("Each form of a small log")
  func conversion() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(
      #"{"log":{"entries":[{"time": 1.50,"request":{"method":"GET","url":"http://h/","bodySize":0},"response":{"status":200}}],"pages":[]}}"#,
      to: "in.har")
    for (name, form, start) in [
      ("ndjson", .ndjson, #"{"startedDateTime":"","time":1.5,"#), ("csv", .csv(isRaw: false), "startedDateTime,time,"),
      ("har", .har, #"{"log":{"version":"1.2","#),
    ] as [(String, Conversion.Form, String)] {
      let output = files.path("out.\(name)")
      let conversion = Conversion(of: log, to: output, replacing: false)
      try conversion.write(form)
      #expect(try readText(output).hasPrefix(start))
      #expect(try fileMode(output) == 0o600)
      let failure = #expect(throws: CommandFailure.self) { try conversion.write(form) }
      #expect(failure?.status == .cannotCreate)
    }
    #expect(try readText(files.path("out.csv")).split(separator: "\r\n").count == 2)
  }
}
