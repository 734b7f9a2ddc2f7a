import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Ten thousand exchanges, as a day's capture has them.
  @Suite struct LargeReport {
    private static func capture(_ count: Int) -> String {
      let entries = (0..<count).map { index in
        let (second, millisecond) = (index / 200).quotientAndRemainder(dividingBy: 60)
        let wait = (index * 7_919) % 400
        return """
          {"pageref":"page_\(index * 4 / count + 1)","startedDateTime":"2026-01-02T03:\(padded(second)):\(padded(millisecond)).\(padded(index % 200 * 5, 3))Z",
          "time":\(wait + 5),"request":{"method":"GET","url":"https://host-\(index % 7).test/things/\(index)","httpVersion":"HTTP/1.1",
          "cookies":[],"headers":[{"name":"Accept","value":"*/*"}],"queryString":[],"headersSize":100,"bodySize":0},
          "response":{"status":\(index % 97 == 0 ? 500 : 200),"statusText":"","httpVersion":"HTTP/1.1","cookies":[],
          "headers":[{"name":"X-Number","value":"\(index)"}],"content":{"size":2000,"mimeType":"application/json",
          "text":"{\\"number\\":\(index),\\"rest\\":\\"\(String(repeating: "x", count: 1_500))\\"}"},"redirectURL":"","headersSize":100,"bodySize":1500},
          "cache":{},"timings":{"blocked":1,"send":1,"wait":\(wait),"receive":3}}
          """
      }
      let pages = (1...4).map {
        #"{"id":"page_\#($0)","title":"Page \#($0)","startedDateTime":"2026-01-02T03:00:00Z","pageTimings":{}}"#
      }
      return """
        {"log":{"version":"1.2","creator":{"name":"tests","version":"1"},"pages":[\(pages.joined(separator: ","))],
        "entries":[\(entries.joined(separator: ",\n"))]}}
        """
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }

    /// Frames while scrolling: a sixtieth of a second where nothing else goes on; the bound allows for machines that do other
    /// things.
    @Test func staysFluid() throws {
      let directory = try TemporaryDirectory()
      let har = try directory.write(Self.capture(10_000), to: "large.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .text(of: "#count"),
          .evaluate(
            """
            new Promise((done) => {
              const viewport = document.querySelector('.viewport');
              const frames = [];
              let last;
              const step = (time) => {
                if (last !== undefined) frames.push(time - last);
                last = time;
                viewport.scrollTop += 900;
                if (frames.length < 120) requestAnimationFrame(step);
                else done(frames.sort((a, b) => a - b)[60]);
              };
              requestAnimationFrame(step);
            })
            """),
          .evaluate("document.querySelectorAll('.row').length"), .press(["End"]), .column("number"),
          .open("#q=resp.header%5B%22x-number%22%5D+%3D%3D+%229876%22"), .column("path"),
          .open("#q=status+%3E%3D+500&sort=-total"), .text(of: "#count"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string == "10,000 exchanges")
      #expect((outcome.results[1].number ?? .infinity) < 100)
      #expect((outcome.results[2].integer ?? .max) < 100, "only rows that are seen exist")
      #expect(outcome.results[3].elements.last?.string == "10000")
      #expect(outcome.results[4].elements == [.string("/things/9876")])
      #expect(outcome.results[5].string == "104 of 10,000")
    }

    /// The report is written from a stream: its memory does not depend on the capture's size.
    @Test func isWrittenInFlatMemory() throws {
      let directory = try TemporaryDirectory()
      let har = try directory.write(Self.capture(10_000), to: "large.har")
      let report = directory.path("report.html")
      let timed = try TestProcess(
        pythonInterpreter(),
        [
          "-c",
          """
          import resource, subprocess, sys
          subprocess.run(sys.argv[1:], check=True)
          print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
          """, try TapelineProcess.binary, "report", har, "-o", report, "--max-size", "8MiB",
        ])
      try #require(try timed.wait(seconds: 120).isSuccess, "\(timed.errorText)")
      let kibibytes = try #require(timed.outputText.split(separator: "\n").last.flatMap { Int($0) })
      #expect(kibibytes < 64 << 10)
      #expect(try readFile(report).count < (8 << 20) + (64 << 10))
      #expect(timed.errorText.contains("cut or left out"))
    }
  }
}
