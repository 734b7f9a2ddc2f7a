import TapelineLoop
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite struct FileMoveTests {
  @Test("A file moves across file systems by a copy that is complete or absent")
  func copying() throws {
    let directory = try TemporaryDirectory()
    let bytes = patternedBytes(700_001)
    let source = try directory.write(bytes, to: "source")
    try FileMove.moveByCopy(source, to: directory.path("destination"))
    #expect(try readFile(directory.path("destination")) == bytes)
    #expect(!fileExists(source))
  }

  @Test("A move really crosses file systems if this machine has two")
  func crossing() throws {
    guard fileExists("/dev/shm") else { return }
    let directory = try TemporaryDirectory()
    let source = "/dev/shm/tapeline-\(TemporaryFile.randomName())"
    let file = try TemporaryFile.open(source)
    try FileCalls.write([1, 2, 3], to: file.rawValue, source)
    try FileCalls.close(file, source)
    defer { TemporaryFile.discard(source) }
    try FileMove.move(source, to: directory.path("destination"))
    #expect(try readFile(directory.path("destination")) == [1, 2, 3])
    #expect(!fileExists(source))
  }

  @Test("Neither way of moving replaces a file")
  func taken() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("new", to: "source")
    let taken = try directory.write("old", to: "taken")
    #expect(throws: FileError.self) { try FileMove.move(source, to: taken) }
    #expect(throws: FileError.self) { try FileMove.moveByCopy(source, to: taken) }
    #expect(try readText(taken) == "old")
    #expect(try readText(source) == "new")
    // Nothing is left of the copy.
    #expect(throws: FileError.self) { try FileMove.moveByCopy(directory.path("missing"), to: directory.path("x")) }
    #expect(!fileExists(directory.path("x")))
  }
}
