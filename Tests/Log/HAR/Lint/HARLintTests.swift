import TapelineHAR
import Testing

@Suite("A log looked through")
struct HARLintTests {
  private func found(_ text: String, _ profiles: Set<HARProfile> = []) throws -> [String] {
    try findings(Array(text.utf8), profiles).findings.map { "\($0.severity.rawValue) \($0.rule.rawValue) \($0.path)" }
  }

  private let head = #""version":"1.2","creator":{"name":"a","version":"1"}"#
  private let page = #"{"id":"p","title":"t","startedDateTime":"2026-01-02T03:04:05Z","pageTimings":{}}"#

  private func log(_ entries: [HAREntry], pages: String) -> String {
    let entries = entries.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: ",")
    return #"{"log":{\#(head),"entries":[\#(entries)],"pages":\#(pages)}}"#
  }

  @Test("Pages may come behind the entries that name them")
  func pagesBehind() throws {
    #expect(try found(log([cleanEntry()], pages: "[\(page)]")) == [])
  }

  @Test("A page that is not there, once; entries without one, once")
  func references() throws {
    var other = cleanEntry()
    other.pageref = "q"
    var none = cleanEntry()
    none.pageref = nil
    let text = log([cleanEntry(), other, none, other, none], pages: "[\(page)]")
    #expect(
      try found(text) == ["error dangling-pageref $.log.entries[1].pageref", "warning missing-pageref $.log.entries[2]"])
    let clean = try HARLog(json: repaired(Array(text.utf8)))
    #expect(clean.pages.map(\.id) == ["p", "q"] && clean.entries.map(\.pageref) == ["p", "q", "p", "q", "p"])
  }

  @Test("Firefox wants pages; others only stumble", arguments: ["[]", "null", "{}"])
  func noPages(pages: String) throws {
    let text = log([], pages: pages)
    #expect(try found(text).last == "warning missing-pages $.log.pages")
    #expect(try found(text, [.firefox]).last == "error missing-pages $.log.pages")
    #expect(try HARLog(json: repaired(Array(text.utf8))).pages.map(\.id) == ["page_1"])
  }

  @Test("What the log itself lacks")
  func members() throws {
    #expect(
      try found("{\"log\":{}}") == [
        "error missing-member $.log.version", "error missing-member $.log.creator", "error missing-member $.log.entries",
        "warning missing-pages $.log.pages",
      ])
    let text = #"{"log":{"version":"1.1","creator":null,"creator":{"name":"a"},"entries":null,"_x":1.50,"pages":[\#(page)]}}"#
    #expect(
      try found(text) == [
        "error null $.log.creator", "error missing-member $.log.creator.version", "warning duplicate-member $.log.creator",
        "error null $.log.entries", "warning version $.log.version",
      ])
    let clean = String(decoding: try repaired(Array(text.utf8)), as: UTF8.self)
    #expect(clean.hasPrefix(#"{"log":{"version":"1.2","creator":{"name":"a","version":""},"pages":["#))
    #expect(clean.contains(#""_x":1.50"#))
  }

  @Test("A byte order mark, in whatever pieces")
  func mark() throws {
    let text = [0xEF, 0xBB, 0xBF] + Array(log([cleanEntry()], pages: "[\(page)]").utf8)
    for step in [1, 2, 3, 100] {
      #expect(try findings(text, step: step).findings.map(\.rule) == [.byteOrderMark])
    }
    #expect(try findings(text, [.playwright]).findings.map(\.severity) == [.error])
    #expect(try findings(repaired(text)).findings == [])
  }

  @Test("Entries in which nothing is wrong are copied as they are")
  func copies() throws {
    let odd = String(decoding: cleanEntry().json, as: UTF8.self).split(separator: #""time":21"#).joined(
      separator: #""time" : 21.000"#)
    let text = Array(#"{"log":{\#(head),"pages":[\#(page)],"entries":[\#(odd)]}}"#.utf8)
    #expect(String(decoding: try repaired(text), as: UTF8.self).contains(odd))
  }

  @Test("Counts")
  func counts() throws {
    let lint = try findings(Fixture.bytes("playwright")).lint
    #expect(lint.entryCount == 1 && lint.errorCount == 5 && lint.warningCount == 2 && lint.unfixableCount == 0)
  }

  @Test("What is no JSON is a finding with its place in the text")
  func malformed() throws {
    let text = #"{"log":{"entries":[{"a":1},{"b":tru}]}}"#
    for step in [1, 5, 100] {
      let found = try findings(Array(text.utf8), step: step).findings.first { $0.rule == .notJSON }
      #expect(found?.path == HARPath.log["entries"][1] && found?.message.contains("at byte 35") == true)
    }
  }

  @Test("A finding as JSON")
  func json() throws {
    let finding = HARFinding(rule: .badURL, severity: .error, path: HARPath.log["a"], message: "m", isFixable: false)
    #expect(
      String(decoding: finding.json.json, as: UTF8.self)
        == #"{"severity":"error","rule":"bad-url","path":"$.log.a","message":"m","fixable":false}"#)
  }
}
