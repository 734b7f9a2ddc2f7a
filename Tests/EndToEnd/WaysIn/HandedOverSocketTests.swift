import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Sockets that a service manager hands over are judged by what they listen on.
  @Suite struct HandedOverSockets {
    /// Runs `record` with a socket as descriptor 3, until it listens or ends, and prints its status: `None` if it listened.
    private static let manager = """
      import os, signal, socket, sys
      binary, har, kind = sys.argv[1:4]
      if kind == 'udp': s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0))
      elif kind == 'bound': s = socket.socket(); s.bind(('127.0.0.1', 0))
      elif kind == 'packets': s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(sys.argv[4]); s.listen()
      elif kind == 'pipe': s = None
      elif kind.startswith('unix'):
          s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[4]); os.chmod(sys.argv[4], int(kind[4:], 8)); s.listen()
      elif kind == 'abstract': s = socket.socket(socket.AF_UNIX); s.bind('\\0' + sys.argv[4]); s.listen()
      else: s = socket.create_server((kind, 0), family=socket.AF_INET6 if ':' in kind else socket.AF_INET)
      descriptor = s.fileno() if s else os.pipe()[0]
      read, write = os.pipe()
      pid = os.fork()
      if pid == 0:
          os.dup2(write, 2)
          os.set_inheritable(3, True) if descriptor == 3 else os.dup2(descriptor, 3)
          os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))
          os.execv(binary, [binary, 'record', '--output', har] + sys.argv[5:])
      os.close(write)
      lines = []
      for line in open(read):
          lines.append(line)
          if 'listening on' in line: break
      listens = bool(lines) and 'listening on' in lines[-1]
      if listens: os.kill(pid, signal.SIGTERM)
      status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
      print('listens' if listens else status)
      sys.stderr.write(''.join(lines))
      """

    private func hand(_ kind: String, _ options: [String] = []) throws -> (outcome: String, errors: String) {
      let directory = try TemporaryDirectory()
      // Others may enter it: the socket's own mode decides.
      try #require(try TestProcess("chmod", ["755", directory.path]).wait().isSuccess)
      let path =
        kind == "abstract" ? "tapeline-test-\(directory.path.split(separator: "/").last ?? "")" : directory.path("s.sock")
      let manager = try TestProcess(
        pythonInterpreter(), ["-c", Self.manager, TapelineProcess.binary, directory.path("a.har"), kind, path] + options)
      try #require(try manager.wait(seconds: 60).isSuccess, "\(manager.errorText)")
      return (manager.outputText.filter { !$0.isNewline }, manager.errorText)
    }

    @Test("An address that others can reach needs --allow-remote, and a warning", arguments: ["0.0.0.0", "::"])
    func remote(address: String) throws {
      let refused = try hand(address)
      #expect(refused.outcome == "64" && refused.errors.contains("add --allow-remote"), "\(refused)")
      let allowed = try hand(address, ["--allow-remote"])
      #expect(allowed.outcome == "listens" && allowed.errors.contains("everybody who can reach this machine"), "\(allowed)")
      #expect(try !hand(address, ["--allow-remote", "--auth", "me:secret"]).errors.contains("everybody"))
    }

    @Test("What listens for no streams is refused", arguments: ["udp", "bound", "packets", "pipe"])
    func kinds(kind: String) throws {
      let refused = try hand(kind)
      #expect(
        refused.outcome == "64" && refused.errors.contains("no socket that listens for connections of streams"), "\(refused)")
    }

    @Test(
      "A local socket that lets every user in gets a warning, others get none",
      arguments: [
        ("unix666", true), ("unix662", true), ("unix660", false), ("unix600", false), ("abstract", true), ("127.0.0.1", false),
        ("::1", false),
      ])
    func modes(kind: String, warns: Bool) throws {
      let started = try hand(kind)
      #expect(started.outcome == "listens", "\(started)")
      #expect(started.errors.contains("lets every user of this machine use the proxy") == warns, "\(started)")
      #expect(try !hand(kind, ["--auth", "me:secret"]).errors.contains("lets every user"))
    }

    @Test("A command does not get the variables by which a service manager speaks to tapeline")
    func variables() throws {
      let directory = try TemporaryDirectory()
      let names = ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"]
      let variables = Dictionary(uniqueKeysWithValues: names.map { ($0, "7") } + [("LISTEN_ELSE", "kept")])
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "--require", "0", "-o", directory.path("a.har"), "--", "env"], environment: variables)
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      let found = run.outputText.split(separator: "\n").filter { line in
        (names + ["LISTEN_ELSE"]).contains { line.hasPrefix("\($0)=") }
      }
      #expect(found == ["LISTEN_ELSE=kept"])
    }
  }
}
