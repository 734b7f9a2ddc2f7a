import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

struct PrivateFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(_ path: String, _ existing: PrivateFile.Existing) throws(PrivateFileError) {
    Glibc.close(try PrivateFile.open(path, flags: .writeOnly, existing: existing))
  }

  @Test func aFileIsItsOwners() throws {
    try TestProcess("sh", ["-c", "umask 0; touch '\(directory.path("open"))'"]).wait()
    try open(directory.path("new"), .nothing)
    #expect(try fileMode(directory.path("new")) == 0o600)
    try open(directory.path("open"), .empty)
    #expect(try fileMode(directory.path("open")) == 0o600)
  }

  @Test func whatIsThereIsTakenAsFarAsItMayBe() throws {
    let path = try directory.write("x", to: "full", mode: 0o666)
    #expect(throws: PrivateFileError.exists) { try open(path, .nothing) }
    #expect(throws: PrivateFileError.exists) { try open(path, .empty) }
    #expect(try fileMode(path) == 0o644)
    try open(path, .anything)
    #expect(try fileMode(path) == 0o600)
    #expect(try readText(path) == "x")
  }

  @Test(arguments: [PrivateFile.Existing.nothing, .empty, .anything])
  func linksAreNotFollowed(existing: PrivateFile.Existing) throws {
    let target = try directory.write("", to: "target")
    for (name, target) in [("link", target), ("dangling", directory.path("none"))] {
      #expect(unsafe symlink(target, directory.path(name)) == 0)
      #expect(throws: PrivateFileError.link) { try open(directory.path(name), existing) }
    }
    #expect(!fileExists(directory.path("none")))
    #expect(throws: PrivateFileError.link) { try PrivateFile.checkReplaceable(directory.path("link")) }
  }

  @Test func aFileWithAnotherNameIsRefused() throws {
    let path = try directory.write("", to: "one")
    #expect(unsafe link(path, directory.path("two")) == 0)
    for existing in [PrivateFile.Existing.empty, .anything] {
      #expect(throws: PrivateFileError.otherNames) { try open(path, existing) }
    }
  }

  @Test func whatIsNoFileIsRefused() throws {
    #expect(unsafe mkfifo(directory.path("pipe"), 0o600) == 0)
    #expect(throws: PrivateFileError.notRegular) { try open(directory.path("pipe"), .anything) }
    #expect(throws: PrivateFileError.notRegular) { try open("/dev/null", .anything) }
    #expect(throws: PrivateFileError.notRegular) { try open(directory.path, .anything) }
    #expect(throws: PrivateFileError.notRegular) { try PrivateFile.checkReplaceable(directory.path) }
    #expect(throws: PrivateFileError.system(EINVAL)) { try open(directory.path("a\0b"), .nothing) }
    #expect(!fileExists(directory.path("a")))
  }

  @Test func streamsAreOpenedWhereTheyAreOurs() throws {
    let flags = OpenFlags.writeOnly
    let null = try #require(try PrivateFile.openStream("/dev/null", flags: flags))
    Glibc.close(null)
    #expect(unsafe mkfifo(directory.path("pipe"), 0o600) == 0)
    let reader = try TestProcess("cat", [directory.path("pipe")])
    let pipe = try #require(try PrivateFile.openStream(directory.path("pipe"), flags: flags))
    Glibc.close(pipe)
    try reader.wait()
    let file = try directory.write("", to: "file")
    #expect(unsafe symlink("/dev/null", directory.path("link")) == 0)
    for path in [file, directory.path("link"), directory.path("none"), directory.path] {
      #expect(try PrivateFile.openStream(path, flags: flags) == nil)
    }
  }

  @Test func directoriesOfOthersAreRefused() throws {
    let path = try directory.makeDirectory("d")
    for (mode, open, closed) in [(0o700, true, true), (0o755, true, false), (0o775, false, false), (0o1777, false, false)] {
      #expect(unsafe chmod(path, mode_t(mode)) == 0)
      #expect(((try? PrivateFile.checkDirectory(path, isClosed: false)) != nil) == open)
      #expect(((try? PrivateFile.checkDirectory(path, isClosed: true)) != nil) == closed)
    }
    #expect(throws: PrivateFileError.system(ENOENT)) { try PrivateFile.checkDirectory("\(path)/none", isClosed: true) }
    #expect(throws: PrivateFileError.system(ENOTDIR)) { try PrivateFile.checkDirectory("/dev/null", isClosed: true) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away")) func filesOfOthersAreRefused() throws {
    let path = try directory.write("", to: "theirs", mode: 0o666)
    #expect(unsafe chown(path, 12_345, 12_345) == 0)
    #expect(throws: PrivateFileError.foreign) { try open(path, .anything) }
    #expect(throws: PrivateFileError.foreign) { try PrivateFile.checkReplaceable(path) }
    let theirs = try directory.makeDirectory("d")
    #expect(unsafe chown(theirs, 12_345, 12_345) == 0)
    #expect(throws: PrivateFileError.foreign) { try PrivateFile.checkDirectory(theirs, isClosed: false) }
    #expect(unsafe mkfifo(directory.path("pipe"), 0o666) == 0)
    #expect(unsafe chown(directory.path("pipe"), 12_345, 12_345) == 0)
    #expect(throws: PrivateFileError.foreign) { try PrivateFile.openStream(directory.path("pipe"), flags: .readWrite) }
  }
}
