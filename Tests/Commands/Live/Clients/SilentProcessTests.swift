import TapelineOffline
import Testing

@testable import TapelineLive

@Suite("Silent process")
struct SilentProcessTests {
  @Test(
    "The status is the command's; it has nothing to read and nowhere to write",
    arguments: [
      ("exit 3", 3), ("cat; echo x; echo y >&2", 0),
      ("test \"$(readlink /proc/$$/fd/0)$(readlink /proc/$$/fd/1)\" = /dev/null/dev/null", 0),
      ("kill -KILL $$", 137),
    ] as [(String, Int32)])
  func status(script: String, expected: Int32) throws {
    #expect(try SilentProcess.run(["/bin/sh", "-c", script]) == expected)
  }

  @Test("A tool that is not there is said")
  func missing() {
    let failure = #expect(throws: CommandFailure.self) { try SilentProcess.run(["/tapeline-no-such-tool"]) }
    #expect(failure?.status == .cannotExecute)
  }
}
