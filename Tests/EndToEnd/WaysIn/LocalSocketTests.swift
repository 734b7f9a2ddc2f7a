import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Listeners that are not addresses of our own choice: local sockets, and those that a service manager hands over.
  @Suite struct LocalSockets {
    private func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
    }

    @Test("Clients reach the proxy at a path, in HTTP and in SOCKS; the name goes with the recording")
    func path() throws {
      let origin = try origin()
      let directory = try TemporaryDirectory()
      let path = directory.path("proxy.sock")
      let recording = try recording(["--listen", "unix:\(path)"]) { proxy in
        #expect(try fileMode(path) & 0o777 == 0o600)
        let script = """
          import socket, sys
          s = socket.socket(socket.AF_UNIX)
          s.connect(sys.argv[1])
          s.sendall(f'GET {sys.argv[2]} HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n'.encode())
          answer = b''.join(iter(lambda: s.recv(4096), b''))
          assert answer.endswith(b'hello'), answer
          """
        let client = try TestProcess(pythonInterpreter(), ["-c", script, path, origin.url("/http")])
        #expect(try client.wait().isSuccess, "\(client.errorText)")
        let curl = try TestProcess(
          "curl", ["-sS", "--noproxy", "", "--proxy", "socks5h://localhost\(path)", origin.url("/socks")])
        #expect(try curl.wait().isSuccess, "\(curl.errorText)")
        #expect(curl.outputText == "hello")
        // The pages, as at an address.
        let page = try TestProcess("curl", ["-sS", "--noproxy", "*", "--unix-socket", path, "http://localhost/"])
        #expect(try page.wait().isSuccess, "\(page.errorText)")
        #expect(page.outputText.contains("tapeline"))
        #expect(proxy.process.errorText.contains("unix:\(path)"))
      }
      #expect(recording.entries.prefix(2).map(\.url) == [origin.url("/http"), origin.url("/socks")])
      #expect(recording.entries.allSatisfy { $0.tree["_clientAddress"]?.string == "local" })
      let gone = try TestProcess("test", ["-e", path])
      #expect(try gone.wait() == .exited(1))
    }

    @Test("A socket that was handed over is served, and the manager hears of readiness and the end")
    func activation() throws {
      let origin = try origin()
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let script = """
        import os, signal, socket, subprocess, sys
        binary, har, notify, url = sys.argv[1:]
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind(notify)
        manager.settimeout(60)
        listener = socket.create_server(('127.0.0.1', 0))
        port = listener.getsockname()[1]
        pid = os.fork()
        if pid == 0:
            os.dup2(listener.fileno(), 3)
            os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()), NOTIFY_SOCKET=notify)
            os.execv(binary, [binary, 'record', '--output', har])
        assert manager.recv(64) == b'READY=1'
        body = subprocess.check_output(['curl', '-sS', '--noproxy', '', '--proxy', f'http://127.0.0.1:{port}', url])
        assert body == b'hello', body
        os.kill(pid, signal.SIGTERM)
        assert manager.recv(64) == b'STOPPING=1'
        assert os.waitpid(pid, 0)[1] == 0
        """
      let manager = try TestProcess(
        pythonInterpreter(), ["-c", script, TapelineProcess.binary, har, directory.path("notify"), origin.url("/activated")])
      #expect(try manager.wait(seconds: 120).isSuccess, "\(manager.errorText)")
      #expect(try RecordedLog(contentsOf: har).entry("/activated").status == 200)
    }

    @Test("systemd-socket-activate hands its socket over when the first client comes")
    func systemd() throws {
      let origin = try origin()
      let directory = try TemporaryDirectory()
      let (path, har) = (directory.path("activated.sock"), directory.path("a.har"))
      let manager = try TestProcess(
        "systemd-socket-activate", ["--listen", path, TapelineProcess.binary, "record", "--output", har])
      _ = try manager.waitForErrorLine(containing: "Listening on")
      let curl = try TestProcess(
        "curl", ["-sS", "--noproxy", "", "--proxy", "socks5h://localhost\(path)", origin.url("/activated")])
      #expect(try curl.wait(seconds: 60).isSuccess, "\(curl.errorText) \(manager.errorText)")
      #expect(curl.outputText == "hello")
      // It has become tapeline.
      manager.signal(ProcessSignal.terminate)
      #expect(try manager.wait(seconds: 60).isSuccess, "\(manager.errorText)")
      let entry = try RecordedLog(contentsOf: har).entry("/activated")
      #expect(entry.status == 200 && entry.tree["_clientAddress"]?.string == "local")
    }
  }
}
