import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The debug description of an exchange and its entry say the same of status, bytes, outcome and time, whatever became of it.
  @Suite struct Agreement {
    private let authority: TestAuthority
    private let authorityDirectory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      authorityDirectory = try TemporaryDirectory()
    }

    /// What clients and servers do to each other in clear, and what becomes of it: the method, the end of the URL, how it ended.
    private static let kinds: [(method: String, suffix: String, end: End)] = [
      ("GET", "/whole", .success), ("GET", "/refused", .failure("connect")), ("GET", ".invalid/unknown", .failure("dns")),
      ("GET", "/dies", .failure("receive")), ("GET", "/silent", .failure("wait")), ("GET", "/impatient", .ended("wait")),
      ("GET", "/stream", .ended("receive")), ("INVALID", "/", .failure("request")), ("GET", "/chat", .success),
      ("CONNECT", "/", .success), ("CONNECT", ":1/", .failure("connect")),
    ]

    private enum End: Equatable {
      case success
      case failure(String)
      case ended(String)
    }

    @Test func inClearAndInTunnels() throws {
      let server = try WebSocketPeers.startEchoServer(identity: nil)
      let origins = try [
        "/whole": ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd]),
        "/dies": ScriptedOrigin([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"), .close]),
        "/silent": ScriptedOrigin([.expectRequest, .close]),
        "/impatient": ScriptedOrigin([.expectRequest, .expectEnd]),
        "/stream": ScriptedOrigin([
          .expectRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"), .expectEnd,
        ]),
      ]
      let greeting = try ScriptedOrigin([.send("ready"), .close])
      let recording = try recording(["--debug-entries"]) { proxy in
        for (path, origin) in origins {
          let client = try proxy.request("GET \(origin.url(path)) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
          switch path {
          case "/impatient": _ = try origin.waitForRequests(1)
          case "/stream": _ = try client.receive(through: "one")
          default: _ = try client.receiveHead()
          }
          client.close()
          _ = try origin.waitForFinished(1)
        }
        for target in ["http://127.0.0.1:1/refused", "http://nowhere.invalid/unknown"] {
          let client = try proxy.request("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
          #expect(try client.receiveResponse().status == 502)
        }
        #expect(try proxy.request("no request\r\n\r\n").receiveResponse().status == 400)
        let tunnel = try proxy.request("CONNECT \(greeting.authority) HTTP/1.1\r\nHost: \(greeting.authority)\r\n\r\n")
        _ = try tunnel.receive(through: "ready")
        tunnel.close()
        _ = try greeting.waitForFinished(1)
        let refused = try proxy.request("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
        #expect(try refused.receiveResponse().status == 502)
        let command = WebSocketPeers.client(["ws://localhost:\(server.port)/chat", "absolute", "\(proxy.port)", "", ""])
        let chat = try TestProcess(command[0], Array(command.dropFirst()))
        #expect(try chat.wait().isSuccess, "\(chat.errorText)")
      }
      #expect(recording.entries.count == Self.kinds.count, "\(recording.entries.map { "\($0.method) \($0.url)" })")
      for kind in Self.kinds {
        let entries = recording.entries.filter { $0.method == kind.method && $0.url.hasSuffix(kind.suffix) }
        #expect(entries.contains { end(of: $0) == kind.end }, "\(kind): \(entries.map { end(of: $0) })")
      }
      for entry in recording.entries { expectAgreement(entry) }
    }

    @Test func ofTheFirstAndTheLaterRequestsInATunnel() throws {
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("one".utf8), as: "one.txt")
      let options = [
        "--debug-entries", "--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate,
      ]
      let recording = try recording(options) { proxy in
        let url = "https://localhost:\(server.tlsPort)/one.txt"
        let curl = try proxy.curl(["--cacert", authorityDirectory.path("ca.pem"), url + "?first", url + "?later"])
        #expect(curl.outputText == "oneone", "\(curl.errorText)")
        // A client that does not know us: its tunnel fails in TLS.
        #expect(try proxy.curl([url]).exitStatus != .exited(0))
      }
      let first = try recording.entry("?first")
      #expect(first.phase("ssl") > 0)
      #expect(try recording.entry("?later").phase("connect") == -1)
      let parts = ["client", "proxy", "connection"].compactMap { first.tree["_blocked"]?[$0]?.number }
      #expect(parts.count == 3 && (parts.reduce(0, +) - first.phase("blocked")).magnitude < 0.0005, "whose time blocked was")
      #expect((parts.first ?? 0) > 0, "curl reads its authorities")
      for entry in recording.entries { expectAgreement(entry) }
    }

    @Test func ofAnExchangeThatALimitOfOursEnded() throws {
      let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
      let recording = try recording(["--debug-entries", "--response-timeout", "50ms"]) { proxy in
        let client = try proxy.request("GET \(origin.url("/late")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 504)
      }
      let entry = try recording.entry("/late")
      #expect(entry.error?["origin"]?.string == "local" && entry.error?["option"]?.string == "--response-timeout")
      expectAgreement(entry)
      let show = try TestProcess(TapelineProcess.binary, ["show", recording.log.path, "1"])
      #expect(try show.wait().isSuccess)
      #expect(show.outputText.contains("failure   local timed-out in wait (--response-timeout): "), "\(show.outputText)")
    }

    private func end(of entry: RecordedEntry) -> End {
      if let error = entry.error { return .failure(error["phase"]?.string ?? "") }
      return entry.tree["_ended"].map { .ended($0["phase"]?.string ?? "") } ?? .success
    }

    private func expectAgreement(_ entry: RecordedEntry, sourceLocation: SourceLocation = #_sourceLocation) {
      let text = entry.tree["_debug"]?.string ?? ""
      let lines = text.split(separator: "\n").map(String.init)
      let what = "\(entry.method) \(entry.url)\n\(text)\n\(entry.tree)"
      guard lines.count == 5 else {
        Issue.record("five lines: \(what)", sourceLocation: sourceLocation)
        return
      }
      switch entry.method {
      case "INVALID": #expect(lines[0] == "[Request]: nil", "\(what)", sourceLocation: sourceLocation)
      case "CONNECT": #expect(lines[0].hasPrefix("[Request]: CONNECT "), "\(what)", sourceLocation: sourceLocation)
      default: #expect(lines[0] == "[Request]: \(entry.method) \(entry.url)", "\(what)", sourceLocation: sourceLocation)
      }
      let status = entry.status ?? -1
      let isStatusSaid = status == 0 ? lines[1] == "[Response]: nil" : lines[1].contains(", Status Code: \(status), ")
      #expect(isStatusSaid, "\(what)", sourceLocation: sourceLocation)
      let size = max(0, entry.responseBodySize ?? -1)
      #expect(lines[2] == "[Data]: \(size) bytes", "\(what)", sourceLocation: sourceLocation)
      let result =
        switch end(of: entry) {
        case .success: "SUCCESS: \(size) bytes"
        case .ended(let phase): "ENDED: by the client in \(phase), \(size) bytes"
        case .failure(let phase):
          "FAILURE: \(word("origin", entry)) \(word("kind", entry)) in \(phase): \(word("message", entry))"
        }
      #expect(lines[3] == "[Result]: \(result)", "\(what)", sourceLocation: sourceLocation)
      let timeline = entry.tree["_timeline"]
      #expect(
        lines[4] == "[Timeline]: \(timeline?["description"]?.string ?? "")", "\(what)", sourceLocation: sourceLocation)
      // It begins with the entry, and the whole of the entry's time lies within it; each is rounded to microseconds.
      let total = (timeline?["totalDuration"]?.number ?? -1) * 1_000
      #expect(total >= entry.time - 0.01, "\(total) of \(entry.time): \(what)", sourceLocation: sourceLocation)
      let start = timeline?["requestStartTime"]?.number ?? 0
      let began = secondsOfDay(entry.tree["startedDateTime"]?.string ?? "")
      let apart = (start - began).remainder(dividingBy: 86_400).magnitude
      #expect(apart < 0.000_01, "\(apart) s apart: \(what)", sourceLocation: sourceLocation)
    }

    private func word(_ name: String, _ entry: RecordedEntry) -> String {
      entry.error?[name]?.string ?? ""
    }

    /// The seconds of `2026-01-02T03:04:05.678901Z`. A timeline counts from a midnight too.
    private func secondsOfDay(_ date: String) -> Double {
      let parts = date.split(separator: "T").last?.dropLast().split(separator: ":").compactMap { Double($0) } ?? []
      return parts.count == 3 ? parts[0] * 3_600 + parts[1] * 60 + parts[2] : -1
    }
  }
}
