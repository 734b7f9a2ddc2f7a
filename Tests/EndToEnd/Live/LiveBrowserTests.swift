import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The live page as a person meets it: in a browser, while exchanges happen.
  @Suite struct LivePageInBrowser {
    private static func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            let path = request.startLine.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            switch path {
            case "/json": return .response(fields: ["Content-Type: application/json"], body: Array(#"{"a":[1,2]}"#.utf8))
            case "/events":
              return .response(
                fields: ["Content-Type: text/event-stream"], body: Array("id: 1\nevent: tick\ndata: one\n\ndata: two\n\n".utf8))
            case "/missing": return .response("404 Not Found", fields: ["Content-Type: text/html"], body: Array("<b>no</b>".utf8))
            default: return .response(fields: ["Content-Type: text/plain"], body: Array("hello".utf8))
            }
          }
        ])
      ])
    }

    private static func count(_ number: Int) -> ReportBrowser.Step {
      .wait("document.querySelector('#count').textContent === '\(number) exchange\(number == 1 ? "" : "s")'")
    }

    @Test("Exchanges appear while they happen; pause, clear and mark do what they say")
    func controls() throws {
      let origin = try Self.origin()
      let directory = try TemporaryDirectory()
      let recording = try recording { proxy in
        let browser = try ReportBrowser.start(
          proxy.liveURL,
          [
            .text(of: ".empty"), .touch(directory.path("1")), Self.count(1), .column("path"),
            .click("#live button:nth-child(2)"), .touch(directory.path("2")),
            .wait("document.querySelector('#live button:nth-child(2)').textContent === 'Paused, 2 more'"),
            .text(of: "#count"), .click("#live button:nth-child(2)"), Self.count(3),
            .click("#live button:nth-child(3)"), Self.count(0),
            .click("#live button:nth-child(4)"), .type("log in"), .press(["Enter"]), .touch(directory.path("3")), Self.count(1),
            .click("#live button:nth-child(5)"),
            .wait("document.querySelector('#live button:nth-child(5)').getAttribute('aria-pressed') === 'true'"), Self.count(1),
            .press(["0"]), .wait("document.querySelector('#live button:nth-child(5)').getAttribute('aria-pressed') === 'false'"),
            .text(of: "#live-status"),
          ])
        try waitForFile(directory.path("1"))
        #expect(try proxy.curl(["-o", "/dev/null", origin.url("/one")]).exitStatus == .exited(0))
        try waitForFile(directory.path("2"))
        #expect(
          try proxy.curl(["-o", "/dev/null", origin.url("/two"), "-o", "/dev/null", origin.url("/three")]).exitStatus
            == .exited(0))
        try waitForFile(directory.path("3"))
        #expect(try proxy.curl(["-o", "/dev/null", origin.url("/four")]).exitStatus == .exited(0))
        let outcome = try ReportBrowser.outcome(of: browser)
        #expect(outcome.problems == [])
        #expect(outcome.results[0].string == "No exchange yet.")
        #expect(outcome.results[1].elements == [.string("/one")])
        #expect(outcome.results[2].string == "1 exchange")
        #expect(outcome.results.last?.string == "Live")
      }
      let pages = recording.log.tree["log"]?["pages"]?.elements.compactMap { $0["title"]?.string }
      #expect(pages?.last == "log in")
      #expect(try recording.entry("/four").tree["pageref"] == .string("page_2"))
    }

    @Test("Follow stays at the newest exchange when the window becomes that of a phone")
    func follow() throws {
      let origin = try Self.origin()
      _ = try recording { proxy in
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url("/"))[1-60]"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        let place = "(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - scrollTop - clientHeight)"
        let isAtEnd = "\(place)(document.querySelector('.viewport')) < 2"
        let outcome = try ReportBrowser.open(
          proxy.liveURL,
          [Self.count(60), .wait(isAtEnd), .resize(390, 844), .wait("document.querySelector('.table.narrow') && \(isAtEnd)")])
        #expect(outcome.problems == [])
      }
    }

    /// Records an event stream, of which the client has the first event, until `body` returns.
    private func streaming(_ body: (TapelineProcess, RawClient) throws -> Void) throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n"), .expectEnd,
      ])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/stream")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(through: "data: one\n\n")
        try body(proxy, client)
      }
    }

    @Test("An exchange in flight is a row that can be looked into; when it ends, it stays selected")
    func stream() throws {
      let directory = try TemporaryDirectory()
      try streaming { proxy, client in
        let browser = try ReportBrowser.start(
          proxy.liveURL,
          [
            .wait("document.querySelector('.row:not([hidden]) .cell-status')?.textContent === '200…'"),
            .click(".row:not([hidden]) .cell-path"), .wait("document.querySelector('#tab-messages') !== null"),
            .click("#tab-messages"), .wait("document.querySelector('#panel .message') !== null"),
            .evaluate("document.querySelector('#panel .message').textContent.includes('one')"), .touch(directory.path("seen")),
            .wait("document.querySelector('.row:not([hidden]) .cell-status')?.textContent === '200'"),
            .wait("document.querySelector('.details-actions .quiet')?.textContent.startsWith('#1 ')"),
          ])
        try waitForFile(directory.path("seen"))
        client.close()
        let outcome = try ReportBrowser.outcome(of: browser)
        // The page may ask for the exchange in flight at the moment when it ends, and gets it under its number then.
        #expect(outcome.problems.filter { !$0.contains("404") } == [])
        #expect(outcome.results[0] == .bool(true))
      }
    }

    @Test("News of an exchange in flight wait until a click on its details is over")
    func pressed() throws {
      let pointer = { (name: String) in
        ReportBrowser.Step.evaluate(
          "document.querySelector('#tab-raw').dispatchEvent(new PointerEvent('\(name)', { bubbles: true })), true")
      }
      let answers = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/live/exchange/')).length"
      try streaming { proxy, client in
        let outcome = try ReportBrowser.open(
          proxy.liveURL,
          [
            .wait("document.querySelector('.row:not([hidden]) .cell-path') !== null"),
            .click(".row:not([hidden]) .cell-path"), .wait("document.querySelector('#tab-raw') !== null"),
            pointer("pointerdown"),
            .evaluate("(globalThis.pressed = document.querySelector('#tab-raw'), true)"),
            .evaluate("(globalThis.known = \(answers), true)"), .wait("\(answers) > known + 1"),
            .evaluate("document.querySelector('#tab-raw') === pressed"),
            pointer("pointerup"), .wait("document.querySelector('#tab-raw') !== pressed"),
          ])
        client.close()
        #expect(outcome.problems == [])
        #expect(outcome.results.last == .bool(true))
      }
    }

    @Test("The page outlives the proxy, says so, and shows the recording of the next one at the same address")
    func restart() throws {
      let origin = try Self.origin()
      let directory = try TemporaryDirectory()
      let first = try TapelineProcess()
      #expect(try first.curl(["-o", "/dev/null", origin.url("/first")]).exitStatus == .exited(0))
      let browser = try ReportBrowser.start(
        first.liveURL,
        [
          Self.count(1), .column("path"), .touch(directory.path("stop")),
          .wait("document.querySelector('#live-status').textContent.startsWith('The recording has ended.')"), .column("path"),
          .touch(directory.path("start")),
          .wait("document.querySelector('#live-status').textContent.startsWith('Live. The proxy was started again')"),
          .touch(directory.path("ask")),
          .wait("document.querySelector('.row:not([hidden]) .cell-path')?.textContent === '/second'"),
          .text(of: "#count"),
        ])
      try waitForFile(directory.path("stop"))
      #expect(try first.stop() == .exited(0))
      try waitForFile(directory.path("start"))
      let second = try TapelineProcess(["--listen", "127.0.0.1:\(first.port)"])
      try waitForFile(directory.path("ask"))
      #expect(try second.curl(["-o", "/dev/null", origin.url("/second")]).exitStatus == .exited(0))
      let outcome = try ReportBrowser.outcome(of: browser)
      #expect(try second.stop() == .exited(0))
      #expect(outcome.results.map(\.elements) == [[.string("/first")], [.string("/first")], []])
      #expect(outcome.results[2].string == "1 exchange")
    }

    /// Texts that HTTP has room for, wherever a server has its say.
    private static let texts = HostileTexts.all.map { text in
      String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(4_000).map(Character.init))
    }

    /// Each answer has one of the texts wherever a server has its say, and one of the media types.
    private static func hostileOrigin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            let path = request.startLine.split(separator: " ").dropFirst().first ?? ""
            let number = Int(path.drop { !$0.isNumber }.prefix(while: \.isNumber)) ?? 0
            let (text, type) = (texts[number % texts.count], HostileTexts.mediaTypes[number % HostileTexts.mediaTypes.count])
            let body = type == "text/event-stream" ? "id: \(text)\nevent: \(text)\ndata: \(text)\n\n" : text
            return .response(
              "200 \(text)",
              fields: ["Content-Type: \(type)", "X-A: \(text)", "Set-Cookie: a=\(text)", "Server-Timing: \(text)"],
              body: Array(body.utf8))
          }
        ])
      ])
    }

    @Test("Sixty exchanges with markup in URLs, fields, reasons, bodies, events, messages and titles: all of it stays text")
    func hostile() throws {
      let origin = try Self.hostileOrigin()
      let socket = try ScriptedOrigin([
        .expectRequest, .send(WebSocketBytes.accepted), .send(WebSocketBytes.text(Self.texts[0])), .expectEnd,
      ])
      let directory = try TemporaryDirectory()
      let count = Self.texts.count
      _ = try recording { proxy in
        let browser = try ReportBrowser.start(
          proxy.liveURL,
          [
            .click("#live button:nth-child(4)"), .type(Self.texts[0]), .press(["Enter"]), .touch(directory.path("open")),
            Self.count(count + 1), .visitAll(count + 1),
          ])
        try waitForFile(directory.path("open"))
        for number in 0..<count {
          let text = Self.texts[number]
          let curl = try proxy.curl([
            "-g", "-H", "X-A: \(text)", "-H", "Cookie: a=\(text)", "--data-raw", text, "-o", "/dev/null",
            origin.url("/\(number)?") + text.replacing(" ", with: "/").prefix(2_000),
          ])
          #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        }
        let client = try proxy.request(
          (["GET \(socket.url("/socket")) HTTP/1.1", "Host: \(socket.authority)"] + WebSocketBytes.request)
            .joined(separator: "\r\n") + "\r\n\r\n")
        #expect(try client.receiveHead().status == 101)
        _ = try client.receive(exactly: WebSocketBytes.text(Self.texts[0]).count)
        client.close()
        let outcome = try ReportBrowser.outcome(of: browser)
        #expect(outcome.problems == [])
        #expect(outcome.results.last?.elements == [.number(Double(count + 1))] + ReportBrowser.Step.harmless)
      }
    }
  }
}

/// Waits until somebody else has made the file.
func waitForFile(_ path: String, seconds: Int64 = 60) throws {
  let deadline = Deadline.after(seconds: seconds)
  while !fileExists(path) {
    guard !deadline.hasPassed else { throw TestSupportError.timedOut(waitingFor: path) }
    SystemThread.sleep(for: .milliseconds(5))
  }
}
