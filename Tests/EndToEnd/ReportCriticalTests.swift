import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The critical path in the report.
  @Suite struct ReportCritical {
    private static func fixture(_ name: String) -> String {
      "\(repositoryRoot)/Tests/Fixtures/har/\(name).har"
    }

    /// The colours in the waterfall of the row of an exchange that are the line's, in both themes: how many pixels.
    private static func linePixels(ofRow number: Int) -> ReportBrowser.Step {
      .evaluate(
        """
        (() => {
          const row = [...document.querySelectorAll('.row:not([hidden]):not(.page)')].find((one) => one.item.number === \(number));
          const probe = document.createElement('i');
          probe.style.color = 'var(--critical)';
          document.body.append(probe);
          const [red, green, blue] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
          probe.remove();
          const canvas = row.querySelector('canvas');
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
          copy.drawImage(canvas, 0, 0);
          const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4) {
            if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) count += 1;
          }
          return count;
        })()
        """)
    }

    @Test("The page says what to make faster, marks the path, and lists only the path")
    func path() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("chromium-page"),
        [
          .text(of: "#critical-path p"), Self.linePixels(ofRow: 8), Self.linePixels(ofRow: 2), .press(["p"]), .column("number"),
          .evaluate("[location.hash, document.querySelector('#critical-path > button').getAttribute('aria-pressed')]"),
          .press(["Escape"]), .text(of: "#count"), .press(["t"]), Self.linePixels(ofRow: 8), .press(["t"]),
          .evaluate("[...document.querySelectorAll('.row:not([hidden]) .bars')].filter(({ textContent }) => textContent).length"),
          .click("#critical-path .link"), .evaluate("location.hash"), .resize(390, 800),
          .evaluate("document.documentElement.scrollWidth <= 390"),
        ])
      #expect(outcome.problems == [])
      #expect(
        outcome.results[0].string
          == "Without #8 GET 127.0.0.1:18080/api/recommendations, the end would come 206 ms earlier: after 741 ms, not 947 ms. "
          + "The client itself took 71.6 ms of the path.")
      #expect((outcome.results[1].integer ?? 0) > 20, "the line of an exchange on the path")
      #expect((outcome.results[2].integer ?? 0) < 120, "at most the line on its way down")
      #expect(outcome.results[3].elements.compactMap(\.string) == ["1", "4", "5", "8", "9", "10", "11"])
      #expect(outcome.results[4].elements == [.string("#path=1"), .string("true")])
      #expect(outcome.results[5].string == "11 exchanges")
      #expect((outcome.results[6].integer ?? 0) > 20, "in the dark, too")
      #expect(outcome.results[7].integer == 7)
      #expect(outcome.results[8].string == "#n=8")
      #expect(outcome.results[9].bool == true)
    }

    @Test("The details list what an exchange waited for, and its slack")
    func details() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("chromium-page"),
        [
          .open("#n=8&tab=timeline"), .text(of: "#panel"), .open("#n=2&tab=timeline"), .text(of: "#panel"),
          .click(".causes .link"), .evaluate("location.hash"),
          .open(""), .hover(".row:not([hidden]):not(.page) .bars"), .text(of: "#tooltip"),
        ])
      #expect(outcome.problems == [])
      let critical = outcome.results[0].string ?? ""
      #expect(critical.contains("On the critical path: without it, the end would come 206 ms earlier."), "\(critical)")
      #expect(critical.contains("after") && critical.contains("#5 POST"), "\(critical)")
      #expect(
        outcome.results[1].string?.contains("Not on the critical path: 864 ms more would not have delayed the end.") == true)
      #expect(outcome.results[2].string == "#n=1&tab=timeline")
      #expect(outcome.results[3].string?.contains("On the critical path: without it") == true)
    }

    @Test("The sentence is about the page of the selected exchange")
    func pages() throws {
      let outcome = try ReportBrowser.visit(
        Self.fixture("session"),
        [.text(of: "#critical-path p"), .open("#n=14"), .text(of: "#critical-path p")])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string?.hasPrefix("bash client.sh: Without #8 ") == true)
      #expect(outcome.results[1].string?.hasPrefix("errors and a stream: Without #14 ") == true)
    }
  }
}
