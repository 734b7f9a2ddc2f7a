import Testing

@testable import TapelineHAR

@Suite("Parts of an entry")
struct HAREntryPartsTests {
  private static let json = Array(
    #"""
    {"startedDateTime":"s","time":2.5,"request":{"method":"POST","url":"u","httpVersion":"h","headers":[{"name":"a","value":"\""}],
    "cookies":[{"name":"c","value":"v"}],"queryString":[{"name":"q","value":"v"}],"postData":{"mimeType":"m","text":"t\\","params":[]},
    "headersSize":1,"bodySize":2,"_r":1},"response":{"status":204,"content":{"size":3,"mimeType":"m","text":"{]\"","encoding":"base64"},
    "_error":"e"},"timings":{"send":1,"wait":1.5,"receive":0,"dns":-1},"_error":{"kind":"k"},"_ended":{"phase":"p"},"_blocked":{"proxy":2,"client":1.5,"x":[1]},
    "_x":[[{"a":"]"}],null,-1.5e3,true,false]}
    """#.utf8)

  @Test(
    "Of a body's text, whole characters within the limit are read, and the rest is counted, however it is fed",
    arguments: [
      #"plain text, long enough to be cut somewhere"#, #"é€𝄞é€𝄞é€𝄞"#, #"a\n\"b\"\u00e9\ud834\udd1e\/c\\d"#, "", "x",
      #"\u20ac\u20ac\u20ac\u20ac and then €€€€"#, #"PGh0bWw+PC9odG1sPg=="#,
    ])
  func bodyLimit(escaped: String) throws {
    let log = Array(
      """
      {"log":{"version":"1.2","entries":[{"request":{"method":"POST","postData":{"mimeType":"m","text":"\(escaped)"}},\
      "response":{"content":{"size":1,"text":"\(escaped)"}},"time":7}]}}
      """.utf8)
    func entry(limit: Int?, pieces: Int) throws -> HAREntry {
      var reader = HARReader()
      if let limit { reader.limit(bodiesTo: limit) }
      var rest = log[...]
      while true {
        if case .entry(let entry) = try reader.next() { return entry }
        if rest.isEmpty {
          reader.finish()
        } else {
          reader.feed(Array(rest.prefix(pieces)))
          rest = rest.dropFirst(pieces)
        }
      }
    }
    let whole = try #require(try entry(limit: nil, pieces: log.count).response.content.text)
    for limit in 0...whole.utf8.count + 2 {
      for pieces in [1, 7, log.count] {
        let entry = try entry(limit: limit, pieces: pieces)
        let content = entry.response.content
        let text = try #require(content.text)
        #expect(text.utf8.count <= limit && text.utf8.count + content.unreadText == whole.utf8.count)
        #expect(whole.hasPrefix(text) || text.isEmpty)
        #expect(limit - text.utf8.count < 4 || text == whole, "no more than a part of a character is missing")
        #expect(
          entry.request.postData?.text == text && entry.request.postData?.unreadText == content.unreadText && entry.time == 7)
      }
    }
  }

  @Test("Behind the limit, too, a body's text must be JSON", arguments: [#"abcdef\x"#, "abcdef\u{0}", #"abcdef\u12g4"#])
  func bodyBehindLimit(escaped: String) throws {
    var reader = HARReader()
    reader.limit(bodiesTo: 2)
    reader.feed(Array(#"{"log":{"entries":[{"response":{"content":{"text":"\#(escaped)"}}}]}}"#.utf8))
    reader.finish()
    guard case .unreadable? = try reader.next() else {
      Issue.record("what is no JSON was taken")
      return
    }
  }

  @Test("An overview tells what is in flight")
  func inFlight() throws {
    let json = Array(#"{"_inFlight":true,"_timeline":{},"time":1}"#.utf8)
    #expect(try HAREntry(json: json.span, parts: .overview).custom == ["_inFlight": true])
  }

  @Test("An overview has figures, how exchanges ended and whose their time was, and nothing else")
  func overview() throws {
    let entry = try HAREntry(json: Self.json.span, parts: .overview)
    #expect(entry.startedDateTime == "s" && entry.time == 2.5 && entry.request.method == "POST" && entry.request.bodySize == 2)
    #expect(
      entry.response.status == 204 && entry.response.content.size == 3 && entry.timings.wait == 1.5 && entry.timings.dns == -1)
    #expect(entry.blockedShares == BlockedShares(client: 1.5, proxy: 2))
    #expect(
      entry.custom == ["_error": ["kind": "k"], "_ended": ["phase": "p"]]
        && entry.response.custom == ["_error": "e"] && entry.request.custom == [:])
    #expect(entry.request.headers.isEmpty && entry.request.cookies.isEmpty && entry.request.queryString.isEmpty)
    #expect(
      entry.request.postData?.text == nil && entry.request.postData?.params == nil && entry.request.postData?.mimeType == "m")
    #expect(entry.response.content.text == nil && entry.response.content.encoding == nil)
  }

  @Test(
    "The parts of client and proxy are read where they are, whatever stands there instead",
    arguments: [
      (#"{"client":0.000,"proxy":1}"#, 0, 1), (#"{"client":0.000,"proxy":0.250,"connection":3.000}"#, 0, 0.25),
      (#"{"client":2.5,"proxy":0.250,"connection":3,"x":1}"#, 2.5, 0.25), (#"{"proxy":1,"client":"1"}"#, 0, 1), ("{}", 0, 0),
      ("1", 0, 0), ("null", 0, 0), ("[{}]", 0, 0),
    ])
  func shares(blocked: String, client: Double, proxy: Double) throws {
    let json = Array(#"{"startedDateTime":"s","_blocked":\#(blocked),"time":2}"#.utf8)
    let overview = try HAREntry(json: json.span, parts: .overview)
    #expect(overview.custom.isEmpty && overview.time == 2)
    #expect((overview.blockedShares ?? BlockedShares()) == BlockedShares(client: client, proxy: proxy))
    let whole = try HAREntry(json: json.span)
    #expect(try whole.custom["_blocked"] == HARValue(json: Array(blocked.utf8).span) && whole.blockedShares == nil)
  }

  @Test("Each part by itself")
  func parts() throws {
    let bodies = try HAREntry(json: Self.json.span, parts: .bodies)
    #expect(bodies.response.content.text == "{]\"" && bodies.request.postData?.text == "t\\" && bodies.request.headers.isEmpty)
    let fields = try HAREntry(json: Self.json.span, parts: .fields)
    #expect(
      fields.request.headers.first?.value == "\"" && fields.request.cookies.count == 1 && fields.response.content.text == nil)
    let custom = try HAREntry(json: Self.json.span, parts: .custom)
    #expect(custom.custom["_x"]?.array?.count == 5 && custom.request.custom["_r"] == 1 && custom.request.headers.isEmpty)
    let all = try HAREntry(json: Self.json.span)
    #expect(try HAREntry(json: Self.json.span, parts: .all) == all && HAREntry(json: all.json) == all)
  }

  @Test(
    "What is passed over must still end",
    arguments: [#"{"_x":[{"a":"#, #"{"_x":"\"#, #"{"_x":"a"#, #"{"_x":tru"#, #"{"_x":-"#, #"{"_x":"#])
  func torn(json: String) {
    #expect(throws: HARReadError.self) { try HAREntry(json: Array(json.utf8).span, parts: .overview) }
  }
}
