import TapelineTestSupport
import Testing

extension EndToEnd {
  /// For people, times are those of their zone, with its distance from UTC; for programs they are the log's.
  @Suite struct ClockTimes {
    /// An hour before, and an hour after, the clocks of New York are put back.
    private static let dates = [
      "2026-11-01T05:30:00.250000Z", "2026-11-01T06:30:00.500000Z", "2026-11-02T04:59:59.999999Z", "2026-11-02T05:00:00Z",
    ]
    private static let newYork = "EST5EDT,M3.2.0,M11.1.0"

    private func output(_ arguments: [String], zone: String) throws -> [String] {
      let entries = Self.dates.enumerated().map { index, date in
        #"""
        {"startedDateTime":"\#(date)","time":10,"request":{"method":"GET","url":"http://a.test/\#(index)","httpVersion":"HTTP/1.1",
        "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"",
        "httpVersion":"","cookies":[],"headers":[],"content":{"size":2,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":2},
        "cache":{},"timings":{"send":1,"wait":5,"receive":4}}
        """#
      }
      let directory = try TemporaryDirectory()
      let log = #"{"log":{"version":"1.2","creator":{"name":"x","version":""},"entries":[\#(entries.joined(separator: ","))]}}"#
      let file = try directory.write(log, to: "dates.har")
      let process = try TestProcess(
        TapelineProcess.binary, arguments.map { $0 == "FILE" ? file : $0 },
        environment: ["TZ": zone, "COLUMNS": "80", "LC_ALL": "C.UTF-8"])
      let status = try process.wait()
      #expect(status == .exited(0))
      return process.outputText.split(separator: "\n").map(String.init)
    }

    private func starts(_ lines: [String]) -> [String] {
      lines.dropFirst().map { $0.first == " " ? String($0.split(separator: " ")[1]) : $0 }
    }

    @Test("The table says above its rows which day it is, and where")
    func list() throws {
      #expect(
        starts(try output(["list", "FILE"], zone: Self.newYork)) == [
          "http://a.test  2026-11-01 -04:00", "01:30:00", "http://a.test  2026-11-01 -05:00", "01:30:00", "23:59:59",
          "http://a.test  2026-11-02 -05:00", "00:00:00",
        ])
      #expect(
        starts(try output(["list", "FILE", "--utc"], zone: Self.newYork)) == [
          "http://a.test  2026-11-01 UTC", "05:30:00", "06:30:00", "http://a.test  2026-11-02 UTC", "04:59:59", "05:00:00",
        ])
      #expect(try output(["list", "FILE", "--limit", "1"], zone: "IST-5:30")[1] == "http://a.test  2026-11-01 +05:30")
    }

    @Test("One exchange says all of it")
    func show() throws {
      #expect(try output(["show", "FILE", "1"], zone: "IST-5:30").contains("started   2026-11-01 11:00:00.250000 +05:30"))
      #expect(try output(["show", "FILE", "1", "--utc"], zone: "IST-5:30").contains("started   2026-11-01 05:30:00.250000 UTC"))
    }

    @Test(
      "Programs get the log's dates, wherever they run", arguments: [["--json"], ["--csv"], ["--csv-raw"], ["--json", "--utc"]])
    func programs(options: [String]) throws {
      let text = try output(["list", "FILE"] + options, zone: Self.newYork).joined()
      #expect(Self.dates.allSatisfy { text.contains($0) })
    }
  }
}
