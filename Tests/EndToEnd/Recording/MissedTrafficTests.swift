import Glibc
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What a command does past the proxy is told, also when something was recorded.
  @Suite struct MissedTraffic {
    /// One request through the proxy, then connections past it: by names and ports, without a word of HTTP library code, so that
    /// the program is over in milliseconds.
    private static let mixed = """
      import os, socket, sys
      port, count = int(sys.argv[1]), int(sys.argv[2])
      def get(address, target):
          s = socket.create_connection(address)
          s.sendall(b"GET %s HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\nConnection: close\\r\\n\\r\\n" % (target, port))
          answer = b""
          while not answer.endswith(b"\\r\\n\\r\\nx"): answer += s.recv(4096)
          s.close()
      host, _, number = os.environ["http_proxy"].removeprefix("http://").rpartition(":")
      get((host, int(number)), b"http://127.0.0.1:%d/" % port)
      for _ in range(count): get(("127.0.0.1", port), b"/")
      """

    private let origin: ScriptedOrigin
    private let directory: TemporaryDirectory

    init() throws {
      origin = try ScriptedOrigin([.expectRequest, .respond(body: "x")])
      directory = try TemporaryDirectory()
    }

    private func run(_ options: [String] = [], past count: Int) throws -> TestProcess {
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "-o", directory.path("a.har"), "--force"] + options + [
          "--", pythonInterpreter(), "-I", "-S", "-c", Self.mixed, "\(origin.port)", "\(count)",
        ])
      try run.wait(seconds: 60)
      return run
    }

    private func stats(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments)
      try process.wait()
      return process
    }

    @Test func shortConnectionsAreToldInTenOfTenRuns() throws {
      for _ in 0..<10 {
        let run = try run(["--require-all"], past: 3)
        #expect(run.exitStatus == .exited(1), "\(run.errorText)")
        #expect(
          run.errorText.contains(#/also connected by itself: python[0-9.]* → 127\.0\.0\.1:[0-9]+ \(3\); run --all/#)
            && run.errorText.contains("127.0.0.1:\(origin.port) (3)"), "\(run.errorText)")
      }
    }

    /// Without privileges, the kernel tells of no calls unless the command gives up those of setuid programs.
    @Test(.enabled(if: geteuid() == 0, "only root can start a program as another user"))
    func withoutPrivilegesShortConnectionsAreToldWithADoubt() throws {
      #expect(unsafe chown(directory.path, 65_534, 65_534) == 0)
      let words = ["-o", directory.path("a.har"), "--force", "--no-intercept"]
      let command = ["/usr/bin/python3", "-I", "-S", "-c", Self.mixed, "\(origin.port)", "3"]
      func run(_ options: [String]) throws -> String {
        let run = try TestProcess(
          "setpriv",
          try ["--reuid", "65534", "--regid", "65534", "--clear-groups", TapelineProcess.binary, "run"] + words + options + ["--"]
            + command, environment: ["HOME": directory.path, "XDG_RUNTIME_DIR": "", "TMPDIR": directory.path])
        #expect(try run.wait(seconds: 60) == .exited(options.isEmpty ? 0 : 1), "\(run.errorText)")
        return run.errorText
      }
      let text = try run([])
      #expect(
        text.contains(#/also connected by itself: python3[0-9.]* → 127\.0\.0\.1:[0-9]+ \([123]\)/#)
          || text.contains("or another program in the same moment, also connected to 127.0.0.1:\(origin.port) ("), "\(text)")
      #expect(try run(["--require-all"]).contains("127.0.0.1:\(origin.port) (3)"))
    }

    @Test func nothingMissedIsNotMentioned() throws {
      let run = try run(["--require-all"], past: 0)
      #expect(run.exitStatus == .exited(0), "\(run.errorText)")
      #expect(!run.errorText.contains("by itself"))
      #expect(try stats(["assert", directory.path("a.har"), "bypassed == 0"]).exitStatus == .exited(0))
    }

    @Test func theLogHasItAndItCanBeAFailure() throws {
      let run = try run(["--require-all", "-q"], past: 2)
      #expect(run.exitStatus == .exited(1))
      #expect(
        run.errorText.contains("run: 2 connections went past the proxy, and --require-all permits none"), "\(run.errorText)")
      try HARValidators.expectAccepted(directory.path("a.har"))
      let log = try JSONTree(parsing: readFile(directory.path("a.har")))["log"]
      let bypassed = try #require(log?["_bypassed"]?.elements.first)
      #expect(bypassed["address"]?.string == "127.0.0.1:\(origin.port)" && bypassed["count"]?.integer == 2)
      let rule = try stats(["assert", directory.path("a.har"), "bypassed == 0"])
      #expect(rule.exitStatus == .exited(1))
      #expect(rule.outputText.contains("127.0.0.1:\(origin.port) (2)"), "\(rule.outputText)")
      #expect(try stats(["assert", directory.path("a.har"), "bypassed <= 2"]).exitStatus == .exited(0))
      #expect(try stats(["stats", directory.path("a.har")]).outputText.contains("2 connections past the proxy"))
    }

    @Test func aRefusedConnectionIsNotMissed() throws {
      let script = """
        import socket
        s = socket.socket(); s.bind(("127.0.0.1", 0)); port = s.getsockname()[1]; s.close()
        try: socket.create_connection(("127.0.0.1", port))
        except OSError: pass
        c = socket.socket(); c.setblocking(False); c.connect_ex(("127.0.0.1", port)); c.close()
        """
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "--require", "0", "--require-all", "-o", directory.path("a.har"), "--", pythonInterpreter(), "-c", script])
      #expect(try run.wait(seconds: 60) == .exited(0), "\(run.errorText)")
      #expect(
        run.errorText.contains(#/tried to connect to 127\.0\.0\.1:[0-9]+ by itself; the cause is unknown/#), "\(run.errorText)")
    }

    /// A program that outlives the command goes on to connect: the kernel would let its calls fail if nobody answered them.
    @Test func programsThatOutliveTheCommandStillConnect() throws {
      let result = directory.path("result")
      let script = """
        import os, socket, sys
        if os.fork(): os._exit(0)
        os.setsid()
        os.dup2(os.open("/dev/null", os.O_RDWR), 1); os.dup2(1, 2)
        s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[2] + ".door"); s.listen()
        s.accept()
        try:
            c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            text = "connected"
        except OSError as error:
            text = str(error)
        with open(sys.argv[2] + ".part", "w") as file: file.write(text)
        os.rename(sys.argv[2] + ".part", sys.argv[2])
        """
      let run = try TestProcess(
        TapelineProcess.binary,
        [
          "run", "--require", "0", "-o", directory.path("a.har"), "--", pythonInterpreter(), "-c", script, "\(origin.port)",
          result,
        ])
      #expect(try run.wait(seconds: 60) == .exited(0), "\(run.errorText)")
      let knock =
        "import socket, sys, os, time\nwhile True:\n  try:\n    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1] + '.door'); break\n  except OSError: time.sleep(0.01)\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.01)"
      let door = try TestProcess(pythonInterpreter(), ["-c", knock, result])
      try door.wait(seconds: 60)
      #expect(try String(decoding: readFile(result), as: UTF8.self) == "connected")
    }
  }
}
