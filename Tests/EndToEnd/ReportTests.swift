import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The report as a person meets it: in a browser, from the disk.
  @Suite struct Report {
    private static func fixture(_ name: String) -> String {
      "\(repositoryRoot)/Tests/Fixtures/har/\(name).har"
    }

    private func strings(_ tree: JSONTree) -> [String] {
      tree.elements.compactMap(\.string)
    }

    /// Every tab of every exchange can be shown, of whoever's log.
    @Test(arguments: [
      "session", "chromium-page", "firefox-page", "mitmproxy-page", "playwright-page", "chrome", "firefox", "charles", "fiddler",
    ])
    func showsLogsOfAll(name: String) throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture(name),
        [
          .evaluate("document.querySelector('#count').textContent"),
          .walk(
            """
            shown += document.querySelector('#panel').textContent.length > 0 ? 1 : 0;
            failures.push(...[...document.querySelectorAll('#panel > .failure')].map((one) => `${id}: ${one.textContent}`));
            """, collecting: "let shown = 0; const failures = [];", returning: "{ shown, failures, rows }"),
          .press(["Escape", "s"]), .text(of: "#summary .cards"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string?.contains("exchange") == true)
      let rows = outcome.results[1]["rows"]?.integer ?? 0
      #expect(rows > 0 && (outcome.results[1]["shown"]?.integer ?? 0) >= 5 * rows)
      #expect(outcome.results[1]["failures"]?.elements == [])
      #expect(outcome.results[2].string?.contains("Exchanges") == true)
    }

    @Test func filtersByQueriesAndWords() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [
          .press(["/"]), .type("status >= 400 and not error"), .column("status"),
          .open("#q=recommendations"), .column("path"),
          .open("#q=path+like+%22*.css%22+or+error.phase+%3D%3D+dns"), .column("path"),
          .open("#q=resp.header%5B%22content-type%22%5D+~+%22event-stream%22"), .column("path"),
          .open("#q=wait+%3E+%22x"), .text(of: "#filter-message"), .column("path"),
          .press(["Escape"]), .evaluate("document.querySelector('#filter-message').hidden"), .text(of: "#count"),
        ])
      #expect(outcome.problems == [])
      #expect(strings(outcome.results[0]) == ["404", "500"])
      #expect(strings(outcome.results[1]) == ["/api/recommendations"])
      #expect(strings(outcome.results[2]) == ["/style.css", "/"])
      #expect(strings(outcome.results[3]) == ["/api/stream"])
      #expect(outcome.results[4].string == "Column 8: the text that starts here has no end; close it with \"")
    }

    @Test(
      "Times are those of who looks at it, with their distance from UTC, or UTC",
      arguments: [([], "2026-11-21 21:16:43 +05:30"), (["--utc"], "2026-11-21 15:46:43 UTC")] as [([String], String)])
    func tellsTimesByTheReadersClock(options: [String], start: String) throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"), options: options, zone: "Asia/Kolkata", [.text(of: "#origin")])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string?.hasPrefix(start) == true, "\(outcome.results)")
    }

    @Test func sortsAndGroupsByPage() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [
          .evaluate("[...document.querySelectorAll('.row.page:not([hidden]) .page-title b')].map((one) => one.textContent)"),
          .open("#sort=-total"), .column("number"),
          .evaluate("document.querySelectorAll('.row.page:not([hidden])').length"),
          .evaluate("document.querySelector('[aria-sort=descending]').textContent"),
          .click("[aria-sort=descending] button"), .column("number"), .evaluate("location.hash"),
        ])
      #expect(outcome.problems == [])
      #expect(strings(outcome.results[0]) == ["bash client.sh", "errors and a stream"])
      let descending = strings(outcome.results[1])
      #expect(descending.count == 16 && descending.first == "8")
      #expect(outcome.results[2].integer == 0)
      #expect(outcome.results[3].string == "Time")
      #expect(strings(outcome.results[4]) == descending.reversed())
      #expect(outcome.results[5].string == "#sort=total")
    }

    @Test("o sorts by each column in turn and O the other way; after the last column the order is that of time again")
    func sortsFromTheKeyboard() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [
          .press(["o", "o"]), .evaluate("location.hash"), .press(["O"]), .evaluate("location.hash"),
          .evaluate("document.querySelectorAll('[aria-sort]:not([aria-sort=none])').length"),
          .evaluate("document.querySelectorAll('.heading button').length"),
          .evaluate(
            """
            (async () => {
              const orders = new Set();
              for (let left = 50; left && location.hash; left -= 1) {
                orders.add(location.hash);
                document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'o', bubbles: true }));
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
              }
              return [orders.size, location.hash];
            })()
            """),
        ])
      #expect(outcome.problems == [])
      let hashes = outcome.results.prefix(2).compactMap(\.string)
      #expect(hashes.count == 2 && hashes[0].hasPrefix("#sort=") && hashes[0] != hashes[1])
      #expect(hashes[0].replacing("-", with: "") == hashes[1].replacing("-", with: ""))
      #expect(outcome.results[2] == .number(1))
      let columns = try #require(outcome.results[3].integer)
      #expect(outcome.results[4].elements.first?.integer == columns - 1, "\(outcome.results[4])")
      #expect(outcome.results[4].elements.last == .string(""))
    }

    @Test func isUsedFromTheKeyboard() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [
          .press(["j", "j", "ArrowDown", "k", "Enter"]), .evaluate("location.hash"), .evaluate("document.activeElement.id"),
          .press(["]", "]"]), .evaluate("location.hash"), .text(of: "#panel"),
          .press(["Escape"]), .evaluate("[location.hash, document.activeElement.id, document.querySelector('#details').hidden]"),
          .press(["f"]), .column("status"), .press(["f", "?"]), .evaluate("document.querySelector('#help').open"),
          .press(["Escape", "+", "+"]), .evaluate("document.querySelector('.span-chip').hidden"), .press(["0"]),
          .evaluate("document.querySelector('.span-chip').hidden"), .press(["s"]),
          .evaluate("document.querySelector('#summary').hidden"), .press(["t"]),
          .evaluate("getComputedStyle(document.body).backgroundColor"), .press(["t"]),
          .evaluate("getComputedStyle(document.body).backgroundColor"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string == "#n=2")
      #expect(outcome.results[1].string == "tab-headers")
      #expect(outcome.results[2].string == "#n=2&tab=timeline")
      #expect(outcome.results[3].string?.contains("requestFirstByte") == true)
      #expect(outcome.results[4].elements == [.string("#at=2"), .string("table"), .bool(true)])
      #expect(strings(outcome.results[5]) == ["404", "500", "200!", "ERR", "ERR"])
      #expect(outcome.results[6].bool == true)
      #expect(outcome.results[7].bool == false && outcome.results[8].bool == true, "zoomed, and not any more")
      #expect(outcome.results[9].bool == false)
      #expect(outcome.results[10].string == "rgb(21, 24, 29)" && outcome.results[11].string == "rgb(255, 255, 255)")
    }

    @Test func zoomsAtThePointerAndTellsOfTheBar() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [
          .hover(".row:not([hidden]):not(.page) .bars"), .text(of: "#tooltip"),
          .zoomingWheel(".row:not([hidden]):not(.page) .bars", -300),
          .evaluate("document.querySelector('.span-chip').textContent"),
          .theme("dark"), .evaluate("getComputedStyle(document.body).backgroundColor"),
          .media("print"),
          .evaluate("dispatchEvent(new Event('beforeprint')), document.querySelectorAll('#printed tbody tr').length"),
          .evaluate("getComputedStyle(document.querySelector('main')).display"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string?.contains("Total") == true)
      #expect(outcome.results[1].string?.contains("–") == true)
      #expect(outcome.results[2].string == "rgb(21, 24, 29)")
      #expect((outcome.results[3].integer ?? 0) >= 16)
      #expect(outcome.results[4].string == "none")
    }

    /// The page and the program understand a query alike.
    @Test func understandsQueriesAsTheProgramDoes() throws {
      let queries = [
        "status >= 400", "status in (200, 302) and not reused", "error or status == 500", "error.origin == \"upstream\"",
        "host == \"LOCALHOST\"", "host != \"localhost\" and scheme == \"http\"", "method == 'get'",
        "method != 'post' and method in (\"head\", \"Get\")", "method == 'POST' or path like \"/api/*\"",
        "wait > 40ms", "wait > 0.04s and receive < 50", "dns > 1us", "not (dns <= 1h)", "resp.size >= 0.1KiB",
        "content.size < 60B",
        "req.header[\"user-agent\"] ~ \"(?i)CURL\"", "resp.header[\"content-length\"] > 100", "resp.body ~ \"lamp|stock\"",
        "req.body", "tls.version == \"TLSv1.3\"", "tcp.rtt >= 0", "overhead.request > 0", "_localStatus == 502",
        "_chunks.bytes > 5",
        "mime ~ \"^(text|image)/\"", "query[\"size\"] == \"50\"", "page == \"page_2\"", "page == \"errors and a stream\"",
        "page != \"errors and a stream\"",
        "page ~ \"^bash\"", "pageref == \"page_1\"", "number not in (1, 2, 3)",
        "response.status == 404", "timings.wait < 1", "_events", "_tls.certificate", "port == 18443 and (error or wait > 1ms)",
      ]
      try expectAlikeUnderstanding(of: queries, in: Self.fixture("session"))
    }

    /// So do they where whose time it was, who ended an exchange and what was changed on the way is in the log.
    @Test func understandsQueriesOnOurOwnMembersAsTheProgramDoes() throws {
      let queries = [
        "client", "client > 1ms", "not client", "total < 353ms and client", "time > 400ms", "time < 400.3 and client",
        "timings.blocked > 100ms", "blocked < 100ms and client", "timings.blocked < 1ms", "ended", "ended == \"wait\"",
        "ended in (\"receive\", \"wait\") and not error", "error", "error ~ \"wait \\(--response-timeout\\)\"", "changed",
        "not changed", "_changes.name == \":version\"", "status == 0 and not error", "_blocked.client > 1",
      ]
      try expectAlikeUnderstanding(of: queries, in: Self.fixture("faithful"))
    }

    /// The client's own time is told apart, and what went on otherwise, or ended by the client, is said.
    @Test func tellsWhoseTimeItWasAndWhatWasChanged() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("faithful"),
        [
          .open("#sort=-total"), .column("number"), .column("status"), .open("#n=1&tab=timeline"), .text(of: "#panel .phases"),
          .open("#n=3&tab=headers"), .text(of: "#panel"), .open("#n=6"), .text(of: ".details-head"), .open("#n=7"),
          .text(of: ".details-head"), .press(["Escape", "s"]), .text(of: "#summary"),
        ])
      #expect(outcome.problems == [])
      #expect(strings(outcome.results[0]) == ["7", "5", "1", "6", "4", "2", "3"], "by the servers' time")
      #expect(strings(outcome.results[1]).filter { $0 == "END" || $0 == "ERR" } == ["ERR", "END"])
      let phases = outcome.results[2].string ?? ""
      #expect(phases.contains("Client") && phases.contains("With client"), "\(phases)")
      let headers = outcome.results[3].string ?? ""
      #expect(headers.contains("Changed by the proxy (5)"), "\(headers)")
      #expect(headers.contains("request: HTTP version HTTP/1.0 sent on as HTTP/1.1"), "\(headers)")
      #expect(headers.contains("request: removed Proxy-Connection: Keep-Alive"), "\(headers)")
      #expect(outcome.results[4].string?.contains("Ended by the client while waiting.") == true)
      #expect(outcome.results[5].string?.contains("local timed-out in wait (--response-timeout): ") == true)
      let summary = outcome.results[6].string ?? ""
      #expect(summary.contains("Ended by the client") && summary.contains("Client"), "\(summary)")
    }

    /// What is no query is refused as the program refuses it, with what was meant.
    @Test func refusesQueriesAsTheProgramDoes() throws {
      let queries = [
        "wiat > 200ms", "status > 4 and stauts < 500", "error.knd == \"x\"", "req.heder > 4", "xyzzyplugh > 5", "status >",
        "status > 5xyz", "status > 5ms", "wait > 5KiB", "req.size > 1s", "status = 4", "status ! 4", "host ~ \"a", "(status > 4",
        "status in (4 5)", "req.header == \"x\"", "status[\"x\"] > 4", "status like \"4*\"", "status ~ \"4\"",
        "status == \"4\"", "status == abc", "status == true", "reused == 4", "reused > 4", "host > 4", "host > abc",
        "start > \"x\"",
        "start == 5", "not > 4", "status > 4 5", "status > 4 and status not 4", "status > 4 and", "wait > 1.2.3",
      ]
      let steps = queries.flatMap { query -> [ReportBrowser.Step] in
        [
          .open("#" + "q=" + query.utf8.map { "%" + (($0 < 16 ? "0" : "") + String($0, radix: 16)) }.joined()),
          .text(of: "#filter-message"),
        ]
      }
      let outcome = try ReportBrowser.visit(Self.fixture("session"), steps)
      #expect(outcome.problems == [])
      for (index, query) in queries.enumerated() {
        let list = try TestProcess(TapelineProcess.binary, ["list", Self.fixture("session"), "--filter", query])
        #expect(try list.wait() == .exited(64), "\(query)")
        let line = list.errorText.split(separator: "\n").first.map(String.init) ?? ""
        let shown = outcome.results[index].string.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
        #expect(line == "tapeline: usage: --filter: \(shown)", "\(query)")
      }
      #expect(outcome.results[0].string == "Column 1: unknown field wiat; did you mean wait?")
    }

    /// Every field of the program is the page's, too: those that are suggested can be asked for.
    @Test func knowsEveryField() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [
          .evaluate(
            """
            (async () => {
              const unknown = [];
              const script = document.querySelector('script[type=module]').textContent;
              const described = JSON.parse(/^const described = (.*);/.exec(script)[1]);
              for (const name of [...Object.keys(described.fields), ...described.named.map((one) => `${one}["x"]`)]) {
                location.hash = new URLSearchParams({ q: `not ${name}` }).toString();
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
                if (!document.querySelector('#filter-message').hidden) unknown.push(name);
              }
              return unknown;
            })()
            """)
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].elements == [])
    }

    /// As in DevTools: what there is of a type, of several types, and beside the filter.
    @Test func choosesByType() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("chromium-page"),
        [
          .evaluate("[...document.querySelectorAll('[data-type]')].map((one) => one.textContent)"),
          .click("[data-type=image]"), .column("path"), .evaluate("location.hash"),
          .click("[data-type=script]"), .column("path"), .open("#type=fetch&q=status+%3E%3D+400"), .column("status"),
          .evaluate("[...document.querySelectorAll('[data-type][aria-pressed=true]')].map((one) => one.textContent)"),
          .text(of: "#count"), .press(["Escape"]), .evaluate("location.hash"), .text(of: "#count"),
        ])
      #expect(outcome.problems == [])
      #expect(strings(outcome.results[0]) == ["Document", "Script", "Style", "Image", "XHR/fetch"])
      #expect(strings(outcome.results[1]) == ["/lamp.png"])
      #expect(outcome.results[2].string == "#type=image")
      #expect(strings(outcome.results[3]) == ["/lamp.png", "/app.js"])
      #expect(strings(outcome.results[4]) == ["404", "500"])
      #expect(strings(outcome.results[5]) == ["XHR/fetch"])
      #expect(outcome.results[6].string == "2 of 11")
      #expect(outcome.results[7].string == "#q=status+%3E%3D+400" && outcome.results[8].string == "2 of 11")
    }

    /// Time and waterfall are there on a phone, too, nothing is wider than the screen, and a method is never cut.
    @Test(arguments: [390, 768, 1280])
    func fitsTheScreen(width: Int) throws {
      let directory = try TemporaryDirectory()
      let tunnel = try readText(Self.fixture("session")).replacing("\"method\":\"POST\"", with: "\"method\":\"CONNECT\"")
      let har = try directory.write(tunnel, to: "tunnel.har")
      let measure = ReportBrowser.Step.evaluate(
        """
        (() => {
          const last = document.querySelector('.heading > .waterfall-heading').getBoundingClientRect();
          const row = document.querySelector('.row:not([hidden]):not(.page)');
          const bars = row.querySelector('.bars').getBoundingClientRect();
          const cells = [...document.querySelectorAll('.row:not([hidden]):not(.page) :is(.cell-method, .cell-status, .cell-total)')];
          return {
            overflow: Math.max(last.right - innerWidth, bars.right - row.getBoundingClientRect().right),
            bars: bars.width,
            cut: cells.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
          };
        })()
        """)
      let outcome = try ReportBrowser.visit(
        har,
        [
          .resize(width, 844),
          .evaluate(
            "[...document.querySelectorAll('.heading [role=columnheader]')].map((one) => one.textContent || 'Waterfall')"),
          measure,
          .column("path"), .open("#n=1"), measure,
        ])
      #expect(outcome.problems == [])
      let columns = strings(outcome.results[0])
      #expect(columns.suffix(2) == ["Time", "Waterfall"] && columns.contains("Status") && columns.contains("Path"), "\(columns)")
      for measured in [outcome.results[1], outcome.results[3]] {
        #expect((measured["overflow"]?.number ?? 9) < 1, "\(measured)")
        #expect((measured["bars"]?.number ?? 0) >= 100)
        #expect(measured["cut"]?.elements == [])
      }
      let paths = strings(outcome.results[2])
      #expect(paths.contains { $0.hasPrefix("CONNECT ") } == !columns.contains("Method"), "\(paths)")
      #expect(paths.contains("/ · nowhere.invalid") == !columns.contains("Host"), "\(paths)")
    }

    private func expectAlikeUnderstanding(of queries: [String], in har: String) throws {
      let steps = queries.flatMap { query -> [ReportBrowser.Step] in
        [
          .evaluate(
            """
            new Promise((done) => {
              const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(null)));
              addEventListener('hashchange', drawn, { once: true });
              location.hash = new URLSearchParams({ q: \(JSONText.quoted(query)) }).toString();
            })
            """),
          .text(of: "#filter-message"), .column("number"),
        ]
      }
      let outcome = try ReportBrowser.visit(har, steps)
      #expect(outcome.problems == [])
      for (index, query) in queries.enumerated() {
        let report = try TestProcess(TapelineProcess.binary, ["report", har, "--filter", query])
        try #require(try report.wait().isSuccess, "\(query): \(report.errorText)")
        let numbers = report.outputText.split(separator: "<script type=\"application/json\" id=\"entry-").dropFirst()
          .map { String($0.prefix { $0 != "\"" }) }
        #expect(outcome.results[index * 3 + 1].string == "", "\(query)")
        let shown = strings(outcome.results[index * 3 + 2])
        #expect(shown.sorted() == numbers.sorted(), "\(query)")
      }
    }

    /// The page's curl command is the one that `show --curl` prints.
    @Test func copiesTheCurlCommandThatShowPrints() throws {
      let har = Self.fixture("session")
      for number in [1, 5, 6] {
        let shown = try TestProcess(TapelineProcess.binary, ["show", har, String(number), "--curl"])
        try #require(try shown.wait().isSuccess)
        let outcome = try ReportBrowser.visit(
          har,
          [
            .open("#n=\(number)"),
            .evaluate(
              """
              (async () => {
                let copied;
                navigator.clipboard.writeText = async (text) => { copied = text; };
                document.querySelector('.details-actions .copy').click();
                await new Promise((done) => setTimeout(done, 50));
                return copied;
              })()
              """),
          ])
        #expect(outcome.results[0].string.map { $0 + "\n" } == shown.outputText)
      }
    }

    @Test func saysWhatIsMissing() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"), options: ["--bodies", "none", "--title", "<b>Release</b>", "--filter", "status == 200"],
        [.text(of: "#notices"), .text(of: "#title"), .evaluate("document.title"), .column("status")])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string == "Bodies were left out of this report (--bodies none).")
      #expect(outcome.results[1].string == "<b>Release</b>" && outcome.results[2].string == "<b>Release</b>")
      #expect(Set(strings(outcome.results[3])).isSubset(of: ["200", "200!"]))
    }

    @Test func refusesWhatItCannotDo() throws {
      let directory = try TemporaryDirectory()
      func report(_ arguments: [String]) throws -> TestProcess {
        try TestProcess(TapelineProcess.binary, ["report"] + arguments)
      }
      let taken = try directory.write("mine", to: "taken.html")
      #expect(try report([Self.fixture("session"), "-o", taken]).wait() == .exited(73))
      #expect(try readText(taken) == "mine")
      #expect(try report([directory.path("none.har"), "-o", directory.path("a.html")]).wait() == .exited(65))
      #expect(try report([Self.fixture("session"), "--max-size", "10KiB"]).wait() == .exited(64))
      #expect(!fileExists(directory.path("a.html")))
    }
  }
}
