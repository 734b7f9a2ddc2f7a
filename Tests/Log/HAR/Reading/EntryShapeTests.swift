import Testing

@testable import TapelineHAR

/// A scan is quick, and must be right: the whole look finds nothing in an entry that a scan of its shape takes.
@Suite("Shapes of scanned entries")
struct EntryShapeTests {
  private static let entry = #"""
    {"pageref":"page_1","startedDateTime":"2026-01-02T03:04:05.678Z","time":30,"request":{"method":"POST","url":"http://a.test/x?q=1",
    "httpVersion":"HTTP/1.1","cookies":[{"name":"a","value":"b"}],"headers":[{"name":"Host","value":"a.test"},{"name":"X","value":"gr\u00fc\"ße"}],
    "queryString":[{"name":"q","value":"1"}],"postData":{"mimeType":"text/plain","text":"x=\n1"},"headersSize":10,"bodySize":4},
    "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[{"name":"s","value":"v","expires":"2026-01-02T03:04:05Z",
    "httpOnly":true}],"headers":[{"name":"Content-Type","value":"image/png","comment":"c"}],"content":{"size":3,"compression":1,"mimeType":"image/png",
    "text":"AAAA","encoding":"base64"},"redirectURL":"","headersSize":-1,"bodySize":2},"cache":{},
    "timings":{"blocked":-1,"dns":1,"connect":5,"ssl":3,"send":4,"wait":10.0,"receive":10},"serverIPAddress":"127.0.0.1","connection":"443",
    "_x":{"a":[1,2e3,null,true,{"a":"\u12aB"}]},"_y":-0.5}
    """#

  private func isTaken(_ text: String) -> Bool {
    ScannedEntry(checking: Array(text.utf8).span) != nil
  }

  private func findings(_ text: String) -> [HARFinding]? {
    var lint = ElementLint(profiles: [])
    return try? lint.entry(Array(text.utf8).span).findings
  }

  @Test("An entry as it should be is taken, with what the rules are about")
  func taken() throws {
    #expect(isTaken(Self.entry))
    #expect(findings(Self.entry)?.isEmpty == true)
    let bytes = Array(Self.entry.utf8)
    let found = ScannedEntry(checking: bytes.span)
    let entry = try #require(found).entry
    #expect(entry.pageref == "page_1" && entry.time == 30 && entry.timings.wait == 10 && entry.timings.ssl == 3)
    #expect(entry.request.url == "http://a.test/x?q=1" && entry.response.content.compression == 1)
  }

  @Test("Every way in which it may be wrong is left to the whole look")
  func mutated() {
    let bytes = Array(Self.entry.utf8)
    // What JSON and HAR are made of, in place of each byte, and nothing in its place.
    let replacements = [[]] + "\"}0\\,".utf8.map { [$0] }
    var takenCount = 0
    for index in stride(from: 0, to: bytes.count, by: 2) {
      for replacement in replacements {
        var changed = bytes
        changed.replaceSubrange(index...index, with: replacement)
        let text = String(decoding: changed, as: UTF8.self)
        guard isTaken(text) else { continue }
        takenCount += 1
        var lint = ElementLint(profiles: [])
        guard lint.screened(Array(text.utf8).span) != nil else { continue }
        #expect(findings(text)?.isEmpty == true, "\(text)")
      }
    }
    // Most bytes are in texts, where they mean nothing.
    #expect(takenCount > 100)
  }

  @Test(
    "Members that are missing, twice, null, or of another type",
    arguments: [
      (#""time":30,"#, ""), (#""cache":{},"#, ""), (#""cache":{}"#, #""cache":null"#), (#""time":30"#, #""time":"30""#),
      (#""status":200"#, #""status":200.5"#), (#""httpOnly":true"#, #""httpOnly":"true""#), (#""_y":-0.5"#, #""_x":1"#),
      (#""connection":"443""#, #""connection":443"#), (#""text":"AAAA""#, #""text":"AAA""#),
      (#""value":"a.test""#, #""value":"a\nb""#),
      (#","text":"x=\n1""#, ""), (#""compression":1"#, #""compression":2"#), (#""dns":1"#, #""dns":-2"#),
      (#""cookies":[{"name":"a","value":"b"}]"#, #""cookies":[1]"#),
      (#""expires":"2026-01-02T03:04:05Z""#, #""expires":"soon""#), (#""statusText":"OK""#, #""statusText":null"#),
      (#"http://a.test"#, "/a.test"),
    ] as [(String, String)])
  func wrong(part: String, replacement: String) {
    let text = Self.entry.replacing("\n    ", with: "").replacing(part, with: replacement)
    #expect(text.contains(replacement) && text != Self.entry.replacing("\n    ", with: ""))
    var lint = ElementLint(profiles: [])
    let bytes = Array(text.utf8)
    let isClean = lint.screened(bytes.span) != nil
    #expect(!isClean)
    #expect(findings(text)?.isEmpty == false)
  }
}
