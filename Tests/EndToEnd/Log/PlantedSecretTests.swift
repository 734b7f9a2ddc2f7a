import TapelineTestSupport
import Testing

extension EndToEnd.Redaction {
  /// The one gate: secrets in every place of messages in every version, and everything that then leaves the process.
  @Suite struct Planted {
    private struct Exchange {
      let request: PlantedSecret
      let response: PlantedSecret
      var target = ""
      var line: (name: String, value: String)?
      var answerLine: (name: String, value: String)?
    }

    /// Answers `/N…` by what the plan has under N, in pieces of seven bytes: a secret is cut by their borders.
    private static let origin = """
      import json, os
      plan = json.load(open(os.environ["PLAN"]))

      async def app(scope, receive, send):
          if scope["type"] != "http":
              return
          while (await receive()).get("more_body"):
              pass
          answer = plan[scope["path"].split("/")[1]]
          headers = [(n.lower().encode(), v.encode()) for n, v in answer["headers"]]
          await send({"type": "http.response.start", "status": 200, "headers": headers})
          body = answer["body"].encode()
          for start in range(0, len(body), 7):
              await send({"type": "http.response.body", "body": body[start:start + 7], "more_body": True})
          await send({"type": "http.response.body", "body": b""})
      """

    /// Says each text of the plan over a WebSocket, and is told it again.
    private static let sockets = """
      import json, sys
      from websockets.sync.client import connect
      with connect(sys.argv[1], proxy=sys.argv[2], max_size=None) as socket:
          for number, text in enumerate(json.load(open(sys.argv[3]))):
              socket.send(text.encode() if number % 2 else text)
              socket.recv()
      """

    private var planter = SecretPlanter()
    private var secrets: [String] = []

    /// A body in both directions for each kind of text, and beside it a line or a target, as far as there are some.
    private mutating func exchanges() -> [Exchange] {
      let (asked, answered) = (planter.bodies(), planter.bodies())
      var exchanges = zip(asked, answered).map { Exchange(request: $0, response: $1) }
      secrets += (asked + answered).map(\.secret)
      for (place, line) in planter.requestLines().enumerated() {
        exchanges[place].line = (line.name, line.value)
        secrets.append(line.secret)
      }
      for (place, line) in planter.responseLines().enumerated() {
        exchanges[place].answerLine = (line.name, line.value)
        secrets.append(line.secret)
      }
      for (place, target) in planter.targets().enumerated() {
        exchanges[exchanges.count - 1 - place].target = target.target
        secrets.append(target.secret)
      }
      return exchanges
    }

    private static func plan(_ exchanges: [Exchange]) -> String {
      let answers = exchanges.enumerated().map { number, exchange in
        let lines = [("Content-Type", exchange.response.type)] + (exchange.answerLine.map { [($0.name, $0.value)] } ?? [])
        let headers = lines.map { JSONText.array([$0.0, $0.1]) }.joined(separator: ",")
        return #""\#(number)":{"headers":[\#(headers)],"body":\#(JSONText.quoted(exchange.response.text))}"#
      }
      return "{\(answers.joined(separator: ","))}"
    }

