import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineOffline

@Suite("Private directory")
struct PrivateDirectoryTests {
  @Test("Nobody else can enter it, and it goes with its owner")
  func life() throws {
    let parent = try TemporaryDirectory()
    do {
      let directory = try PrivateDirectory(environment: ["TMPDIR": parent.path])
      #expect(directory.path.hasPrefix("\(parent.path)/tapeline-run."))
      #expect(try fileMode(directory.path) == 0o700)
      try WholeFile.write([1], to: "\(directory.path)/a", mode: 0o600)
      try WholeFile.write([1], to: "\(directory.path)/.b", mode: 0o600)
    }
    #expect(Directory.namesIfReadable(in: parent.path).isEmpty)
  }

  @Test("Without a place for it there is a reason")
  func failure() {
    let failure = #expect(throws: CommandFailure.self) {
      try PrivateDirectory(environment: ["TMPDIR": "/tapeline-no-such-directory"])
    }
    #expect(failure?.status == .cannotCreate)
  }

  @Test("What a killed process has left is removed by the next; what is in use, or somebody else's, stays")
  func abandoned() throws {
    let parent = try TemporaryDirectory()
    let left = try parent.makeDirectory("tapeline-run.abcdef-1")
    _ = try parent.makeDirectory("tapeline-run.abcdef-1/inner")
    try parent.write("user:password", to: "tapeline-run.abcdef-1/wgetrc")
    let precious = try parent.write("x", to: "precious")
    #expect(unsafe symlink(precious, "\(left)/link") == 0)
    #expect(unsafe symlink(parent.path, parent.path("tapeline-run.link")) == 0)
    let other = try parent.makeDirectory("tapeline-running")
    let living = try PrivateDirectory(environment: ["TMPDIR": parent.path])
    #expect(!fileExists(left))
    let next = try PrivateDirectory(environment: ["TMPDIR": parent.path])
    for path in [living.path, next.path, precious, other] { #expect(fileExists(path)) }
    #expect(try fileMode(living.path) == 0o700)
    withExtendedLifetime((living, next)) {}
  }
}
