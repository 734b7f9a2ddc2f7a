import Glibc
import TapelineConsole
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineLog

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
    #expect(Directory.namesIfReadable(in: files.path).sorted() == [])
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

  @Test("What is to be replaced stays until the new one is whole, and nothing but a file of ours gives way")
  func replaced() throws {
    let files = try TemporaryDirectory()
    let path = try files.write("precious", to: "in.har")
    do {
      let file = try OutputFile(path: path, replacing: true)
      try file.write(Array("x".utf8).span)
      #expect(try readText(path) == "precious")
    }
    #expect(try readText(path) == "precious")
    let file = try OutputFile(path: path, replacing: true)
    try file.write(Array("new".utf8).span)
    try file.finish()
    #expect(try readText(path) == "new")
    #expect(try fileMode(path) == 0o600)
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har"])
    try #require(unsafe symlink(path, files.path("link")) == 0)
    for path in [files.path("link"), files.path] {
      let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path, replacing: true) }
      #expect(failure?.status == .cannotCreate)
    }
  }

  @Test("A name that says compressed is refused", arguments: ["out.har.gz", "out.har.ZST"])
  func compressed(name: String) throws {
    let files = try TemporaryDirectory()
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: files.path(name)) }
    #expect(failure?.status == .usage)
  }

  @Test("What cannot be made, or is no file", arguments: ["/nowhere/out", "/tmp", "/dev/null"])
  func impossible(path: String) {
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path) }
    #expect(failure?.status == .cannotCreate)
  }
}
