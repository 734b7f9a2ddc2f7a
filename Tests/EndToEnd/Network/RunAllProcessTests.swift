import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd.RunAll {
  @Test func endsAsItsCommandDoes() throws {
    let directory = try TemporaryDirectory()
    for (script, status) in [("exit 7", Int32(7)), ("kill -TERM $$", 128 + 15)] {
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "--all", "--force", "-o", directory.path("a.har"), "--", "sh", "-c", script])
      #expect(try run.wait() == .exited(status))
    }
    let missing = try TestProcess(
      TapelineProcess.binary, ["run", "--all", "--force", "-o", directory.path("a.har"), "--", "/no/such/program"])
    #expect(try missing.wait() == .exited(127))
    #expect(missing.errorText.contains("cannot run /no/such/program"))
  }

  private static func words(_ options: [String], _ command: [String], in directory: TemporaryDirectory) throws -> [String] {
    try [TapelineProcess.binary, "run", "--force", "--require", "0", "-o", directory.path("a.har")] + options + ["--"] + command
  }

  private static func run(
    _ options: [String], _ script: String, in directory: TemporaryDirectory, input: [UInt8]? = []
  ) throws -> TestProcess {
    let words = try words(options, ["sh", "-c", script], in: directory)
    return try TestProcess(words[0], Array(words[1...]), input: input)
  }

  @Test(arguments: CommandNetworks.ways)
  func standardInputIsTheCommands(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let run = try Self.run(options, "cat", in: directory, input: Array("from standard input".utf8))
    #expect(try run.wait().isSuccess, "\(run.errorText)")
    #expect(run.outputText == "from standard input")
  }

  /// Those that come to us alone are passed on.
  @Test(
    arguments: CommandNetworks.ways,
    [(name: "TERM", number: ProcessSignal.terminate), (name: "HUP", number: ProcessSignal.hangUp)])
  func signalsReachTheCommand(options: [String], signal: (name: String, number: Int32)) throws {
    let directory = try TemporaryDirectory()
    let run = try Self.run(
      options, #"sleep 1000 & p=$!; trap "echo caught; kill $p; exit 5" \#(signal.name); echo ready; wait"#, in: directory,
      input: nil)
    _ = try run.waitForOutputLine(containing: "ready")
    run.signal(signal.number)
    #expect(try run.wait() == .exited(5), "\(run.errorText)")
    #expect(run.outputText == "ready\ncaught\n")
  }

  /// Opens a terminal for its arguments, types a line and Ctrl-C, and exits with their status.
  private static let terminal = """
    import fcntl, os, pty, struct, sys, termios
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    output = b""
    for awaited, typed in ((b"NAME?", b"somebody\\n"), (b"WAITING", b"\\x03"), (None, b"")):
        while awaited is None or awaited not in output:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                piece = b""
            if not piece:
                break
            output += piece
        if typed == b"somebody\\n":
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 41, 97, 0, 0))
        os.write(terminal, typed) if typed else None
    print(output.decode())
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    """

  @Test(arguments: CommandNetworks.ways)
  func theTerminalIsTheCommands(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let script = """
      test -t 0 && test -t 1 && test -t 2 && echo terminal
      python3 -c 'import os; print("foreground", os.tcgetpgrp(0) == os.getpgrp())'
      printf 'NAME?'; read name; echo "hello $name"; stty size
      sleep 1000 & p=$!; trap "echo interrupted; kill $p; exit 6" INT; echo WAITING; wait
      """
    let run = try TestProcess(
      "python3", ["-c", Self.terminal] + (try Self.words(options, ["sh", "-c", script], in: directory)))
    #expect(try run.wait() == .exited(6), "\(run.outputText) \(run.errorText)")
    for text in ["terminal", "foreground True", "hello somebody", "41 97", "interrupted"] {
      #expect(run.outputText.contains(text), "\(text) in \(run.outputText)")
    }
  }

  @Test func leavesNothingBehindIfItIsKilled() throws {
    let directory = try TemporaryDirectory()
    let script = """
      setsid sleep 1000 & sleep 1000 & (sleep 1000 &)
      echo process $$; cat; true
      """
    let run = try Self.run(["--all"], script, in: directory, input: nil)
    _ = try run.waitForOutputLine(containing: "process ")
    run.signal(ProcessSignal.kill)
    // Its output ends with its last process.
    #expect(try run.wait() == .killed(signal: ProcessSignal.kill))
  }

  @Test func whatTheCommandLeavesRunningLivesOn() throws {
    let directory = try TemporaryDirectory()
    let run = try Self.run(["--all"], "sleep 1000 >/dev/null 2>&1 </dev/null & echo $!", in: directory)
    #expect(try run.wait() == .exited(0), "\(run.errorText)")
    let left = run.outputText.filter(\.isNumber)
    #expect(try TestProcess("kill", [left]).wait().isSuccess, "it was there")
  }

  @Test func countsSocketsThatTheCommandWasGiven() throws {
    let directory = try TemporaryDirectory()
    let origin = try Self.answering()
    let script = #"exec 7<>/dev/tcp/127.0.0.1/$1; shift; exec "$@""#
    let command = try Self.words(["--all"], ["true"], in: directory)
    for (words, count) in [(["bash", "-c", script, "bash", "\(origin.port)"], 1), (["env"], 0)] {
      let run = try TestProcess(words[0], words[1...] + command)
      #expect(try run.wait().isSuccess, "\(run.errorText)")
      #expect(run.errorText.contains("given 1 socket of another network") == (count > 0), "\(run.errorText)")
    }
  }
}