    /// What curl reads as `--config`.
    private static func calls(_ exchanges: [Exchange], at base: String, options: [String], in directory: String) throws -> String
    {
      func quoted(_ text: String) -> String { "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
      return exchanges.enumerated().map { number, exchange in
        let file = "\(directory)/\(number).body"
        var lines = ["url = \(quoted("\(base)/\(number)\(exchange.target)"))", "data-binary = \(quoted("@\(file)"))"]
        lines += ["header = \(quoted("Content-Type: \(exchange.request.type)"))", "output = \"/dev/null\"", "globoff"]
        if let line = exchange.line { lines.append("header = \(quoted("\(line.name): \(line.value)"))") }
        return (lines + options).joined(separator: "\n")
      }.joined(separator: "\nnext\n")
    }

    private static func serve(_ plan: String, _ words: [String], in directory: TemporaryDirectory) throws -> (TestProcess, Int) {
      try directory.write(origin, to: "app.py")
      let server = try TestProcess(
        pythonInterpreter(), ["-m", "hypercorn", "--bind", "127.0.0.1:0"] + words + ["\(directory.path)/app:app"],
        environment: ["PLAN": try directory.write(plan, to: "plan.json")])
      let line = try server.waitForErrorLine(containing: "Running on http", seconds: 60)
      return (server, try #require(Int(line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber } ?? "")))
    }

    /// One after the other: a version of HTTP, in clear or in TLS.
    private mutating func visit(_ proxy: TapelineProcess, _ authority: TestAuthority, version: String, isSecure: Bool, ca: String)
      throws
    {
      let directory = try TemporaryDirectory()
      let exchanges = exchanges()
      for (number, exchange) in exchanges.enumerated() { try directory.write(exchange.request.text, to: "\(number).body") }
      let identity = try authority.issue()
      let (server, port) = try Self.serve(
        Self.plan(exchanges), isSecure ? ["--certfile", identity.certificate, "--keyfile", identity.key] : [], in: directory)
      let config = try directory.write(
        Self.calls(
          exchanges, at: "http\(isSecure ? "s" : "")://localhost:\(port)",
          options: ["cacert = \"\(ca)\"", version, "proxy = \"\(proxy.url)\"", "noproxy = \"\""],
          in: directory.path), to: "calls")
      let curl = try TestProcess("curl", ["-sS", "--fail-early", "--config", config])
      #expect(try curl.wait(seconds: 120).isSuccess, "\(curl.errorText)\(proxy.process.errorText)")
      server.signal(15)
    }

    /// Messages in both directions, as text and as bytes.
    private mutating func speak(_ proxy: TapelineProcess) throws {
      let directory = try TemporaryDirectory()
      // A message has no type, without which tables, parts, and escapes in a name are not seen.
      let texts = planter.bodies().filter {
        !["text/csv", "multipart/form-data; boundary=b"].contains($0.type) && !$0.text.hasPrefix("pass%77ord")
      }
      secrets += texts.map(\.secret)
      let plan = try directory.write(JSONText.array(texts.map(\.text)), to: "texts.json")
      let (server, port) = try WebSocketPeers.startEchoServer(identity: nil)
      let client = try TestProcess(
        pythonInterpreter(), ["-c", Self.sockets, "ws://localhost:\(port)/", proxy.url, plan])
      #expect(try client.wait(seconds: 60).isSuccess, "\(client.errorText)")
      server.signal(15)
    }

    /// Trailers, interim responses and reasons of HTTP/1, and failures that repeat what a peer has said.
    private mutating func answerOddly(_ proxy: TapelineProcess) throws {
      let lines = planter.responseLines() + planter.responseLines()
      secrets += lines.map(\.secret)
      let fields = lines.map { "\($0.name): \($0.value)\r\n" }
      let half = fields.count / 2
      let reason = planter.targets()[9]
      secrets.append(reason.secret)
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send("HTTP/1.1 103 Early Hints\r\n\(fields[..<half].joined())\r\n"),
        .send(
          "HTTP/1.1 200 see \(reason.target)\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n1\r\nx\r\n0\r\n\(fields[half...].joined())\r\n"
        ),
        .expectRequest, .send("HTTP/1.1 200 OK\r\nX-Api-Key: \(fields[0].dropLast(2))\r\nContent-Length: 1\u{0}\r\n\r\n"), .close,
      ])
      let curl = try proxy.curl(["-o", "/dev/null", origin.url("/odd"), "-o", "/dev/null", origin.url("/broken")])
      #expect(curl.exitStatus?.isSuccess == true || curl.errorText.contains("Connection"), "\(curl.errorText)")
    }

    /// The secrets, and of each what does not depend on its place where it is a part of base64.
    private var spellings: [String] {
      secrets
        + secrets.flatMap { secret in
          (0..<3).map { shift in
            let encoded = base64(Array(repeating: UInt8(ascii: "x"), count: shift) + Array(secret.utf8))
            return String(encoded.dropFirst(shift == 0 ? 0 : 4).dropLast(3))
          }
        }
    }

    /// By grep, which looks for all of them at once.
    private func expectNone(
      in bytes: [UInt8], of output: String, in directory: borrowing TemporaryDirectory,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let patterns = try directory.write(spellings.joined(separator: "\n"), to: "patterns")
      let text = try directory.write(bytes.filter { $0 != 0 }, to: "searched")
      let grep = try TestProcess("grep", ["-a", "-o", "-F", "-f", patterns, text])
      #expect(
        try grep.wait(seconds: 60) == .exited(1), "\(output): \(grep.outputText.prefix(2_000))", sourceLocation: sourceLocation)
    }

    private func base64(_ bytes: [UInt8]) -> String {
      let table = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
      var text = ""
      for start in stride(from: 0, to: bytes.count - bytes.count % 3, by: 3) {
        let group = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        for shift in [18, 12, 6, 0] { text.append(table[group >> shift & 63]) }
      }
      return text
    }

    private static func output(_ words: [String]) throws -> [UInt8] {
      let process = try TestProcess(words[0], Array(words[1...]))
      try process.wait(seconds: 120)
      return process.standardOutput + Array(process.errorText.utf8)
    }

