import TapelineTestSupport
import Testing

/// A program's connection is accepted when its server has accepted, and fails as it would have failed without us.
extension EndToEnd.RunAll {
  @Test(arguments: ["127.0.0.1", "::1"])
  func aConnectionThatTheServerRefusesIsRefused(host: String) throws {
    let run = try Self.python(Self.connecting, [host, "1"])
    #expect(run.process.outputText == "ECONNREFUSED\n")
    #expect(run.entries.count == 1)
    let entry = try #require(run.entries.first)
    #expect(entry.method == "CONNECT")
    #expect(entry.error?["kind"]?.string == "refused", "\(entry.tree)")
    #expect(entry.tree["_door"]?["kind"]?.string == "network")
    #expect(run.process.errorText.contains("1 connection, 1 of them failed"), "\(run.process.errorText)")
  }

  @Test func aClientThatTriesAllAddressesFindsTheOneThatAnswers() throws {
    let origin = try Self.answering()
    let run = try Self.run([
      "curl", "-sS", "--noproxy", "*", "--resolve", "two.example:\(origin.port):[::1],127.0.0.1",
      "http://two.example:\(origin.port)/found",
    ])
    #expect(run.process.outputText == "the answer")
    #expect(try run.entry("/found").tree["serverIPAddress"]?.string == "127.0.0.1")
  }

  @Test func aNetworkWithoutAWayIsUnreachable() throws {
    let direct = try TestProcess("unshare", ["-Urn", "python3", "-c", Self.connecting, "192.0.2.1", "80"])
    #expect(try direct.wait().isSuccess, "\(direct.errorText)")
    let directory = try TemporaryDirectory()
    // Where tapeline itself has no network but loopback.
    let run = try TestProcess(
      "unshare",
      ["-Urn", TapelineProcess.binary, "run", "--all", "-o", directory.path("a.har"), "--", "python3", "-c", Self.connecting]
        + ["192.0.2.1", "80"])
    #expect(try run.wait().isSuccess, "\(run.errorText)")
    #expect(run.outputText == direct.outputText)
    #expect(run.outputText == "ENETUNREACH\n")
    #expect(try RecordedLog(contentsOf: directory.path("a.har")).entries.first?.error?["kind"]?.string == "unreachable")
  }

  /// Has no room for another connection until its input ends: the kernel drops the first packet of each.
  private static let busyServer = """
    import socket, sys
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(0)
    first = socket.create_connection(s.getsockname())
    print("port", s.getsockname()[1], flush=True)
    sys.stdin.read()
    s.accept()
    connection = s.accept()[0]
    connection.sendall(b"at last")
    connection.close()
    """

  @Test func aProgramWaitsForAServerThatAcceptsLate() throws {
    let server = try TestProcess("python3", ["-c", Self.busyServer], input: nil)
    let port = try server.waitForOutputLine(containing: "port ").filter(\.isNumber)
    let directory = try TemporaryDirectory()
    let script = """
      import select, socket, sys
      s = socket.socket()
      s.setblocking(False)
      s.connect_ex(("127.0.0.1", int(sys.argv[1])))
      print("connected" if select.select([], [s], [], 0.2)[1] else "waiting", flush=True)
      select.select([], [s], [])
      s.setblocking(True)
      print(s.makefile("rb").read().decode(), flush=True)
      """
    let run = try TestProcess(
      TapelineProcess.binary, ["run", "--all", "-o", directory.path("a.har"), "--", "python3", "-c", script, port])
    let first = try run.waitForOutputLine(containing: "")
    #expect(first == "waiting")
    server.closeInput()
    #expect(try run.wait().isSuccess, "\(run.errorText)")
    #expect(run.outputText == "waiting\nat last\n")
    let entry = try #require(try RecordedLog(contentsOf: directory.path("a.har")).entries.first)
    #expect(entry.error == nil, "\(entry.tree)")
    #expect(entry.phase("connect") >= 200, "\(entry.tree)")
  }

  @Test func aConnectionThatTheProgramGivesUpIsRecorded() throws {
    let server = try TestProcess("python3", ["-c", Self.busyServer], input: nil)
    let port = try server.waitForOutputLine(containing: "port ").filter(\.isNumber)
    let run = try Self.python(
      """
      import socket, sys
      s = socket.socket()
      s.settimeout(0.2)
      try:
          s.connect(("127.0.0.1", int(sys.argv[1])))
      except TimeoutError:
          print("gave up")
      """, [port])
    #expect(run.process.outputText == "gave up\n")
    let entry = try #require(run.entries.first)
    #expect(entry.tree["_ended"]?["by"]?.string == "client", "\(entry.tree)")
  }
}
