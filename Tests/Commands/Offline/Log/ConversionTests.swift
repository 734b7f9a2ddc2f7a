@testable import TapelineOffline
import TapelineDigest
import TapelineHAR
import TapelineTestSupport
import Testing

@Suite("Conversion")
struct ConversionTests {
  @Test("A small log converts to each format")
  func conversion() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(
      #"{"log":{"entries":[{"time": 1.50,"request":{"method":"GET","url":"http://h/","bodySize":0},"response":{"status":200}}],"pages":[]}}"#,
      to: "in.har")
    for (name, form, start) in [
      ("ndjson", .ndjson, #"{"time":1.5,"request":{"method":"GET","#), ("csv", .csv(isRaw: false), "startedDateTime,time,"),
      ("har", .har, #"{"log":{"pages":[],"entries":["#),
    ] as [(String, Conversion.Form, String)] {
      let output = files.path("out.\(name)")
      let conversion = Conversion(of: try CaptureFleet([log]), to: output, replacing: false)
      try conversion.write(form)
      #expect(try readText(output).hasPrefix(start))
      #expect(try fileMode(output) == 0o600)
      let failure = #expect(throws: CommandFailure.self) { try conversion.write(form) }
      #expect(failure?.status == .cannotCreate)
    }
    #expect(try readText(files.path("out.csv")).split(separator: "\r\n").count == 2)
  }

  @Test("Conversion and merging find body files from another directory")
  func bodyFiles() throws {
    let files = try TemporaryDirectory()
    let name = MessageDigest.sha256.hexadecimal(of: Array("hello".utf8).span)
    for path in ["in", "in/bodies", "out"] { _ = try files.makeDirectory(path) }
    _ = try files.write("hello", to: "in/bodies/\(name)")
    let log = try files.write(
      #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h/"},"response":{"content":{"_file":"bodies/\#(name)"}}}]}}"#,
      to: "in/a.har")
    let other = try files.write(#"{"log":{"entries":[]}}"#, to: "out/b.har")
    try Conversion(of: try CaptureFleet([log]), to: files.path("out/a.har"), replacing: false).write(.har)
    try Merging.merge([log, other], to: files.path("out/both.har"), replacing: false, version: "1")
    for output in ["out/a.har", "out/both.har"].map(files.path) {
      var capture = try CaptureFile(path: output, bringsBodiesIn: true)
      #expect(try capture.next()?.entry.response.content.text == "hello")
      #expect(capture.missingBodies == 0)
    }
  }
}