    @Test("Of three hundred secrets in all places, none is in any byte that leaves the process")
    mutating func nothingLeaves() throws {
      let directory = try TemporaryDirectory()
      let authority = try TestAuthority()
      let collector = try Collector()
      let out = directory.path("out")
      _ = try TestProcess("mkdir", [out]).wait()
      var outputs: [(name: String, bytes: [UInt8])] = []
      var gate = self
      let recording = try recording([
        "--intercept", "--ca-dir", directory.path("ca"), "--upstream-ca", authority.certificate, "--debug-log", "\(out)/debug",
        "--bodies-dir", "\(out)/bodies", "--otlp", collector.url, "--otlp-metrics", "--verbose",
      ]) { proxy in
        let panel = try DevToolsClient(proxy)
        try panel.send(1, "Network.enable")
        let ca = directory.path("ca.pem")
        let exported = try TestProcess(TapelineProcess.binary, ["ca", "export", "--ca-dir", directory.path("ca"), "-o", ca])
        #expect(try exported.wait().isSuccess, "\(exported.errorText)")
        try gate.visit(proxy, authority, version: "http1.1", isSecure: false, ca: ca)
        try gate.visit(proxy, authority, version: "http2", isSecure: true, ca: ca)
        try gate.visit(proxy, authority, version: "http1.1", isSecure: true, ca: ca)
        try gate.speak(proxy)
        try gate.answerOddly(proxy)
        for words in [["status"], ["status", "--json"], ["top", "--once"], ["snapshot", "-o", "\(out)/snapshot.har"]] {
          let control = try proxy.control(words)
          outputs.append((words.joined(separator: " "), control.standardOutput + Array(control.errorText.utf8)))
        }
        let live = try proxy.liveURL
        let curl = ["curl", "-gsS", "--noproxy", "*", "--max-time", "3"]
        outputs.append(("metrics", try Self.output(curl + ["\(proxy.url)/metrics"])))
        outputs.append(("events", try Self.output(curl + [live.replacing("/live", with: "/live/events")])))
        outputs.append(("details", try Self.output(curl + [live.replacing("/live", with: "/live/exchange/[1-140]")])))
        outputs.append(("page", try Self.output(curl + [live])))
        for number in 1...140 {
          try panel.send(100 + number, "Network.getResponseBody", #"{"requestId":"\#(number)"}"#)
          try panel.send(300 + number, "Network.getRequestPostData", #"{"requestId":"\#(number)"}"#)
        }
        try panel.send(999, "Page.getResourceTree")
        var told: [UInt8] = []
        while true {
          let frame = try panel.receiveFrame()
          told += frame.payload
          if frame.payload.starts(with: Array(#"{"id":999"#.utf8)) { break }
        }
        outputs.append(("DevTools", told))
      }
      #expect(gate.secrets.count >= 300 && Set(gate.secrets).count == gate.secrets.count, "\(gate.secrets.count)")
      #expect(recording.entries.count > 110)
      try HARValidators.expectAccepted(recording.log.path)

      let har = recording.log.path
      let tapeline = try TapelineProcess.binary
      for words in [
        ["list", har, "--json"], ["list", har, "--csv"], ["list", har, "--sort", "-total"], ["show", har, "1-200"],
        ["show", har, "1-200", "--curl"], ["show", har, "1-200", "--json"], ["stats", har, "--json"],
        ["stats", har, "--by", "path"],
        ["waterfall", har], ["critical", har, "--json"], ["convert", har, "--to", "trace-events", "-o", "\(out)/trace.json"],
        ["report", har, "-o", "\(out)/report.html"], ["report", har, "--full", "-o", "\(out)/full.html"], ["lint", har],
        ["assert", har, "none(status == 200)", "--format", "junit"], ["diff", har, "\(out)/snapshot.har"],
        ["redact", har, "-o", "\(out)/again.har"],
      ] {
        outputs.append((words.joined(separator: " "), try Self.output([tapeline] + words)))
      }
      outputs.append(("log", try readFile(har)))
      let process = recording.proxy.process
      outputs.append(("terminal", Array((process.outputText + process.errorText).utf8)))
      outputs.append(("OTLP", collector.origin.requests.flatMap(\.body)))
      outputs.append(
        ("files", try Self.output(["sh", "-c", "find \"$0\" \"$1\" -type f -exec cat {} +", out, String(har.dropLast(12))])))
      let searched = try TemporaryDirectory()
      for output in outputs { try gate.expectNone(in: output.bytes, of: output.name, in: searched) }
      let empty = outputs.filter { $0.bytes.count < 20 }.map(\.name)
      #expect(empty == [], "these say nothing")
    }
  }
}
