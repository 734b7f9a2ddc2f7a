import TapelineTestSupport
import Testing

private enum PacketCaptures {
  static var arePossible: Bool { (try? TestProcess("unshare", ["--net", "--map-root-user", "true"]).wait()) == .exited(0) }
}

extension EndToEnd {
  /// Packets of real clients and servers on a loopback of their own, as dumpcap writes them.
  @Suite(.enabled(if: PacketCaptures.arePossible, "this system lets nobody make networks"))
  struct PacketImports {
    /// curl asks a server of HTTP/1.1 in clear, one of HTTP/2 in TLS, and a port where nobody listens.
    private static let session = """
      set -e
      ip link set lo up
      dumpcap -q -i lo -w capture.pcapng 2>dumpcap.log &
      capture=$!
      python3 server.py >server.log & server=$!
      nghttpd --verbose --address=127.0.0.1 --htdocs=. 8443 "$KEY" "$CERTIFICATE" >nghttpd.log & secure=$!
      await() { for _ in $(seq 200); do if grep -q "$1" "$2" 2>/dev/null; then return; fi; sleep 0.05; done; cat "$2" >&2; exit 1; }
      await File: dumpcap.log; await ready server.log; await listen nghttpd.log
      export SSLKEYLOGFILE=keys.txt
      curl -sS http://localhost:8080/chunked http://localhost:8080/gzip -o /dev/null -o /dev/null
      curl -sS -d token=hunter2hunter2 http://localhost:8080/post -o /dev/null
      curl -sS http://localhost:8080/reset -o /dev/null || true
      curl -sS --cacert "$AUTHORITY" https://localhost:8443/file https://localhost:8443/none -o /dev/null -o /dev/null
      # Packets are written in their order, so the last of them says that all are there.
      python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"the last packet", ("127.0.0.1", 9))'
      await "the last packet" capture.pcapng
      kill -INT $capture; wait $capture || true
      kill $server $secure
      """

    private static let server = """
      import gzip, http.server, socket, struct

      class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"

          def do_GET(self):
              if self.path == "/reset":
                  self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                  self.close_connection = True
                  self.connection.close()
                  raise ConnectionResetError
              body = gzip.compress(b"decoded") if self.path == "/gzip" else b"5\\r\\nhello\\r\\n6\\r\\n world\\r\\n0\\r\\n\\r\\n"
              self.send_response(200)
              self.send_header("Content-Type", "text/plain")
              if self.path == "/gzip":
                  self.send_header("Content-Encoding", "gzip")
                  self.send_header("Content-Length", str(len(body)))
              else:
                  self.send_header("Transfer-Encoding", "chunked")
              self.end_headers()
              self.wfile.write(body)

          def do_POST(self):
              self.rfile.read(int(self.headers["Content-Length"]))
              self.send_response(204)
              self.end_headers()

          def log_message(self, *_):
              pass

      class Server(http.server.ThreadingHTTPServer):
          def handle_error(self, *_):
              pass

      server = Server(("127.0.0.1", 8080), Handler)
      print("ready", flush=True)
      server.serve_forever()
      """

    private struct Captured {
      let directory: TemporaryDirectory
      var capture: String { directory.path("capture.pcapng") }
      var keys: String { directory.path("keys.txt") }
    }

    /// One capture for all tests: making it takes longer than reading it.
    private static let shared = Result { try capture() }

    private static func captured() throws -> Captured { try shared.get() }

