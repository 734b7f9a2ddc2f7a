import ArgumentParser
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("redact")
struct RedactCommandTests {
  @Test("Secrets go, the rest stays, and equal ones stay equal")
  func redaction() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(
      #"""
      {"log":{"version":"1.2","creator":{"name":"c","version":"1"},"entries":[
      {"request":{"method":"GET","url":"http://h/?token=s3cr3t-s3cr3t&x=1","headers":[{"name":"Authorization","value":"Bearer s3cr3t-s3cr3t"}],
      "queryString":[{"name":"token","value":"s3cr3t-s3cr3t"}]},"_x":1.50}],"pages":[]}}
      """#, to: "in.har")
    let output = files.path("out.har")
    var command = try #require(try Tapeline.parseAsRoot(["redact", log, "-o", output]) as? RedactCommand)
    try command.run()
    let text = try readText(output)
    #expect(!text.contains("s3cr3t"))
    let entry = try #require(try HARLog(json: Array(text.utf8)).entries.first)
    let token = try #require(entry.request.queryString.first?.value)
    #expect(entry.request.url == "http://h/?token=\(token)&x=1")
    #expect(entry.request.headers.first?.value == "Bearer \(token)")
    #expect(text.contains(#""_x":1.50"#))
    #expect(try fileMode(output) == 0o600)
  }

  @Test("No file is taken into a log that is not named by what it holds, and what is missing is dropped")
  func foreignFiles() throws {
    let files = try TemporaryDirectory()
    _ = try files.write("root:x:0:0", to: "passwd")
    _ = try files.write("root:x:0:0", to: String(repeating: "a", count: 64))
    for name in ["passwd", "/etc/passwd", String(repeating: "a", count: 64)] {
      let log = try files.write(
        #"""
        {"log":{"version":"1.2","creator":{"name":"c","version":"1"},"entries":[
        {"request":{"method":"GET","url":"http://h/"},"response":{"content":{"size":1,"mimeType":"text/plain","_file":"\#(name)"}}}]}}
        """#, to: "in\(name.utf8.count).har")
      let output = files.path("out\(name.utf8.count).har")
      var command = try #require(try Tapeline.parseAsRoot(["redact", log, "-o", output]) as? RedactCommand)
      try command.run()
      let text = try readText(output)
      #expect(!text.contains("root:") && !text.contains("_file"))
    }
  }

  @Test("A new name is needed")
  func usage() {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(["redact", "a"]) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }
}
