import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The live page and the report for those who have no pointer, or no eyes for a screen.
  @Suite struct LivePageForEverybody {
    private static func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            let path = request.startLine.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let status = path == "/missing" ? "404 Not Found" : "200 OK"
            return path == "/events"
              ? .response(fields: ["Content-Type: text/event-stream"], body: Array("event: tick\ndata: one\n\n".utf8))
              : .response(status, fields: ["Content-Type: text/plain"], body: Array("hello".utf8))
          }
        ])
      ])
    }

    private static func wait(_ selector: String, _ text: String) -> ReportBrowser.Step {
      .wait("document.querySelector('\(selector)')?.textContent.trim() === '\(text)'")
    }

    @Test("Each action of the live page is done by keys alone")
    func keys() throws {
      let origin = try Self.origin()
      let directory = try TemporaryDirectory()
      let recording = try recording { proxy in
        let browser = try ReportBrowser.start(
          proxy.liveURL,
          [
            .touch(directory.path("1")), Self.wait("#count", "3 exchanges"),
            // The filter, and back to the list; types; failures.
            .press(["/"]), .type("status == 404"), .press(["Enter"]), Self.wait("#count", "1 of 3"), .column("path"),
            .press(["Enter"]), .wait("document.querySelector('#tab-headers') !== null"), .press(["]"]),
            .wait("document.querySelector('#tab-response').getAttribute('aria-selected') === 'true'"),
            .press(["Escape", "Escape"]), Self.wait("#count", "3 exchanges"), .press(["f"]), Self.wait("#count", "1 of 3"),
            .press(["f"]), .tabTo("#shortcuts [data-filter=\"status >= 400\"]"), .press(["Enter"]), Self.wait("#count", "1 of 3"),
            .press(["Escape"]), Self.wait("#count", "3 exchanges"),
            // Details: a message is opened, a section folded, the width changed, the command copied, closed.
            .press(["Home", "j", "j", "Enter"]), .wait("document.querySelector('#tab-messages') !== null"),
            .tabTo("#tab-response"), .press(["ArrowRight"]), .tabTo("#panel .message, #panel .message button"),
            .press(["Enter"]), .tabTo("#splitter"),
            .evaluate("(globalThis.wide = document.querySelector('#details').clientWidth, true)"),
            .press(["ArrowLeft"]), .evaluate("document.querySelector('#details').clientWidth > wide"),
            .tabTo("#details [aria-label^=Close]"), .press(["Enter"]), .wait("document.querySelector('#details').hidden"),
            // Order, columns, zoom, summary, theme, help.
            .press(["o"]), .text(of: ".heading [aria-sort=descending], .heading [aria-sort=ascending]"),
            .press(["/", "Enter", "Home", "z"]),
            .wait("!document.querySelector('.span-chip').hidden"), .press(["0"]),
            .wait("document.querySelector('.span-chip').hidden"),
            .tabTo("#open-columns"), .press(["Enter"]), .tabTo("#columns input[value=ip]"), .press([" ", "Escape"]),
            .wait("document.querySelector('.cell-ip') !== null"), .press(["s"]),
            .wait("!document.querySelector('#summary').hidden"),
            .press(["s", "t"]), .wait("document.documentElement.dataset.theme !== undefined"), .press(["?"]),
            .wait("document.querySelector('#help').open"), .press(["Escape"]), .wait("!document.querySelector('#help').open"),
            // By connection, side by side, and as a file.
            .press(["n"]), .wait("document.querySelectorAll('.row.page:not([hidden])').length > 0"),
            .press(["n", "/", "Enter", "Home", "x", "j", "Enter"]),
            .wait("document.querySelectorAll('#panel .comparison').length > 0"), .press(["x", "x", "Escape"]),
            .evaluate("(URL.createObjectURL = (file) => { globalThis.saved = file; return 'data:,'; }, 0)"), .press(["d"]),
            .wait("globalThis.saved !== undefined"),
            .evaluate("saved.text().then((text) => JSON.parse(text).log.entries.length)"),
            // What only the live page has.
            .tabTo("#live button:nth-child(1)"), .press([" "]),
            .wait("document.querySelector('#live button').getAttribute('aria-pressed') === 'false'"), .press(["Tab", " "]),
            .wait("document.querySelector('#live button:nth-child(2)').getAttribute('aria-pressed') === 'true'"), .press([" "]),
            .tabTo("#live button:nth-child(3)"), .press([" "]), Self.wait("#count", "0 exchanges"), .press(["Tab", "Enter"]),
            .type("by keys"), .press(["Enter"]), Self.wait("#count", "marked: by keys"),
          ])
        try waitForFile(directory.path("1"))
        for path in ["/plain", "/missing", "/events"] {
          #expect(try proxy.curl(["-o", "/dev/null", origin.url(path)]).exitStatus == .exited(0))
        }
        let outcome = try ReportBrowser.outcome(of: browser)
        #expect(outcome.problems == [])
        #expect(outcome.results[0].elements == [.string("/missing")])
        #expect(outcome.results[2] == .bool(true))
        #expect(outcome.results.last == .number(3))
      }
      #expect(recording.log.tree["log"]?["pages"]?.elements.last?["title"]?.string == "by keys")
    }

    /// All views of the page, light, dark, and on a phone.
    private static let views: [ReportBrowser.Step] = [
      .axe, .press(["Home", "Enter"]), .wait("document.querySelector('#tab-raw') !== null"), .axe, .click("#tab-response"),
      .axe, .click("#tab-timeline"), .axe, .click("#tab-connection"), .axe, .click("#tab-raw"), .axe, .press(["Escape", "s"]),
      .axe,
      .press(["s", "?"]), .axe, .press(["Escape"]), .click("#open-columns"), .axe, .press(["Escape"]), .theme("dark"), .axe,
      .press(["Enter"]), .axe, .click("#tab-headers"), .axe, .press(["Escape", "s"]), .axe, .press(["s"]), .resize(390, 844),
      .axe,
      .press(["Enter"]), .axe,
    ]

    /// - Returns: what axe-core finds, but for one: the list scrolls, and the grid around it has the focus and the keys for that.
    private static func findings(_ outcome: ReportBrowser.Outcome) -> [String] {
      outcome.results.flatMap(\.elements).compactMap(\.string).filter { !$0.hasPrefix("scrollable-region-focusable: .viewport ") }
    }

    @Test("axe-core finds nothing in any view of the live page and of the report, light and dark, on a screen and on a phone")
    func rules() throws {
      let origin = try Self.origin()
      let recording = try recording { proxy in
        for path in ["/plain", "/missing", "/events"] {
          #expect(try proxy.curl(["-o", "/dev/null", origin.url(path)]).exitStatus == .exited(0))
        }
        let mark: [ReportBrowser.Step] = [.resize(1_440, 900), .press(["Escape"]), .click("#live button:nth-child(4)"), .axe]
        let outcome = try ReportBrowser.open(proxy.liveURL, [Self.wait("#count", "3 exchanges")] + Self.views + mark)
        #expect(outcome.problems == [])
        #expect(outcome.results.count == 16)
        #expect(Self.findings(outcome) == [])
      }
      for har in [recording.proxy.harPath, "\(repositoryRoot)/Tests/Fixtures/har/session.har"] {
        let outcome = try ReportBrowser.visit(har, Self.views)
        #expect(outcome.results.count == 15)
        #expect(Self.findings(outcome) == [])
      }
    }
  }
}
