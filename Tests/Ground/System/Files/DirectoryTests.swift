import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Directory")
struct DirectoryTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("Those that are missing are made; what is there stays as it is")
  func makeAll() throws {
    let path = temporary.path("a/b/c")
    try Directory.makeAll(path, mode: 0o700)
    try Directory.makeAll(path, mode: 0o755)
    #expect(try fileMode(path) == 0o700)
    #expect(try fileMode(temporary.path("a")) == 0o700)
    let file = try temporary.write("", to: "file")
    for (path, code) in [(file, ENOTDIR), ("\(file)/below", ENOTDIR), ("/proc/none/none", ENOENT)] {
      let error = #expect(throws: SystemCallError.self) { try Directory.makeAll(path, mode: 0o700) }
      #expect(error?.code == code, "\(path)")
    }
  }

  @Test("A tree is removed with all that is in it, and links are not followed")
  func removeTree() throws {
    let kept = try temporary.write("kept", to: "kept")
    let tree = temporary.path("tree")
    try Directory.makeAll("\(tree)/deep/deeper", mode: 0o700)
    try temporary.write("x", to: "tree/deep/file")
    #expect(unsafe symlink(temporary.path, "\(tree)/link") == 0)
    #expect(Directory.removeTree(tree) == nil)
    #expect(Directory.removeTree(tree) == nil, "nothing is there")
    #expect(try Directory.names(in: temporary.path) == ["kept"])
    #expect(Directory.removeTree(kept) == nil)
    #expect(Directory.removeTree("/proc/self/status")?.path == "/proc/self/status")
  }

  @Test("A directory that cannot be read has no names")
  func names() throws {
    let error = #expect(throws: SystemCallError.self) { try Directory.names(in: temporary.path("none")) }
    #expect(error?.code == ENOENT)
    #expect(Directory.namesIfReadable(in: temporary.path("none")).isEmpty)
  }

  @Test("A temporary one is nobody else's, and each has a name of its own")
  func makeTemporary() throws {
    let made = try (0..<2).map { _ in try Directory.makeTemporary(temporary.path("x-")) }
    #expect(Set(made).count == 2)
    for path in made {
      #expect(path.hasPrefix(temporary.path("x-")) && path.utf8.count == temporary.path("x-").utf8.count + 6)
      #expect(try fileMode(path) == 0o700)
    }
  }
}
