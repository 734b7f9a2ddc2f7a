import TapelineHAR
import TapelineInspect
import TapelineTestSupport
import Testing

@testable import TapelineOffline

@Suite("Redaction of a log")
struct RedactionTests {
  private func redact(_ log: String, to output: String) throws {
    let bodies = BodyFiles(besideHAR: log, directory: nil)
    try Redaction(of: log, to: output, replacing: false, rules: [], bodies: bodies, bodiesDirectory: nil).run()
  }

  @Test("Redaction removes secrets, keeps the rest, and keeps equal secrets equal")
  func redaction() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(
      #"""
      {"log":{"version":"1.2","creator":{"name":"c","version":"1"},"entries":[
      {"request":{"method":"GET","url":"http://h/?token=s3cr3t-s3cr3t&x=1","headers":[{"name":"Authorization","value":"Bearer s3cr3t-s3cr3t"}],
      "queryString":[{"name":"token","value":"s3cr3t-s3cr3t"}]},"_x":1.50}],"pages":[]}}
      """#, to: "in.har")
    let output = files.path("out.har")
    try redact(log, to: output)
    let text = try readText(output)
    #expect(!text.contains("s3cr3t"))
    let entry = try #require(try HARLog(json: Array(text.utf8)).entries.first)
    let token = try #require(entry.request.queryString.first?.value)
    #expect(entry.request.url == "http://h/?token=\(token)&x=1")
    #expect(entry.request.headers.first?.value == "Bearer \(token)")
    #expect(text.contains(#""_x":1.50"#))
    #expect(try fileMode(output) == 0o600)
  }

  @Test("A log takes in only files named after their content, and drops missing files")
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
      try redact(log, to: output)
      let text = try readText(output)
      #expect(!text.contains("root:") && !text.contains("_file"))
    }
  }
}
