import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Other views of a report than the list: by connection, two exchanges side by side, and as a file.
  @Suite struct ReportViews {
    private static let session = "\(repositoryRoot)/Tests/Fixtures/har/session.har"
    private static let headings = ReportBrowser.Step.evaluate(
      """
      [...document.querySelectorAll('.row.page:not([hidden])')]
        .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
        .map((row) => row.querySelector('.page-title').textContent)
      """)

    /// Three streams of one connection, of which two are in flight at once, and an exchange without a connection.
    private static let multiplexed: String = {
      let entries = [(1, 0, 50, "7"), (2, 10, 20, "7"), (3, 60, 10, "7"), (4, 5, 1, "")].map { number, start, time, connection in
        """
        {"startedDateTime":"2026-01-02T03:04:05.\(start < 10 ? "00" : "0")\(start)Z","time":\(time),
        "request":{"method":"GET","url":"https://a.test/\(number)","httpVersion":"HTTP/2","cookies":[],"headers":[],
        "queryString":[],"headersSize":-1,"bodySize":0},
        "response":{"status":200,"statusText":"","httpVersion":"HTTP/2","cookies":[],"headers":[],"content":{"size":0,
        "mimeType":"text/plain"},"redirectURL":"","headersSize":-1,"bodySize":0},"cache":{},
        "timings":{"send":0,"wait":\(time),"receive":0}\(connection.isEmpty ? "" : #","connection":"\#(connection)""#)}
        """
      }
      return #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":["#
        + entries.joined(separator: ",\n") + "]}}"
    }()

    @Test("Connections lists the exchanges by connection, and says how many of them were under way at once")
    func connections() throws {
      let directory = try TemporaryDirectory()
      let har = try directory.write(Self.multiplexed, to: "multiplexed.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .press(["n"]), Self.headings, .column("path"), .evaluate("location.hash"), .press(["n"]), Self.headings,
          .open("#view=connections&sort=-total"), .column("path"), .press(["Escape"]), Self.headings,
        ])
      #expect(outcome.problems == [])
      #expect(
        outcome.results[0].elements.compactMap(\.string) == [
          "Connection 7 · a.test · HTTP/2 3 exchanges, at most 2 at once", "Without a connection 1 exchange",
        ])
      #expect(outcome.results[1].elements.compactMap(\.string) == ["/1", "/2", "/3", "/4"])
      #expect(outcome.results[2].string == "#view=connections")
      #expect(outcome.results[3].elements.isEmpty)
      #expect(outcome.results[4].elements.compactMap(\.string) == ["/1", "/2", "/3", "/4"])
      #expect(outcome.results[5].elements.isEmpty)
    }

    @Test("Search shows the lines of heads and bodies that have a text, and opens an exchange where it is")
    func search() throws {
      let outcome = try ReportBrowser.visit(
        Self.session,
        [
          .click("#open-search"), .type("STOCK"), .wait("document.querySelector('#search [role=status]').textContent !== ''"),
          .evaluate("[...document.querySelectorAll('.found-line')].map(({ textContent }) => textContent)"),
          .evaluate("[...document.querySelectorAll('.found mark')].map(({ textContent }) => textContent.toLowerCase())"),
          .evaluate("document.querySelector('#search [role=status]').textContent"),
          .evaluate("[...document.querySelectorAll('.found-line')].at(-1).click()"),
          .wait("CSS.highlights.get('found')?.size === 1"), .evaluate("location.hash"), .press(["Escape"]),
          .evaluate("document.querySelector('#search').hidden"),
        ])
      #expect(outcome.problems == [])
      let lines = outcome.results[0].elements.compactMap(\.string)
      #expect(lines.contains { $0.hasPrefix("response body") && $0.contains(#"{"item":"lamp","stock":7}"#) })
      #expect(lines.contains { $0.hasPrefix("requestGET http://127.0.0.1:18080/api/stock") })
      #expect(Set(outcome.results[1].elements.compactMap(\.string)) == ["stock"])
      #expect(outcome.results[2].string == "in 2 exchanges")
      #expect(outcome.results[4].string == "#n=7&tab=response" && outcome.results[5].bool == true)
    }

    @Test("After a click on a heading, Enter opens what is selected; a chosen row stays in sight when the details open")
    func keysAfterHeading() throws {
      let outcome = try ReportBrowser.visit(
        Self.session,
        [
          .resize(390, 844), .press(["j", "j"]), .click(".heading [role=columnheader]:first-child button"), .press(["Enter"]),
          .wait("document.querySelector('#panel') !== null"), .evaluate("location.hash"), .press(["Escape"]), .open("#n=16"),
          .wait("document.querySelector('#panel') !== null"),
          .wait(
            """
            (() => {
              const row = document.querySelector('.row[aria-selected=true]:not([hidden])')?.getBoundingClientRect();
              const list = document.querySelector('.viewport').getBoundingClientRect();
              return row && row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
            })()
            """),
        ])
      #expect(outcome.problems == [])
      let address = outcome.results[0].string ?? ""
      #expect(address.contains("sort=method") && address.contains("n="), "sorted once, and opened")
    }

    @Test("Compare shows two exchanges side by side: what differs, by how much, and where their bodies part")
    func comparison() throws {
      let table = ReportBrowser.Step.evaluate(
        """
        [...document.querySelectorAll('#panel .comparison .other')].map((row) =>
          [...row.children].map(({ textContent }) => textContent))
        """)
      let titles = ReportBrowser.Step.evaluate(
        "[...document.querySelectorAll('#panel h2')].map(({ textContent }) => textContent)")
      let outcome = try ReportBrowser.visit(
        Self.session,
        [
          .open("#n=1"), .press(["x", "j"]), titles, table, .open("#n=12"), .press(["x"]), .open("#n=12"),
          .press(["x"]), .press(["Home"]), titles, .press(["End", "x", "x"]), .evaluate("document.querySelector('#tab-compare')"),
        ])
      #expect(outcome.problems == [])
      let titled = outcome.results[0].elements.compactMap(\.string)
      #expect(titled.contains { $0.hasPrefix("Exchange (") } && titled.contains { $0.hasPrefix("Times (") }, "\(titled)")
      #expect(titled.contains { $0.hasPrefix("Response body: they part in line 1, at character ") }, "\(titled)")
      let rows = outcome.results[1].elements.map { $0.elements.compactMap(\.string) }
      #expect(rows.contains(["URL", "http://127.0.0.1:18080/", "http://127.0.0.1:18080/style.css", "≠"]), "\(rows)")
      let time = try #require(rows.first { $0.first == "Time" })
      #expect(time[3].hasPrefix("+") || time[3].hasPrefix("−"))
      #expect(outcome.results[2].elements.compactMap(\.string).contains("Response body: the same"), "the page was got twice")
      #expect(outcome.results[3] == .null)
    }

    @Test("Save gives the listed exchanges as HAR, entry for entry as the capture has them")
    func saving() throws {
      let outcome = try ReportBrowser.visit(
        Self.session,
        [
          .evaluate("(URL.createObjectURL = (file) => { globalThis.saved = file; return 'data:,'; }, 0)"),
          .open("#q=status+%3E%3D+400"),
          .evaluate("(URL.createObjectURL = (file) => { globalThis.saved = file; return 'data:,'; }, 0)"),
          .press(["d"]), .wait("globalThis.saved !== undefined"), .evaluate("saved.text()"),
        ])
      #expect(outcome.problems == [])
      let text = try #require(outcome.results.last?.string)
      let saved = try JSONTree(parsing: Array(text.utf8))
      let whole = try RecordedLog(contentsOf: Self.session)
      let expected = whole.entries.filter { ($0.status ?? 0) >= 400 }.map(\.tree)
      #expect(expected.count == 2)
      #expect(saved["log"]?["entries"]?.elements == expected)
      #expect(saved["log"]?["pages"]?.elements == whole.tree["log"]?["pages"]?.elements)
      let directory = try TemporaryDirectory()
      try HARValidators.expectAccepted(try directory.write(text, to: "saved.har"))
    }

    @Test("On a phone, a row has two lines, and the waterfall the whole width of the second")
    func phone() throws {
      let outcome = try ReportBrowser.visit(
        Self.session,
        [
          .resize(390, 844),
          .evaluate(
            """
            (() => {
              const row = document.querySelector('.row:not([hidden]):not(.page)');
              const [path, bars] = ['.cell-path', '.bars'].map((one) => row.querySelector(one).getBoundingClientRect());
              return [row.offsetHeight, bars.top >= path.bottom - 1, bars.width / row.clientWidth];
            })()
            """),
          .press(["End"]),
          .evaluate("document.querySelector('.row[aria-selected=true]').getBoundingClientRect().bottom <= innerHeight + 1"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].elements.first == .number(44) && outcome.results[0].elements[1] == .bool(true))
      #expect((outcome.results[0].elements.last?.number ?? 0) > 0.95)
      #expect(outcome.results[1] == .bool(true))
    }
  }
}
