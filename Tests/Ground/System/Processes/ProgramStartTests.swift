import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Program start")
struct ProgramStartTests {
  private func run(_ script: String, _ change: (inout ProgramStart) -> Void = { _ in }) throws -> ProcessEnd {
    var start = ProgramStart(["/bin/sh", "-c", script], environment: [Array("A=b".utf8)])
    change(&start)
    return try start.start().collect()
  }

  @Test("How it ended is known, and its environment is what it was given")
  func ends() throws {
    #expect(try run("exit 7") == .exited(7))
    #expect(try run("kill -KILL $$") == .killed(signal: SIGKILL))
    #expect(try run(#"test "$A" = b && test -z "$HOME""#) == .exited(0))
  }

  @Test("Its streams are those it was given, from nothing to nowhere")
  func streams() throws {
    let pipe = try SystemCalls.makePipe(isNonBlocking: false)
    let end = try run("cat; echo out; echo error >&2") {
      $0.environment = ProcessEnvironment.entries()
      $0.streams = [.nothing, .descriptor(pipe.write), .nothing]
    }
    SystemCalls.discard(pipe.write)
    #expect(end == .exited(0))
    #expect(try WholeFile.read(pipe.read, limit: 100) == Array("out\n".utf8))
    SystemCalls.discard(pipe.read)
  }

  @Test("It leads a group of its own where that is asked for")
  func group() throws {
    let script = #"test "$(ps -o pgid= -p $$ | tr -d ' ')" = $$"#
    #expect(
      try run(script) {
        $0.leadsGroup = true; $0.environment = ProcessEnvironment.entries()
      } == .exited(0))
  }

  @Test("A program that is not there is none, and a name is looked up where it may be")
  func missing() throws {
    let error = #expect(throws: SystemCallError.self) { try ProgramStart(["tapeline-no-such-command"], environment: []).start() }
    #expect(error == SystemCallError(code: ENOENT, call: .spawn))
    var start = ProgramStart(["true"], environment: [])
    #expect(try start.start().collect() == .exited(0))
    start.isLookedUp = false
    #expect(throws: SystemCallError.self) { try start.start() }
  }

  @Test("Its end can be waited for while its number stays its own")
  func waiting() throws {
    let child = try ProgramStart(["/bin/sh", "-c", "exit 3"], environment: []).start()
    child.waitForEnd()
    child.waitForEnd()
    #expect(child.collect() == .exited(3))
  }
}
