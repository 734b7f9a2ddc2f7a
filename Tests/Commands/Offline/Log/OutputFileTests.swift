import Glibc
@testable import TapelineOffline
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Output files")
struct OutputFileTests {
  @Test("A finished file has mode 0600 and keeps its content")
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

  @Test("An unfinished file is removed")
  func unfinished() throws {
    let files = try TemporaryDirectory()
    do {
      let file = try OutputFile(path: files.path("out"))
      try file.write(Array("ab".utf8).span)
    }
    #expect(Directory.namesIfReadable(in: files.path).sorted() == [])
  }

  @Test("A file with content is never touched; an empty file is used")
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

  @Test("A replaced file stays until the new file is complete, and only our own files are replaced")
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

  @Test("A name with a compression suffix is refused", arguments: ["out.har.gz", "out.har.ZST"])
  func compressed(name: String) throws {
    let files = try TemporaryDirectory()
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: files.path(name)) }
    #expect(failure?.status == .usage)
  }

  @Test("A path that cannot be created, or is not a file, is refused", arguments: ["/nowhere/out", "/tmp", "/dev/null"])
  func impossible(path: String) {
    let failure = #expect(throws: CommandFailure.self) { try OutputFile(path: path) }
    #expect(failure?.status == .cannotCreate)
  }
}
