import Testing

@testable import TapelineHAR

@Suite("What a reader forgives")
struct JSONOdditiesTests {
  private func oddities(_ text: [UInt8]) throws -> [String] {
    var found: [String] = []
    try text.span.findOddities(at: .log) { found.append("\($0.path) \($0.kind)") }
    return found
  }

  private let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)

  @Test("Nothing in strict JSON", arguments: [#"{"a":[1,"\u0000\n\ud83d\ude00ß",true,null,{"b":-1e9}]}"#, "[]", "1e999"])
  func strict(text: String) throws {
    #expect(try oddities(Array(text.utf8)) == [])
  }

  @Test("Each oddity has its place")
  func places() throws {
    let text = #"{"a":["x\ud83d","\ud83dy","\ude00"],"b":{"c":"1\#u{1}2\#n"},"d":"§","e":\#(deep)}"#
    let bytes = Array(text.utf8).split(separator: [0xC2, 0xA7]).joined(separator: [0xDF])
    #expect(
      try oddities(Array(bytes)) == [
        "$.log.a[0] loneSurrogate", "$.log.a[1] loneSurrogate", "$.log.a[2] loneSurrogate", "$.log.b.c controlCharacter",
        "$.log.d notUTF8", "$.log.e" + String(repeating: "[0]", count: 255) + " tooDeep",
      ])
    #expect(try oddities([0x7B, 0x22, 0xDF, 0x22, 0x3A, 0x31, 0x7D]) == ["$.log notUTF8"])
  }

  @Test("A log's value is read with them, and any other is refused for what strict readers refuse")
  func reading() throws {
    let control = Array("\"a\u{1F}b\"".utf8)
    #expect(try HARValue(odd: control.span) == "a\u{1F}b")
    #expect(throws: HARReadError.self) { try HARValue(json: control.span) }
    let nested = Array(#"{"a":\#(deep),"b":1}"#.utf8)
    #expect(try HARValue(odd: nested.span)["b"] == 1)
    #expect(throws: HARReadError.self) { try HARValue(json: nested.span) }
    // A hole in a file, which was never written.
    #expect(throws: HARReadError.self) { try HARValue(odd: Array("\"a\u{0}b\"".utf8).span) }
  }

  @Test("All that is kept of an entry is what was there", arguments: HAREntryParts.bodies.rawValue...7)
  func entries(parts: UInt8) throws {
    let text = #"{"request":{"url":"http://a/\#u{1}"},"response":{"content":{"text":"b\#u{2}c"}},"_x":"\#u{3}","_y":\#(deep)}"#
    let entry = try HAREntry(json: Array(text.utf8).span, parts: HAREntryParts(rawValue: parts), bodyLimit: 2)
    #expect(entry.request.url == "http://a/\u{1}")
    if parts & 1 != 0 { #expect(entry.response.content.text == "b\u{2}" && entry.response.content.unreadText == 1) }
    if parts & 4 != 0 { #expect(entry.custom["_x"] == "\u{3}") }
  }
}