    private static func capture() throws -> Captured {
      let directory = try TemporaryDirectory()
      let authority = try TestAuthority()
      let identity = try authority.issue()
      try directory.write(server, to: "server.py")
      try directory.write("secure\n", to: "file")
      let process = try TestProcess(
        "unshare", ["--net", "--map-root-user", "sh", "-c", "cd '\(directory.path)'\n\(session)"],
        environment: [
          "KEY": identity.key, "CERTIFICATE": identity.certificate, "AUTHORITY": authority.certificate,
          "PATH": (environmentVariable("PATH") ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin",
        ])
      try #require(try process.wait(seconds: 60) == .exited(0), "\(process.errorText)")
      return Captured(directory: directory)
    }

    private static func imported(_ captured: Captured, _ options: [String]) throws -> (log: RecordedLog, errors: String) {
      let output = captured.directory.path("out-\(options.count).har")
      let process = try TestProcess(TapelineProcess.binary, ["import", "pcap", captured.capture, "-o", output] + options)
      #expect(try process.wait(seconds: 60) == .exited(0), "\(process.errorText)")
      let log = try RecordedLog(contentsOf: output)
      #expect(violations(in: log).isEmpty, "\(violations(in: log))")
      return (log, process.errorText)
    }

    /// What tshark itself prints of the packets that match.
    private static func judged(_ captured: Captured, _ filter: String, _ fields: [String]) throws -> [[String]] {
      let process = try TestProcess(
        "tshark",
        ["-n", "-r", captured.capture, "-o", "tls.keylog_file:\(captured.keys)", "-Y", filter, "-T", "fields"]
          + fields.flatMap { ["-e", $0] })
      try #require(try process.wait(seconds: 60) == .exited(0), "\(process.errorText)")
      return process.outputText.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }

    @Test func aSessionIsWhatTsharkSaysOfIt() throws {
      let captured = try Self.captured()
      let (log, _) = try Self.imported(captured, ["--keys", captured.keys])
      let paths = ["/chunked", "/gzip", "/post", "/reset", "/file", "/none"]
      #expect(log.entries.map { String($0.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }) } == paths)
      #expect(log.entries.map(\.status) == [200, 200, 204, 0, 200, 404])
      #expect(log.entries[0].contentText == "hello world" && log.entries[0].responseBodySize == 11)
      #expect(log.entries[1].contentText == "decoded")
      #expect(log.entries[2].postText?.hasPrefix("token=SENSITIVE_") == true)
      #expect(log.entries[3].error?["kind"]?.string == "reset")
      #expect(log.entries[4].contentText == "secure\n")
      #expect(log.entries[4].phase("ssl") > 0 && log.entries[5].phase("connect") == -1)
      #expect(log.entries[0].connectionID == log.entries[1].connectionID)
      #expect(!(try readText(log.path)).contains("hunter2"))
      try HARValidators.expectAccepted(log.path)

      let times = try Self.judged(captured, "http.response", ["http.time", "http.response.code"])
      #expect(times.compactMap { Int($0.last ?? "") } == [200, 200, 204])
      for (entry, time) in zip(log.entries, times.compactMap { Double($0.first ?? "") }) {
        // To the microsecond of each of our two phases.
        #expect(abs(entry.phase("wait") + entry.phase("receive") - time * 1_000) < 0.003, "\(entry.url)")
      }
      let connecting = try Self.judged(captured, "tcp.flags.syn == 1 && tcp.flags.ack == 1", ["tcp.time_delta", "tcp.stream"])
      #expect(connecting.count == 4)
      for (entry, row) in zip([log.entries[0]] + log.entries[2...4], connecting) {
        #expect(entry.phase("connect") * 1_000 >= (Double(row[0]) ?? .infinity) * 1_000_000 - 1, "\(entry.url)")
      }
      let streams = try Self.judged(captured, "http2.headers.status", ["http2.streamid", "http2.headers.status"])
      let answered = streams.map { [$0[0].split(separator: ",").last.map(String.init) ?? "", $0[1]] }
      #expect(
        answered
          == log.entries[4...].map { ["\($0.tree["_http2"]?["streamId"]?.integer ?? 0)", "\($0.status ?? 0)"] })
      // Each question and its answer, by the times of the packets that complete their records.
      func moments(_ filter: String) throws -> [Double] {
        try Self.judged(captured, filter, ["frame.time_epoch"]).compactMap { Double($0.first ?? "") }
      }
      let (asked, told) = (try moments("http2.headers.method"), try moments("http2.headers.status"))
      #expect(asked.count == 2 && told.count == 2)
      for (entry, (start, end)) in zip(log.entries[4...], zip(asked, told)) {
        #expect(abs(entry.phase("wait") - (end - start) * 1_000) < 0.003, "\(entry.url)")
      }
    }

    @Test func withoutKeysTheRestIsReadAndCounted() throws {
      let captured = try Self.captured()
      let (log, errors) = try Self.imported(captured, [])
      #expect(log.entries.count == 4)
      #expect(errors.contains("1 connection of TLS without secrets"), "\(errors)")
    }

    @Test func aCutCaptureIsReadUpToTheCut() throws {
      let captured = try Self.captured()
      let whole = try readFile(captured.capture)
      let cut = try captured.directory.write(Array(whole.dropLast(160)), to: "cut.pcapng")
      let output = captured.directory.path("cut.har")
      let process = try TestProcess(TapelineProcess.binary, ["import", "pcap", cut, "-o", output])
      #expect(try process.wait(seconds: 60) == .exited(65))
      #expect(process.errorText.contains("everything before that"), "\(process.errorText)")
      #expect(try RecordedLog(contentsOf: output).entries.count >= 4)
    }

    @Test func badInputIsSaid() throws {
      let directory = try TemporaryDirectory()
      let foreign = try directory.write("no capture\n", to: "foreign")
      func tapeline(_ arguments: [String], path: String? = nil) throws -> TestProcess {
        let process = try TestProcess(
          TapelineProcess.binary, ["import", "pcap"] + arguments + ["-o", directory.path("out.har")],
          environment: path.map { ["PATH": $0] } ?? [:])
        try process.wait(seconds: 60)
        return process
      }
      #expect(try tapeline([foreign]).exitStatus == .exited(65))
      #expect(try tapeline([foreign, "--keys", directory.path("none")]).errorText.contains("--keys"))
      let missing = try tapeline([foreign], path: directory.path)
      #expect(missing.exitStatus == .exited(69))
      #expect(missing.errorText.contains("install it"), "\(missing.errorText)")
      #expect(!fileExists(directory.path("out.har")))
    }
  }
}
