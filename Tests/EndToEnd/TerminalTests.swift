import TapelineTestSupport
import Testing

extension EndToEnd {
  /// No command sends what a capture holds to a terminal such that the terminal acts upon it, whatever the form.
  @Suite struct Terminals {
    private static let bad = #"=\u001b]0;x\u0007\u009b31m\u007f\u0085\u061c\u200e\u202e\u2028\u2066x\u0000\ud800\r\n\t"#

    /// Every text of it drives a terminal.
    private static var capture: String {
      let pair = #"{"name":"n\#(bad)","value":"\#(bad)"}"#
      return #"""
        {"log":{"version":"1.2","creator":{"name":"\#(bad)","version":"\#(bad)"},"comment":"\#(bad)","pages":[
        {"startedDateTime":"2026-01-02T03:04:05.000Z","id":"\#(bad)","title":"\#(bad)","pageTimings":{},"comment":"\#(bad)"}],"entries":[
        {"startedDateTime":"2026-01-02T03:04:05.000Z","time":10,"comment":"\#(bad)","pageref":"\#(bad)","connection":"\#(bad)",
        "serverIPAddress":"\#(bad)","_connectionId":"\#(bad)","_debug":"\#(bad)","_error":{"origin":"\#(bad)","kind":"\#(bad)","phase":"\#(bad)",
        "message":"\#(bad)"},"_tls":{"version":"\#(bad)","cipher":"\#(bad)"},"_upstreamProxy":{"address":"\#(bad)"},
        "_webSocketMessages":[{"type":"send","time":1,"opcode":1,"data":"\#(bad)"}],
        "request":{"method":"G\#(bad)","url":"http://a.test/\#(bad)","httpVersion":"\#(bad)","cookies":[\#(pair)],"headers":[\#(pair)],
        "queryString":[\#(pair)],"headersSize":-1,"bodySize":3,"postData":{"mimeType":"\#(bad)","text":"\#(bad)","params":[]}},
        "response":{"status":500,"statusText":"\#(bad)","httpVersion":"\#(bad)","cookies":[\#(pair)],"headers":[\#(pair)],
        "content":{"size":10,"mimeType":"\#(bad)","text":"\#(bad)"},"redirectURL":"\#(bad)","headersSize":-1,"bodySize":-1},"cache":{},
        "timings":{"send":1,"wait":5,"receive":4}},
        {"startedDateTime":"\#(bad)","time":10,"request":{"method":"GET","url":"http://a.test/","httpVersion":"HTTP/1.1","cookies":[],
        "headers":[{"name":"X","value":"\u001b\u009b\u202e"}],"queryString":[],"headersSize":-1,"bodySize":0},
        "response":{"status":200,"statusText":"","httpVersion":"","cookies":[],"headers":[],"content":{"size":2,
        "mimeType":"application/json","text":"{\"\u007f\u009b\":\"\u202e\"}"},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},
        "timings":{"send":1,"wait":5,"receive":4}}]}}
        """#
    }

    private static let commands = [
      "list FILE", "list FILE --json", "list FILE --csv", "list FILE --csv-raw", "list FILE --sort total:desc",
      "list FILE --columns 'number,start,method,url,page,error,mime,resp.header[\"x\"],comment,_debug'",
      "stats FILE", "stats FILE --json", "show FILE 1", "show FILE 2", "show FILE 1 --headers", "show FILE 1 --body",
      "show FILE 1 --request-body", "show FILE 1 --raw", "show FILE 2 --curl", "show FILE 1 --curl", "show FILE 1 --debug",
      "show FILE 2 --debug", "show FILE 1 --json", "waterfall FILE", "waterfall FILE --by connection", "critical FILE",
      "critical FILE --json", "diff FILE OTHER",
      "diff FILE OTHER --format markdown", "diff FILE OTHER --format json", "assert FILE 'all: status == 1'",
      "assert FILE 'all: status == 1' --format junit", "assert FILE 'all: status == 1' --format github",
      "assert FILE 'all: status == 1' --format json", "lint FILE", "lint FILE --json", "convert FILE --to har",
      "convert FILE --to ndjson", "import har FILE --no-redact",
      "convert FILE --to csv", "convert FILE --to csv --csv-raw", "recover FILE -o r.har", "lint FILE --fix -o f.har",
    ]

    @Test("Every command that reads a capture, on a terminal", arguments: commands)
    func command(line: String) throws {
      let directory = try TemporaryDirectory()
      let file = try directory.write(Self.capture, to: "hostile.har")
      let other = try directory.write(Self.capture.replacing("a.test", with: "b.test"), to: "other.har")
      let command = "\(try TapelineProcess.binary) " + line.replacing("FILE", with: file).replacing("OTHER", with: other)
      let terminal = try TestProcess(
        "env", ["-C", directory.path, "script", "-q", "-e", "-c", command, "/dev/null"],
        environment: ["NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "xterm", "SHELL": "/bin/sh"])
      let status = try terminal.wait()
      if case .exited(let code) = status { #expect(code < 128, "ended by a signal") } else { Issue.record("\(status)") }
      let text = terminal.outputText
      #expect(!text.isEmpty)
      let driving = text.unicodeScalars.filter { scalar in
        scalar != "\n" && scalar != "\r" && scalar != "\t" && (scalar.value < 0x20 || drivesTerminal(scalar))
      }
      #expect(driving.isEmpty, "\(line): \(driving.map { String($0.value, radix: 16) })")
      #expect(!text.replacing("\r\n", with: "\n").contains("\r"), "a line is not written over")
    }

    @Test("Cells that a spreadsheet would evaluate are texts, unless a machine asks for them")
    func formulas() throws {
      let directory = try TemporaryDirectory()
      let file = try directory.write(Self.capture, to: "hostile.har")
      func output(_ arguments: [String]) throws -> String {
        let process = try TestProcess(TapelineProcess.binary, arguments)
        try process.wait()
        return process.outputText
      }
      #expect(try output(["list", file, "--csv", "--columns", "comment"]).contains("\"'="))
      #expect(try output(["list", file, "--csv-raw", "--columns", "comment"]).contains("\"="))
      #expect(try output(["convert", file, "--to", "csv"]).contains("\"'="))
      #expect(try !output(["convert", file, "--to", "csv", "--csv-raw"]).contains("'="))
    }
  }
}
