import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What came piece by piece, in the report as in `show`.
  @Suite struct ReportMessages {
    private static func entry(url: String, status: Int, content: String, members: String) -> String {
      """
      {"startedDateTime":"2026-01-02T03:04:05.000Z","time":900,"request":{"method":"GET","url":"\(url)","httpVersion":"HTTP/1.1",
      "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},"response":{"status":\(status),"statusText":"",
      "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":\(content),"redirectURL":"","headersSize":-1,"bodySize":42},
      "cache":{},"timings":{"send":1,"wait":5,"receive":894},\(members)}
      """
    }

    private static var capture: String {
      let messages = [
        #"{"type":"send","time":1767323045.25,"opcode":1,"data":"hi"}"#,
        #"{"type":"receive","time":1767323045.5,"opcode":2,"data":"aGVsbG8="}"#,
        #"{"type":"receive","time":1767323045.5,"opcode":2,"data":"AAH/"}"#,
        #"{"type":"receive","time":1767323045.75,"opcode":8,"data":"A+l0aGUgc2VydmVyIHJlc3RhcnRz"}"#,
        #"{"type":"send","time":1767323045.8,"opcode":8,"data":""}"#,
      ]
      let stream = #"id: 7\nevent: tick\ndata: {\"a\":1}\n\ndata: b\n\n"#
      let entries = [
        entry(
          url: "ws://a.test/chat", status: 101, content: #"{"size":0,"mimeType":"x-unknown"}"#,
          members: "\"_webSocketMessages\":[\(messages.joined(separator: ","))]"),
        entry(
          url: "http://a.test/events", status: 200, content: #"{"size":42,"mimeType":"text/event-stream","text":"\#(stream)"}"#,
          members: #""_chunks":[{"ts":12500,"bytes":33},{"ts":800000,"bytes":9}]"#),
      ]
      return #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"pages":[],"entries":["#
        + entries.joined(separator: ",") + "]}}"
    }

    private static let previews = "[...document.querySelectorAll('#panel .message')].map((one) => one.lastChild.textContent)"
    private static let cells =
      "[...document.querySelectorAll('#panel .message')].map((one) => [...one.children].map((cell) => cell.textContent).join(' | '))"

    @Test func closesAndBytesAreDecoded() throws {
      let directory = try TemporaryDirectory()
      let har = try directory.write(Self.capture, to: "messages.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .open("#n=1&tab=messages"), .evaluate(Self.previews), .click("#panel .message:nth-child(4)"),
          .text(of: "#panel .body-content"), .click("#panel .message:nth-child(2)"),
          .evaluate("[...document.querySelectorAll('#panel .choices button')].map((one) => one.textContent)"),
        ])
      #expect(outcome.problems == [])
      let previews = outcome.results[0].elements.compactMap(\.string)
      #expect(
        previews == ["hi", "68 65 6c 6c 6f  \"hello\"", "00 01 ff", "1001 Going Away: the server restarts", "no code"])
      #expect(outcome.results[1].string == "Code1001 Going AwayReasonthe server restarts")
      #expect(outcome.results[2].elements == [.string("Hex"), .string("Text")])
      let show = try TestProcess(
        TapelineProcess.binary, ["show", har, "1"], environment: ["LC_ALL": "C.UTF-8", "COLUMNS": "100"])
      try show.wait()
      for line in [
        "250ms → text   hi", "500ms ← binary 5 B  68 65 6c 6c 6f  \"hello\"", "500ms ← binary 3 B  00 01 ff",
        "750ms ← close  1001 Going Away: the server restarts", "800ms → close  no code",
      ] {
        #expect(show.outputText.contains("\(line)\n"), "\(show.outputText)")
      }
    }

    @Test func gapsLeadToTheirEventsAndEventsAreFound() throws {
      let events = (0..<700).map { "data: event \($0)\\n\\n" }
      let text = events.joined()
      let size = events.reduce(0) { $0 + $1.utf8.count - 2 }
      let chunks = events.enumerated().map { index, event in
        #"{"ts":\#(1_000 + index * 1_000 + (index > 600 ? 5_000_000 : 0)),"bytes":\#(event.utf8.count - 2)}"#
      }
      let entry = Self.entry(
        url: "http://a.test/events", status: 200, content: #"{"size":\#(size),"mimeType":"text/event-stream","text":"\#(text)"}"#,
        members: "\"_chunks\":[\(chunks.joined(separator: ","))]"
      ).replacing(#""bodySize":42"#, with: "\"bodySize\":\(size)")
      let directory = try TemporaryDirectory()
      let har = try directory.write(
        #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"pages":[],"entries":[\#(entry)]}}"#, to: "events.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .open("#n=1&tab=messages"), .evaluate("document.querySelectorAll('#panel .message').length"),
          .click("#panel .notes button"), .text(of: "#panel .message.chosen"),
          .click("#panel .gaps > .stall"), .text(of: "#panel .message.chosen"),
          .evaluate("document.querySelectorAll('#panel .gaps > span').length"),
          .evaluate(
            """
            (() => {
              const input = document.querySelector('#panel input[type=search]');
              input.value = 'EVENT 69';
              input.dispatchEvent(new Event('input'));
              return document.querySelectorAll('#panel .message').length;
            })()
            """),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].number == 500)
      #expect(outcome.results[1].string?.contains("event 601") == true, "\(outcome.results[1])")
      #expect(outcome.results[2].string?.contains("event 601") == true, "\(outcome.results[2])")
      #expect(outcome.results[3].number == 200)
      #expect(outcome.results[4].number == 11, "event 69, and 690 to 699")
    }

    @Test("The words of a model stand together above the events that brought them")
    func answersAreJoined() throws {
      let events = ["Side ", "A", ", side <b>"].map { word in
        #"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\#(word)\"}}]}\n\n"#
      }
      let body = #"{"mimeType":"application/json","text":"{\"model\":\"m\",\"messages\":[]}"}"#
      let entry = Self.entry(
        url: "http://a.test/v1/chat/completions", status: 200,
        content: #"{"size":42,"mimeType":"text/event-stream","text":"\#(events.joined())"}"#, members: #""_chunks":[]"#
      ).replacing(#""method":"GET""#, with: #""method":"POST","postData":\#(body)"#)
      let directory = try TemporaryDirectory()
      let har = try directory.write(
        #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"pages":[],"entries":[\#(entry)]}}"#, to: "answer.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .open("#n=1&tab=messages"), .text(of: "#panel .section"),
          .evaluate("document.querySelectorAll('#panel .message').length"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string?.contains("Side A, side <b>") == true, "\(outcome.results[0])")
      #expect(outcome.results[1].number == 3)
    }

    @Test func eventsAreRows() throws {
      let directory = try TemporaryDirectory()
      let har = try directory.write(Self.capture, to: "messages.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .open("#n=2&tab=messages"), .evaluate(Self.cells), .click("#panel .message:nth-child(1)"),
          .evaluate("[...document.querySelectorAll('#panel .choices button')].map((one) => one.textContent)"),
        ])
      #expect(outcome.problems == [])
      let rows = outcome.results[0].elements.compactMap(\.string)
      #expect(rows == ["12.5 ms | 7 | tick | {\"a\":1}", "800 ms | 7 | message | b"])
      #expect(outcome.results[1].elements == [.string("Pretty"), .string("Text"), .string("Hex")])
      let show = try TestProcess(
        TapelineProcess.binary, ["show", har, "2"], environment: ["LC_ALL": "C.UTF-8", "COLUMNS": "100"])
      try show.wait()
      let rowsShown = " 12.5ms       - 7 tick    {\"a\":1}\n    800ms   788ms 7 message b\n"
      #expect(show.outputText.contains(rowsShown), "\(show.outputText)")
    }
  }
}
