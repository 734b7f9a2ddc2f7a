import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Chrome's network panel, attached to a recording.
  @Suite struct DevTools {
    private static func answering(_ body: String = "hello") throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: body)])])
    }

    @Test("A panel is told the exchanges before it was attached, then the others, and gets their bodies")
    func exchanges() throws {
      let origin = try Self.answering()
      let recording = try recording { proxy in
        #expect(try proxy.curl(["-d", "question", "-o", "/dev/null", origin.url("/before")]).exitStatus == .exited(0))
        let panel = try DevToolsClient(proxy)
        #expect(panel.status == 101)
        try panel.send(1, "Network.enable")
        #expect(try panel.answer(to: 1)["result"]?.elements == [])
        let before = try panel.next("requestWillBeSent")
        #expect(before["request"]?["url"]?.string == origin.url("/before"))
        let response = try panel.next("responseReceived")["response"]
        #expect(response?["status"] == .number(200) && response?["remotePort"] == .number(Double(origin.port)))
        _ = try panel.next("loadingFinished")
        #expect(try proxy.curl(["-o", "/dev/null", origin.url("/after")]).exitStatus == .exited(0))
        var urls: [String?] = []
        while urls.last != origin.url("/after") {
          urls.append(try panel.next("requestWillBeSent")["request"]?["url"]?.string)
        }
        #expect(urls == [origin.url("/after")], "each exchange is told once")
        let id = try #require(before["requestId"]?.string)
        try panel.send(2, "Network.getResponseBody", #"{"requestId":"\#(id)"}"#)
        #expect(try panel.answer(to: 2)["result"]?["body"]?.string == "hello")
        try panel.send(3, "Network.getRequestPostData", #"{"requestId":"\#(id)"}"#)
        #expect(try panel.answer(to: 3)["result"]?["postData"]?.string == "question")
        // Many questions at once are answered one after the other.
        let question = WebSocketBytes.text(
          #"{"id":4,"method":"Network.getResponseBody","params":{"requestId":"\#(id)"}}"#, isMasked: true)
        try panel.client.send((0..<100).flatMap { _ in question })
        for _ in 0..<100 { #expect(try panel.answer(to: 4)["result"]?["body"]?.string == "hello") }
        for (number, unknown) in ["99", "-1", "flight-99", "flight--1", "x", ""].enumerated() {
          try panel.send(10 + number, "Network.getResponseBody", #"{"requestId":"\#(unknown)"}"#)
          #expect(try panel.answer(to: 10 + number)["error"]?["code"] == .number(-32_000), "\(unknown)")
        }
      }
      #expect(recording.entries.count == 2, "the panel is not in the log")
    }

    @Test("A WebSocket is told while it is open: each frame once, and its end when it ends")
    func webSocket() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send(WebSocketBytes.accepted), .send(WebSocketBytes.text("welcome")),
        .expect(bytes: WebSocketBytes.text("first", isMasked: true).count), .send(WebSocketBytes.text("second")), .expectEnd,
      ])
      _ = try recording { proxy in
        let panel = try DevToolsClient(proxy)
        try panel.send(1, "Network.enable")
        let client = try proxy.request(
          (["GET \(origin.url("/socket")) HTTP/1.1", "Host: \(origin.authority)"] + WebSocketBytes.request)
            .joined(separator: "\r\n") + "\r\n\r\n")
        #expect(try client.receiveHead().status == 101)
        #expect(try panel.next("webSocketCreated")["url"]?.string == "ws://\(origin.authority)/socket")
        #expect(try panel.next("webSocketHandshakeResponseReceived")["response"]?["status"] == .number(101))
        #expect(try panel.next("webSocketFrameReceived")["response"]?["payloadData"]?.string == "welcome")
        try client.send(WebSocketBytes.text("first", isMasked: true))
        #expect(try panel.next("webSocketFrameSent")["response"]?["payloadData"]?.string == "first")
        #expect(try panel.next("webSocketFrameReceived")["response"]?["payloadData"]?.string == "second")
        client.close()
        _ = try panel.next("webSocketClosed")
      }
    }

    @Test("RFC 6455 4.2, 5.5, 7.4: what a panel sends that is no command is answered, and ends nothing else")
    func oddities() throws {
      _ = try recording { proxy in
        let panel = try DevToolsClient(proxy, fields: [])
        #expect(panel.status == 101, "a program needs no origin")
        try panel.send(1, "Page.getResourceTree")
        #expect(try panel.answer(to: 1)["result"]?["frameTree"] != nil)
        try panel.send(2, "Network.setBlockedURLs")
        #expect(try panel.answer(to: 2)["error"]?["code"] == .number(-32_601))
        try panel.client.send(WebSocketBytes.text("garbage", isMasked: true))
        #expect(try panel.next()["error"]?["code"] == .number(-32_700))
        try panel.client.send([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69])
        let pong = try panel.receiveFrame()
        #expect(pong.first == 0x8A && pong.payload == Array("hi".utf8))
        try panel.client.send(WebSocketBytes.close(1000, isMasked: true))
        let close = try panel.receiveFrame()
        #expect(close.first == 0x88 && close.payload == [0x03, 0xE8])
        #expect(try panel.client.receiveToEnd().end == .closed)
        let broken = try DevToolsClient(proxy)
        try broken.client.send([0x83, 0x80, 0, 0, 0, 0])
        #expect(try broken.receiveFrame().payload == [0x03, 0xEA])
        #expect(try broken.client.receiveToEnd().end == .closed)
      }
    }

    @Test("Only a panel attaches: not a page of another site, not under another name, not without the password")
    func strangers() throws {
      _ = try recording { proxy in
        for origin in ["http://evil.example", "null", "devtools://evil", "chrome-extension://abc", "https://devtools"] {
          #expect(try DevToolsClient(proxy, fields: ["Origin: \(origin)"]).status == 403, "\(origin)")
        }
        #expect(try DevToolsClient(proxy, host: "evil.example:\(proxy.port)").status == 421)
        let key = try proxy.liveQuery
        for path in ["/live\(key)", "/live/events\(key)", "/metrics"] {
          let client = try proxy.connect()
          try client.send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\nOrigin: devtools://devtools\r\nConnection: close\r\n\r\n")
          #expect(try client.receiveResponse().status == 403, "\(path)")
        }
        let reader = try proxy.connect()
        try reader.send("GET /devtools\(key) HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        let answer = try reader.receiveResponse()
        #expect(answer.status == 426 && answer.bodyText.contains("devtools://devtools/bundled/"))
      }
      _ = try recording(["--auth", "me:secret"]) { proxy in
        for (fields, status) in [([], 401), (["Authorization: Basic bWU6c2VjcmV0"], 101)] {
          let panel = try DevToolsClient(proxy, fields: fields)
          #expect(panel.status == status)
        }
      }
    }

    @Test("At the end of the recording, a panel is told the last exchanges, and why the connection ends")
    func end() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess()
      let panel = try DevToolsClient(proxy)
      try panel.send(1, "Network.enable")
      _ = try panel.answer(to: 1)
      #expect(try proxy.curl(["-o", "/dev/null", origin.url("/last")]).exitStatus == .exited(0))
      #expect(try proxy.stop() == .exited(0))
      #expect(try panel.next("requestWillBeSent")["request"]?["url"]?.string == origin.url("/last"))
      _ = try panel.next("loadingFinished")
      let close = try panel.receiveFrame()
      #expect(close.first == 0x88 && close.payload == [0x03, 0xE9])
    }

    @Test("run --devtools shows a command's requests, times, bodies and messages in Chrome's own panel")
    func panel() throws {
      let origin = try Self.answering("the answer")
      let echo = try WebSocketPeers.startEchoServer(identity: nil)
      let directory = try TemporaryDirectory()
      let curl = "curl -sS --fail-with-body \(origin.url("/first")) http://127.0.0.1:1/refused"
      let socket = WebSocketPeers.client(["ws://127.0.0.1:\(echo.port)/talk", "tunnel", "\"${HTTP_PROXY##*:}\"", "''", "''"])
      let python = directory.path("client.py")
      _ = try directory.write(socket[2], to: "client.py")
      let command = "\(curl); \(socket[0]) \(python) \(socket[3...].joined(separator: " "))"
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "--devtools", "-o", directory.path("run.har"), "--", "sh", "-c", command])
      let line = try run.waitForErrorLine(containing: "devtools://")
      let address = try #require(line.split(separator: " ").last.map(String.init))
      let text = "document.body.innerText"
      let outcome = try ReportBrowser.open(
        address,
        [
          // The socket is pending until its server has answered.
          .wait("\(text).includes('3 requests') && /talk\\s+101/.test(\(text))"), .evaluate(text),
          .clickText("first"), .clickText("Response"), .see("the answer"),
          .clickText("Timing"), .see("Waiting for server response"),
          .clickText("talk"), .clickText("Messages"), .see("hello"),
          .screenshot(directory.path("panel.png")),
        ])
      #expect(try run.wait().isSuccess, "\(run.errorText)")
      let list = try #require(outcome.results.first?.string)
      #expect(list.contains("first\t200") || list.contains("first"), "\(list)")
      #expect(list.contains("(failed)") && list.contains("Connection refused") && list.contains("101"), "\(list)")
    }

    @Test("run --devtools that is interrupted before a panel comes does not start the command")
    func interrupted() throws {
      let directory = try TemporaryDirectory()
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "--devtools", "-o", directory.path("run.har"), "--", "touch", directory.path("started")])
      _ = try run.waitForErrorLine(containing: "devtools://")
      run.signal(2)
      #expect(try run.wait().isSuccess == false)
      #expect(run.errorText.contains("the command was not started") && !fileExists(directory.path("started")))
    }
  }
}
