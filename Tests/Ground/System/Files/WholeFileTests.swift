import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Whole file")
struct WholeFileTests {
  @Test("What was written is read, in place of what was there, with its mode")
  func roundTrip() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("file")
    let bytes = [UInt8](repeating: 7, count: 40_000)
    try WholeFile.write([1, 2], to: path, mode: 0o600)
    try WholeFile.write(bytes, to: path, mode: 0o640)
    #expect(try WholeFile.read(path, limit: 40_000) == bytes)
    #expect(Directory.namesIfReadable(in: directory.path) == ["file"])
    #expect(try fileMode(path) == 0o640)
  }

  @Test("A file beyond the limit, a missing one and a directory are refused")
  func errors() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("abc", to: "file")
    #expect(throws: SystemCallError(code: EFBIG, call: .read)) { try WholeFile.read(path, limit: 2) }
    #expect(throws: SystemCallError(code: ENOENT, call: .open)) { try WholeFile.read(directory.path("none"), limit: 2) }
    #expect(throws: SystemCallError(code: EISDIR, call: .read)) { try WholeFile.read(directory.path, limit: 2) }
    #expect(throws: PrivateFileError.system(ENOENT)) { try WholeFile.write([], to: directory.path("none/file"), mode: 0o600) }
    #expect(SystemCalls.exists(path))
    #expect(!SystemCalls.exists(directory.path("none")))
  }

  @Test("What cannot take its place leaves nothing behind")
  func draft() throws {
    let directory = try TemporaryDirectory()
    let taken = try directory.makeDirectory("taken")
    #expect(throws: PrivateFileError.notRegular) { try WholeFile.write([1], to: taken, mode: 0o600) }
    #expect(Directory.namesIfReadable(in: directory.path) == ["taken"])
  }
}
