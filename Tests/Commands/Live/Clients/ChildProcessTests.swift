import TapelineOffline
import Testing

@testable import TapelineLive

@Suite("Child process")
struct ChildProcessTests {
  @Test(
    "The status is the command's, or says which signal killed it",
    arguments: [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)] as [(String, Int32)])
  func status(script: String, expected: Int32) throws {
    let child = try ChildProcess(ChildProcess.start(["/bin/sh", "-c", script], environment: []))
    child.waitForEnd()
    #expect(child.collect() == expected)
    #expect(child.collect() == expected)
  }

  @Test("It has the environment it is given, byte for byte, and its name as it was typed")
  func environment() throws {
    let script = #"test "$X" = "$(printf 'a b\377')" && test "$0" = sh && test -z "$HOME""#
    let child = try ChildProcess(ChildProcess.start(["sh", "-c", script], environment: [Array("X=a b".utf8) + [0xFF]]))
    #expect(child.collect() == 0)
  }

  @Test("A signal reaches it, and none is sent once it was collected")
  func signal() throws {
    let child = try ChildProcess(ChildProcess.start(["/bin/cat", "/dev/zero"], environment: []))
    child.send(9)
    #expect(child.collect() == 137)
    child.send(9)
  }

  @Test(
    "A command that is not there or cannot be executed", arguments: [("tapeline-no-such-command", 127), ("/etc/passwd", 126)])
  func failure(command: String, status: Int32) throws {
    let error = #expect(throws: CommandFailure.self) { try ChildProcess(ChildProcess.start([command], environment: [])) }
    #expect(error?.status.rawValue == status)
  }
}
