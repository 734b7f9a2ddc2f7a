import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Transfers that something holds up: the log and `show` say what it was.
  @Suite struct TransferLimits {
    private static let size = 32 * 1024 * 1024

    @Test("A client that reads slowly limits its download")
    func slowClient() throws {
      let body = patternedBytes(Self.size)
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: body)])])
      let clock = try ScriptedOrigin([.forever([.expectRequest, .delay(milliseconds: 1_500), .respond(body: "later")])])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/large")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        // Reads nothing until another server has answered.
        _ = try proxy.curl([clock.url("/clock")])
        _ = try client.receiveResponse()
      }
      let tcp = try #require(try recording.entry("/large").tree["_tcp"])
      #expect(tcp["client"]?["limitedBy"]?.string == "receiver")
      #expect((tcp["client"]?["limits"]?["receiver"]?.number ?? 0) > 0)
      #expect((tcp["client"]?["series"]?.elements ?? []).count >= 2)
      let shown = try Self.show("/large", of: recording.log)
      #expect(shown.contains("limited   by the client, which read slowly: "))
    }

    @Test("A server that writes in pauses limits its download, and each pause is in the series")
    func slowServer() throws {
      let pieces = (0..<5).map { Array("piece \($0)\n".utf8) }
      let origin = try ScriptedOrigin([.expectRequest] + OriginStep.respond(inPieces: pieces, every: 250))
      let recording = try recording { proxy in
        _ = try proxy.curl([origin.url("/pieces")])
      }
      let server = try #require(try recording.entry("/pieces").tree["_tcp"]?["server"])
      #expect(server["limitedBy"]?.string == "application")
      #expect((server["limits"]?["application"]?.number ?? 0) >= 900, "milliseconds: the server took its time")
      let series = server["series"]?.elements ?? []
      let times = series.compactMap { $0["ts"]?.integer }
      #expect(times.count >= 2 && times == times.sorted())
      #expect(series.compactMap { $0["received"]?.integer }.reduce(0, +) > 0)
      #expect(try Self.show("/pieces", of: recording.log).contains("limited   by the server, which sent no faster: "))
    }

    @Test("With --clock loop the kernel has no part in it: no stamps, no series", arguments: [false, true])
    func loopsClock(isLoops: Bool) throws {
      let pieces = (0..<3).map { Array("piece \($0)\n".utf8) }
      let origin = try ScriptedOrigin([.expectRequest] + OriginStep.respond(inPieces: pieces, every: 250))
      let recording = try recording(isLoops ? ["--clock", "loop"] : []) { proxy in
        _ = try proxy.curl([origin.url("/pieces")])
      }
      let entry = try recording.entry("/pieces").tree
      #expect((entry["_clock"]?.string == "loop") == isLoops, "\(String(describing: entry["_clock"]))")
      #expect((entry["_tcp"]?["server"]?["series"] == nil) == isLoops)
      #expect(entry["_tcp"]?["server"]?["rtt"]?.number != nil, "the state at the end of the exchange remains")
    }

    @Test("A narrow way limits a download: loopback in a network of its own, at 40 Mbit/s, which drops what is too much")
    func narrowWay() throws {
      let directory = try TemporaryDirectory()
      let script = """
        set -e
        ip link set lo mtu 1500 up
        tc qdisc add dev lo root tbf rate 40mbit burst 32k limit 64k
        truncate -s 4M large
        python3 -c 'if True:
          import http.server, socketserver, subprocess, sys, threading
          # Not the one of http.server, which looks a name up.
          http.server.HTTPServer.server_bind = socketserver.TCPServer.server_bind
          server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
          threading.Thread(target=server.serve_forever, daemon=True).start()
          url = f"http://127.0.0.1:{server.server_address[1]}/large"
          sys.exit(subprocess.run([sys.argv[1], "run", "-o", "a.har", "--", "curl", "-sS", "-o", "got", url]).returncode)
        ' "$0"
        cmp large got
        """
      let run = try TestProcess(
        "unshare", ["--net", "--map-root-user", "sh", "-c", "cd '\(directory.path)'\n" + script, TapelineProcess.binary])
      let status = try run.wait(seconds: 120)
      #expect(status.isSuccess, "\(run.errorText)")
      let log = try RecordedLog(contentsOf: directory.path("a.har"))
      let tcp = try #require(try log.entry("/large").tree["_tcp"])
      let times = ["server", "client"].map { tcp[$0]?["limits"]?["congestion"]?.number ?? 0 }
      #expect(times.contains { $0 > 0 }, "\(tcp)")
      #expect(try Self.show("/large", of: log).contains("limited   by congestion on the way "))
    }

    private static func show(_ path: String, of log: RecordedLog) throws -> String {
      let show = try TestProcess(TapelineProcess.binary, ["show", log.path, "--filter", "path == '\(path)'"])
      try show.wait()
      return show.outputText
    }
  }
}
