import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineTLS

@Suite("Authority files")
struct AuthorityFilesTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("A file is read whole; one that is missing is no failure, a directory is one")
  func reading() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try AuthorityFiles.readIfPresent(temporary.write(bytes, to: "file")) == bytes)
    #expect(try AuthorityFiles.readIfPresent(temporary.path("missing")) == nil)
    #expect(try AuthorityFiles.readSecretIfPresent(temporary.path("missing")) == nil)
    let error = #expect(throws: AuthorityError.self) { try AuthorityFiles.readIfPresent(temporary.path) }
    #expect(error?.why == "Is a directory")
  }

  @Test("A file that is far too long is not read")
  func tooLong() throws {
    let file = try temporary.makeSparseFile("long", size: 64 << 20)
    let error = #expect(throws: AuthorityError.self) { try AuthorityFiles.readIfPresent(file) }
    #expect(error?.why == "File too large")
  }

  @Test("A new file has its mode, and never takes another's place")
  func createWhole() throws {
    let file = temporary.path("file")
    try AuthorityFiles.createWhole(file, [1, 2, 3], mode: 0o640)
    #expect(try fileMode(file) == 0o640)
    let error = #expect(throws: AuthorityError.self) { try AuthorityFiles.createWhole(file, [4], mode: 0o600) }
    #expect(error?.why == "File exists")
    #expect(try readFile(file) == [1, 2, 3])
  }

  @Test("A replaced file has the new mode")
  func replaceWhole() throws {
    let file = try temporary.write("old", to: "file", mode: 0o600)
    try AuthorityFiles.replaceWhole(file, [1], mode: 0o644)
    #expect(try readFile(file) == [1])
    #expect(try fileMode(file) == 0o644)
    let directory = try temporary.makeDirectory("directory")
    #expect(throws: AuthorityError.self) { try AuthorityFiles.replaceWhole(directory, [1], mode: 0o644) }
  }

  @Test("Directories are made as deep as needed")
  func directories() throws {
    let path = temporary.path("a/b/c")
    try AuthorityFiles.makePrivateDirectory(path)
    try AuthorityFiles.makePrivateDirectory(path)
    #expect(try fileMode(path) == 0o700)
    #expect(try fileMode(temporary.path("a")) == 0o700)
    #expect(throws: AuthorityError.self) { try AuthorityFiles.makePrivateDirectory("/proc/none/none") }
  }

  @Test("A lock is one's own")
  func lock() throws {
    let path = temporary.path("lock")
    let mine = try AuthorityFiles.lock(path)
    let other = try SystemCalls.open(path, .readWrite)
    #expect(try !SystemCalls.tryLock(other, .exclusive))
    SystemCalls.discard(mine)
    #expect(try SystemCalls.tryLock(other, .exclusive))
    SystemCalls.discard(other)
  }
}
