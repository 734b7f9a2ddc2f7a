import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("Private directory")
struct PrivateDirectoryTests {
  @Test("Nobody else can enter it, and it goes with its owner")
  func life() throws {
    let parent = try TemporaryDirectory()
    do {
      let directory = try PrivateDirectory(environment: ["TMPDIR": parent.path])
      #expect(directory.path.hasPrefix("\(parent.path)/tapeline-run-"))
      #expect(try fileMode(directory.path) == 0o700)
      try WholeFile.write([1], to: "\(directory.path)/a", mode: 0o600)
      try WholeFile.write([1], to: "\(directory.path)/.b", mode: 0o600)
    }
    #expect(DirectoryNames.of(parent.path).isEmpty)
  }

  @Test("Without a place for it there is a reason")
  func failure() {
    let failure = #expect(throws: CommandFailure.self) {
      try PrivateDirectory(environment: ["TMPDIR": "/tapeline-no-such-directory"])
    }
    #expect(failure?.status == .cannotCreate)
  }
}
