import Testing

@testable import TapelineHAR

@Suite("Elements that cannot be read")
struct UnreadableElementTests {
  private func events(_ text: String, step: Int = .max, parts: HAREntryParts = .all, warns: Bool = false) throws -> [String] {
    var reader = HARReader(parts: parts, reportsWarnings: warns)
    var names: [String] = []
    func take() throws {
      while let event = try reader.next() {
        switch event {
        case .entry(let entry): names.append(entry.request.url)
        case .unreadable(let kind, _): names.append("\(kind)")
        case .page(let page): names.append(page.id)
        case .version, .creator, .browser, .comment, .member, .beside, .warning: break
        }
      }
    }
    for piece in pieces(Array(text.utf8), step) {
      reader.feed(piece)
      try take()
    }
    reader.finish()
    try take()
    return names
  }

  private static let odd = [
    "null", "3", #""x""#, "[]", "[{}]", "tru", #"{"a":01}"#, #"{"time":NaN}"#, #"{"time":+1}"#, #"{"a":.5}"#, #"{"a" 1}"#,
    #"{"a":1,}"#, #"{"request":{"url":"\x"}}"#, "{\"request\":{\"url\":\"\u{0}\"}}", "{a:1}", #"{"time":Infinity}"#,
    #"{"time":undefined}"#,
  ]

  @Test("One is reported and passed over, and its neighbours keep their places", arguments: odd)
  func passedOver(entry: String) throws {
    let text = #"{"log":{"entries":[{"request":{"url":"a"}},\#(entry),{"request":{"url":"b"}}],"pages":[\#(entry),{"id":"p"}]}}"#
    let expected = ["a", "entry", "b", "page", "p"]
    for step in [1, 7, .max] {
      #expect(try events(text, step: step) == expected)
      #expect(try events(text, step: step, warns: true) == expected)
    }
    let (found, lint) = try findings(Array(text.utf8))
    #expect(lint.entryCount == 3)
    #expect(found.contains { "\($0.path)" == "$.log.entries[1]" && $0.severity == .error })
    let again = try HARLog(json: repaired(Array(text.utf8)))
    #expect(again.entries.map(\.request.url) == ["http://invalid.invalid/a", "http://invalid.invalid/b"])
  }

  @Test("What is wrong with the structure is an error, the first one")
  func damage() throws {
    for text in [#"{"log":{"entries":[{"a":"x}]}}"#, #"{"log":{"entries":[{"a":01}"#, #"{"log":{"entries":[{"a":01}}"#] {
      #expect(throws: HARReadError.self) { try events(text) }
      #expect(throws: HARReadError.self) { try events(text, step: 1) }
    }
    #expect { try events(#"{"log":{"entries":[{"a":01,"b":"x}]}}"#) } throws: { ($0 as? HARReadError)?.kind == .invalidNumber }
  }

  @Test("An entry that is read in part says nothing of the rest")
  func parts() throws {
    let text = #"{"log":{"entries":[{"_x":[01],"request":{"url":"a"}}]}}"#
    #expect(try events(text, parts: .overview) == ["a"])
    #expect(try events(text) == ["entry"])
  }
}
