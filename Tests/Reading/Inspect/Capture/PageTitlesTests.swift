import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Page titles")
struct PageTitlesTests {
  private static let entry =
    #"{"pageref":"page_2","startedDateTime":"2026-01-02T03:04:05Z","time":1,"request":{"method":"GET","url":"http://a/"},"response":{"status":200},"timings":{}"#

  private static func pages(_ title: String = "log in") -> String {
    #""pages":[{"id":"page_1","title":"sh"},{"id":"page_2","title":"\#(title)"}]"#
  }

  private func title(_ log: String, _ reach: PageTitles.Reach, id: String = "page_2") throws -> String? {
    let file = try TemporaryFile(log)
    let titles = PageTitles.read(try InputSource.open(file.path), reach)
    var entry = HAREntry.ordinary()
    entry.pageref = id
    titles.name(&entry)
    return entry.pageTitle
  }

  @Test("Behind the entries, as our recorder writes them, and before them", arguments: [PageTitles.Reach.near, .whole])
  func places(reach: PageTitles.Reach) throws {
    #expect(try title(#"{"log":{"entries":[\#n\#(Self.entry)}\#n],\#(Self.pages())}}"#, reach) == "log in")
    #expect(try title(#"{"log":{"entries":[\#(Self.entry)}],\#(Self.pages()),"_dropped":{"records":1}}}  "#, reach) == "log in")
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[\#(Self.entry)}]}}"#, reach) == "log in")
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[]}}"#, reach) == "log in")
    #expect(try title(#"{"log":{"entries":[\#(Self.entry)}]}}"#, reach) == nil)
  }

  @Test("What only looks like the log's pages is none")
  func disguises() throws {
    let text = #""_x":"],\"pages\":[{\"id\":\"page_2\",\"title\":\"no\"}]}}""#
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[\#(Self.entry),\#(text)}]}}"#, .whole) == "log in")
    let member = #""_x":{"pages":[{"id":"page_2","title":"no"}]}"#
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[\#(Self.entry),\#(member)}]}}"#, .whole) == "log in")
    #expect(
      try title(#"{"log":{"entries":[\#(Self.entry),\#(member)}],"pages" : [{"id":"page_2","title":"yes"}]}}"#, .whole) == "yes")
    #expect(
      try title(#"{"log":{"entries":[\#(Self.entry),\#(member)}],"pages" : [{"id":"page_2","title":"yes"}]}}"#, .near) == nil)
  }

  @Test("Behind more entries than are looked at, they are found by going through all")
  func large() throws {
    let long = String(repeating: "x", count: 2_000)
    let entries = Array(repeating: #"\#(Self.entry),"_x":"\#(long)"}"#, count: 700).joined(separator: ",")
    #expect(try title(#"{"log":{"entries":[\#(entries)],\#(Self.pages())}}"#, .near) == "log in")
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[\#(entries)]}}"#, .near) == "log in")
    let after = #"{"log":{"entries":[\#(entries)],"pages": [{"id":"page_2","title":"late"}],"_x":["\#(long)"]}}"#
    #expect(try title(after, .whole) == "late")
    #expect(try title(after, .near) == nil)
  }

  @Test("Of a damaged log, what comes before the damage; of pages with one id the first; without a title none")
  func damage() throws {
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[{"#, .whole) == "log in")
    #expect(
      try title(#"{"log":{"pages":[{"id":"page_2","title":"a"},{"id":"page_2","title":"b"}],"entries":[]}}"#, .whole) == "a")
    #expect(try title(#"{"log":{\#(Self.pages("")),"entries":[]}}"#, .whole) == nil)
    #expect(try title(#"{"log":{\#(Self.pages()),"entries":[]}}"#, .whole, id: "page_3") == nil)
  }

  @Test("A title is no member of an entry")
  func unwritten() {
    var entry = HAREntry.ordinary()
    let plain = entry.json
    entry.pageTitle = "log in"
    #expect(entry.json == plain)
    #expect(entry.page == "log in")
  }
}
