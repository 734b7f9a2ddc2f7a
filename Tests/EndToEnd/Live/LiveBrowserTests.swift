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

    /// Markup that would do harm if it were any.
    private static let markups = [
      #"</script><script>window.harmed=1</script>"#, #"<img src=x onerror="window.harmed=2">"#,
      #"<svg xmlns="http://www.w3.org/2000/svg" onload="window.harmed=3"><script>window.harmed=4</script></svg>"#,
      #""><iframe src="javascript:parent.harmed=5"></iframe>"#,
      #"' onmouseover='window.harmed=6' autofocus onfocus='window.harmed=7"#,
      #"<base href="http://127.0.0.1:9/"><link rel="stylesheet" href="a.css">"#,
      #"<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">"#,
      #"</style></textarea></title><body onload=window.harmed=8>"#,
      #"{"__proto__":{"harmed":9},"constructor":{"prototype":{"harmed":10}}}"#,
      #"${window.harmed=11}{{constructor.constructor('window.harmed=12')()}}<!--"#,
    ]
    private static let mediaTypes = ["text/html", "image/svg+xml", "application/json", "text/event-stream", "text/plain"]

    /// Fifty: each has one of the markups wherever a server has its say, and one of the media types.
    private static func hostileOrigin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            let path = request.startLine.split(separator: " ").dropFirst().first ?? ""
            let number = Int(path.drop { !$0.isNumber }.prefix(while: \.isNumber)) ?? 0
            let (markup, type) = (markups[number % markups.count], mediaTypes[number / markups.count % mediaTypes.count])
            let body = type == "text/event-stream" ? "id: \(markup)\nevent: \(markup)\ndata: \(markup)\n\n" : markup
            return .response(
              "200 \(markup)", fields: ["Content-Type: \(type)", "X-A: \(markup)", "Set-Cookie: a=\(markup)"],
              body: Array(body.utf8))
          }
        ])
      ])
    }

    /// Opens each exchange, each of its tabs, and each form of a body.
    private static func visit(_ count: Int) -> ReportBrowser.Step {
      .evaluate(
        """
        (async () => {
          const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
          const press = (key) => document.querySelector('#table').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          let shown = 0;
          press('Home');
          press('Enter');
          for (let number = 1; number <= \(count); number += 1) {
            const patience = performance.now() + 60_000;
            while (!document.querySelector('.details-actions .quiet')?.textContent.startsWith(`#${number} `)) {
              await frame();
              if (performance.now() > patience) throw new Error(`no details of #${number}`);
            }
            for (const { id } of [...document.querySelectorAll('.details [role=tab]')]) {
              document.getElementById(id).click();
              await frame();
              for (const form of document.querySelectorAll('#panel .choices button, #panel .message')) { form.click(); await frame(); }
            }
            shown += 1;
            press('j');
          }
          return [shown, typeof window.harmed, typeof ({}).harmed, document.baseURI === location.href,
            document.querySelectorAll('script:not([type]), img[src=x], iframe[src], base, meta[http-equiv=refresh]').length];
        })()
        """)
    }

    @Test("Fifty exchanges with markup in URLs, fields, reasons, bodies, events, messages and titles: all of it stays text")
    func hostile() throws {
      let origin = try Self.hostileOrigin()
      let socket = try ScriptedOrigin([
        .expectRequest, .send(WebSocketBytes.accepted), .send(WebSocketBytes.text(Self.markups[0])), .expectEnd,
      ])
      let directory = try TemporaryDirectory()
      let count = Self.markups.count * Self.mediaTypes.count
      _ = try recording { proxy in
        let browser = try ReportBrowser.start(
          proxy.liveURL,
          [
            .click("#live button:nth-child(4)"), .type(Self.markups[0]), .press(["Enter"]), .touch(directory.path("open")),
            Self.count(count + 1), Self.visit(count + 1),
          ])
        try waitForFile(directory.path("open"))
        for number in 0..<count {
          let markup = Self.markups[number % Self.markups.count]
          let curl = try proxy.curl([
            "-g", "-H", "X-A: \(markup)", "-H", "Cookie: a=\(markup)", "-d", markup, "-o", "/dev/null",
            origin.url("/\(number)?") + markup.replacing(" ", with: "/"),
          ])
          #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        }
        let client = try proxy.request(
          (["GET \(socket.url("/socket")) HTTP/1.1", "Host: \(socket.authority)"] + WebSocketBytes.request)
            .joined(separator: "\r\n") + "\r\n\r\n")
        #expect(try client.receiveHead().status == 101)
        _ = try client.receive(exactly: WebSocketBytes.text(Self.markups[0]).count)
        client.close()
        let outcome = try ReportBrowser.outcome(of: browser)
        #expect(outcome.problems == [])
        #expect(
          outcome.results.last?.elements == [
            .number(Double(count + 1)), .string("undefined"), .string("undefined"), .bool(true), .number(0),
          ])
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
