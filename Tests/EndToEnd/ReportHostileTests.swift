import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A capture holds what strangers sent. None of it may run, load anything, or look like something else.
  @Suite struct HostileReport {
    private static let markup = #"</script><script>window.harmed=1</script><img src=x onerror=\"window.harmed=2\">"#
    private static let picture =
      #"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\" onload=\"window.harmed=3\"><script>window.harmed=4</script>"#
      + #"<image href=\"http://127.0.0.1:9/a.png\"/></svg>"#

    private static func entry(url: String, mime: String, text: String, members: String = "") -> String {
      let pair = #"{"name":"\#(markup)","value":"\#(markup)"}"#
      return """
        {"startedDateTime":"2026-01-02T03:04:05.000Z","time":10,"comment":"\(markup)","pageref":"__proto__","connection":"\(markup)",
        "serverIPAddress":"\(markup)","request":{"method":"\(markup)","url":"\(url)","httpVersion":"\(markup)","cookies":[\(pair)],
        "headers":[\(pair)],"queryString":[\(pair)],"headersSize":-1,"bodySize":3,
        "postData":{"mimeType":"application/json","text":"{\\"__proto__\\":{\\"harmed\\":1}}","params":[\(pair)]}},
        "response":{"status":200,"statusText":"\(markup)","httpVersion":"\(markup)","cookies":[\(pair)],"headers":[\(pair)],
        "content":{"size":10,"mimeType":"\(mime)","text":"\(text)"},"redirectURL":"javascript:window.harmed=5","headersSize":-1,
        "bodySize":-1},"cache":{},"timings":{"send":1,"wait":5,"receive":4}\(members)}
        """
    }

    private static var capture: String {
      let strange = #"""
        ,"_error":{"origin":"\#(markup)","message":"\#(markup)"},"_chunks":[null,{"ts":"x"},5],"_tls":["x"],"_tcp":5,"_events":[1],
        "_webSocketMessages":[null,1,{"type":"send","time":"x","opcode":99,"data":null},{"type":"send","time":1,"opcode":1,"data":"\#(markup)"}],
        "_timeline":7,"_initiator":{"url":"javascript:window.harmed=6"},"_informational":[{"status":"x"}],"_overhead":"x","_anomalies":[null]
        """#
      let entries = [
        entry(url: "javascript:window.harmed=7", mime: "text/html", text: markup),
        entry(url: "http://a.test/\(markup)", mime: markup, text: markup),
        entry(url: "http://a.test/a.svg", mime: "image/svg+xml", text: picture),
        entry(
          url: #"http://a.test/\u202egnp.exe\u0007\u009b"#, mime: "text/plain", text: #"\u202e\u0000\u001b[31m"#, members: strange
        ),
      ]
      return """
        {"log":{"version":"1.2","creator":{"name":"\(markup)","version":"\(markup)"},"comment":"\(markup)","pages":[
        {"startedDateTime":"never","id":"__proto__","title":"\(markup)","pageTimings":{}},
        {"startedDateTime":"2026-01-02T03:04:05.000Z","id":"b","title":"\(markup)","pageTimings":{}}],
        "_dropped":{"\(markup)":3},"entries":[\(entries.joined(separator: ","))]}}
        """
    }

    @Test func runsNothingAndAsksForNothing() throws {
      let directory = try TemporaryDirectory()
      let har = try directory.write(Self.capture, to: "hostile.har")
      let outcome = try ReportBrowser.visit(
        har, options: ["--title", "</title><script>window.harmed=8</script>"],
        [
          .walk(
            """
            for (const form of document.querySelectorAll('#panel .choices button')) {
              form.click();
              await frame();
              shown.push(form.textContent);
            }
            for (const message of document.querySelectorAll('#panel .message')) message.click();
            for (const link of document.querySelectorAll('a[href]')) links.add(`${link.protocol} ${link.rel}`);
            for (const failure of document.querySelectorAll('#panel > .failure')) shown.push(failure.textContent);
            """, collecting: "const shown = []; const links = new Set();", returning: "{ shown, links: [...links] }"),
          .press(["s"]), .press(["s"]),
          .evaluate("[typeof window.harmed, typeof ({}).harmed, document.querySelectorAll('script:not([type])').length]"),
          .column("path"),
        ])
      #expect(outcome.problems == [])
      let shown = (outcome.results[0]["shown"]?.elements ?? []).compactMap(\.string)
      #expect(shown.contains("Picture") && shown.contains("Hex"))
      #expect(shown.allSatisfy { ["Picture", "Pretty", "Text", "Hex"].contains($0) }, "\(shown)")
      #expect(outcome.results[0]["links"]?.elements == [.string("http: noreferrer noopener")])
      #expect(outcome.results[1].elements == [.string("undefined"), .string("undefined"), .number(0)])
      #expect(outcome.results[2].elements.last?.string == "/⟨U+202E⟩gnp.exe␇⟨U+009B⟩")
    }

    /// A text, or a value that has the text in each of its own texts, in every place of an entry.
    private static func entry(_ text: String, _ number: Int) -> String {
      let quoted = JSONText.quoted(text)
      let media = JSONText.quoted(HostileTexts.mediaTypes[number % HostileTexts.mediaTypes.count])
      let pair = #"{"name":\#(quoted),"value":\#(quoted),"comment":\#(quoted),\#(quoted):\#(quoted)}"#
      let cookie =
        #"{"name":\#(quoted),"value":\#(quoted),"path":\#(quoted),"domain":\#(quoted),"expires":\#(quoted),"sameSite":\#(quoted)}"#
      let own = [
        "_error": #"{"origin":\#(quoted),"phase":\#(quoted),"kind":\#(quoted),"message":\#(quoted),"option":\#(quoted)}"#,
        "_tls":
          #"{"version":\#(quoted),"cipher":\#(quoted),"alpn":\#(quoted),"serverName":\#(quoted),"issuer":\#(quoted),"subject":\#(quoted)}"#,
        "_clientTLS": #"{"version":\#(quoted),"cipher":\#(quoted)}"#, "_tunnel": #"{"unread":\#(quoted),"protocol":\#(quoted)}"#,
        "_changes": #"[{"leg":"request","change":"rewritten","name":\#(quoted),"from":\#(quoted),"to":\#(quoted)}]"#,
        "_client": #"{"address":\#(quoted),"process":\#(quoted),"command":\#(quoted)}"#, "_door": #"{"kind":\#(quoted)}"#,
        "_lookup": #"{"name":\#(quoted),"server":\#(quoted),"time":1}"#, "_upstreamProxy": quoted, "_initiator": pair,
        "_webSocketMessages": #"[{"type":"receive","time":1767323045,"opcode":1,"data":\#(quoted)}]"#, "_ended": quoted,
        "_grpc": #"{"status":8,"message":\#(quoted),"service":\#(quoted),"method":\#(quoted)}"#, "_resourceType": quoted,
        "_trailers": "[\(pair)]", "_debug": quoted, "_file": quoted, text: pair, "_priority": quoted,
        "_crash":
          #"{"signal":\#(quoted),"thread":\#(quoted),"number":1,"outage":1,"frames":[\#(quoted)],"inFlight":[{"url":\#(quoted)}]}"#,
      ]
      let members = own.sorted { $0.key < $1.key }.map { #",\#(JSONText.quoted($0.key)):\#($0.value)"# }.joined()
      return #"""
        {"startedDateTime":"2026-01-02T03:04:05.000Z","time":10,"comment":\#(quoted),"pageref":\#(quoted),"connection":\#(quoted),
        "serverIPAddress":\#(quoted),"request":{"method":\#(quoted),"url":\#(quoted),"httpVersion":\#(quoted),"cookies":[\#(cookie)],
        "headers":[\#(pair),{"name":"Referer","value":\#(quoted)},{"name":"Host","value":\#(quoted)}],"queryString":[\#(pair)],
        "headersSize":-1,"bodySize":3,"postData":{"mimeType":\#(media),"text":\#(quoted),"params":[\#(pair)]},"comment":\#(quoted)},
        "response":{"status":\#([200, 301, 404, 101, 0][number % 5]),"statusText":\#(quoted),"httpVersion":\#(quoted),"cookies":[\#(cookie)],
        "headers":[\#(pair),{"name":"Location","value":\#(quoted)},{"name":"Server-Timing","value":\#(quoted)}],"content":{"size":10,
        "mimeType":\#(number % 3 == 0 ? quoted : media),"text":\#(quoted)},"redirectURL":\#(quoted),"headersSize":-1,"bodySize":-1},
        "cache":{"comment":\#(quoted)},"timings":{"send":1,"wait":5,"receive":4,"comment":\#(quoted)}\#(members)}
        """#
    }

    @Test("Sixty captures of texts that harm wherever they are more than texts, in each place of an entry, are texts")
    func everyPlace() throws {
      let texts = HostileTexts.all
      #expect(texts.count >= 60)
      let directory = try TemporaryDirectory()
      let pages = texts.map { text in
        let quoted = JSONText.quoted(text)
        return
          #"{"startedDateTime":"2026-01-02T03:04:05.000Z","id":\#(quoted),"title":\#(quoted),"pageTimings":{},"comment":\#(quoted)}"#
      }
      let entries = texts.enumerated().map { Self.entry($1, $0) }
      let har = try directory.write(
        #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"pages":[\#(pages.joined(separator: ","))],"entries":[\#(entries.joined(separator: ","))]}}"#,
        to: "hostile.har")
      let outcome = try ReportBrowser.visit(
        har,
        [
          .visitAll(texts.count), .press(["s"]), .press(["s", "n"]), .evaluate(ReportBrowser.Step.harm),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].elements == [.number(Double(texts.count))] + ReportBrowser.Step.harmless)
      #expect(outcome.results[1].elements == ReportBrowser.Step.harmless)
    }
  }
}
