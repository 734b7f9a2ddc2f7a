import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Control directory")
struct ControlDirectoryTests {
  @Test("The user's runtime directory comes first, then those for temporary files")
  func candidates() {
    let user = geteuid()
    #expect(
      ControlDirectory.candidates(environment: ["XDG_RUNTIME_DIR": "/run/user/7", "TMPDIR": "/var/tmp"]).map(\.path) == [
        "/run/user/7/tapeline", "/var/tmp/tapeline-\(user)",
      ])
    #expect(
      ControlDirectory.candidates(environment: ["XDG_RUNTIME_DIR": "relative", "TMPDIR": ""]).map(\.path) == [
        "/tmp/tapeline-\(user)"
      ])
  }

  @Test("A directory that others can enter, a link or a file is not used")
  func foreign() throws {
    let parent = try TemporaryDirectory()
    let open = try parent.makeDirectory("open")
    #expect(unsafe symlink("/tmp", parent.path("link")) == 0)
    try parent.write("", to: "file")
    for path in [open, parent.path("link"), parent.path("file")] {
      let error = #expect(throws: SystemCallError.self) { try ControlDirectory(path: path).prepare() }
      #expect(error?.code == EPERM)
      #expect(ControlDirectory(path: path).sockets().isEmpty)
    }
    let error = #expect(throws: SystemCallError.self) {
      try ControlDirectory(path: parent.path("missing/tapeline")).prepare()
    }
    #expect(error?.code == ENOENT)
  }

  @Test("It is made once and used again")
  func prepare() throws {
    let parent = try TemporaryDirectory()
    let directory = ControlDirectory(path: parent.path("tapeline"))
    try directory.prepare()
    try directory.prepare()
    #expect(directory.sockets().isEmpty)
  }

  @Test("What a dead process left is removed; the living are found")
  func stale() throws {
    let parent = try TemporaryDirectory()
    let directory = ControlDirectory(path: parent.path("tapeline"))
    let living = try ControlListener.open(in: [directory])
    let dead = try ControlListener.open(in: [directory])
    // Another name for a socket that nobody listens on any more.
    let left = "\(directory.path)/1-abc.sock"
    #expect(unsafe rename(dead.path, left) == 0)
    #expect(shutdown(dead.descriptor, Int32(SHUT_RDWR)) == 0)
    #expect(directory.sockets() == [living.path])
    #expect(!fileExists(left))
  }
}
