import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("Output files")
struct OutputFileTests {
  @Test("Mode 0600, and what was written stays when it was finished")
  func finished() throws {
    let files = try TemporaryDirectory()
    let path = files.path("out")
    let file = try OutputFile(path: path)
    try file.write(Array("ab".utf8).span)
    try file.write(Array("c".utf8).span)
    try file.finish()
    #expect(try readText(path) == "abc")
    #expect(try fileMode(path) == 0o600)
  }

  @Test("What was not finished does not stay")
  func unfinished() throws {
    let files = try TemporaryDirectory()
    do {
      let file = try OutputFile(path: files.path("out"))
      try file.write(Array("ab".utf8).span)
    }
    #expect(DirectoryNames.of(files.path).sorted() == [])
  }

  @Test("What holds anything is never touched; an empty file is taken")
  func existing() throws {
    let files = try TemporaryDirectory()
    let path = try files.write("precious", to: "in.har")
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path) }
    #expect(failure?.status == .cannotCreate)
    #expect(try readText(path) == "precious")
    let file = try OutputFile(path: files.write("", to: "in.har"))
    try file.write(Array("x".utf8).span)
    try file.finish()
    #expect(try readText(path) == "x")
  }

  @Test("What cannot be made, or is no file", arguments: ["/nowhere/out", "/tmp", "/dev/null"])
  func impossible(path: String) {
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path) }
    #expect(failure?.status == .cannotCreate)
  }
}
