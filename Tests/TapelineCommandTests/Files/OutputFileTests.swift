import Testing

@testable import tapeline

@Suite("Output files")
struct OutputFileTests {
  @Test("Mode 0600, and what was written stays when it was finished")
  func finished() throws {
    let files = try ScratchDirectory()
    let path = files.path("out")
    let file = try OutputFile(path: path)
    try file.write(Array("ab".utf8).span)
    try file.write(Array("c".utf8).span)
    try file.finish()
    #expect(try files.read(path) == "abc")
    #expect(try files.mode(path) == 0o600)
  }

  @Test("What was not finished does not stay")
  func unfinished() throws {
    let files = try ScratchDirectory()
    do {
      let file = try OutputFile(path: files.path("out"))
      try file.write(Array("ab".utf8).span)
    }
    #expect(try files.names() == [])
  }

  @Test("What holds anything is never touched; an empty file is taken")
  func existing() throws {
    let files = try ScratchDirectory()
    let path = try files.write("precious")
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path) }
    #expect(failure?.status == .cannotCreate)
    #expect(try files.read(path) == "precious")
    let file = try OutputFile(path: files.write(""))
    try file.write(Array("x".utf8).span)
    try file.finish()
    #expect(try files.read(path) == "x")
  }

  @Test("What cannot be made, or is no file", arguments: ["/nowhere/out", "/tmp", "/dev/null"])
  func impossible(path: String) {
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path) }
    #expect(failure?.status == .cannotCreate)
  }
}
