import TapelineBase
import Testing

@testable import TapelineHAR

@Suite("Elements of a log")
struct HARElementReaderTests {
  private static let text = Array(
    #"{"x":[{}],"log":{"pages":[{"id":"p"}],"entries":[ {"a":1} ,null,{"b":"}"}],"creator":{},"entries":7}}"#.utf8)

  private func elements(_ step: Int) throws -> [(kind: HARElementReader.Element.Kind, text: String)] {
    var reader = HARElementReader()
    var found: [(kind: HARElementReader.Element.Kind, text: String)] = []
    func take() throws {
      while let element = try reader.next() {
        let bytes = reader.withBytes(of: element) { [UInt8](copying: $0) }
        #expect(bytes == Array(Self.text[element.range]))
        found.append((element.kind, String(decoding: bytes, as: UTF8.self)))
      }
    }
    for piece in pieces(Self.text, step) {
      reader.feed(piece.span)
      try take()
    }
    reader.finish()
    try take()
    #expect(reader.hasPages && reader.hasEntries)
    #expect(reader.offset == Self.text.count)
    return found
  }

  @Test("Each with its bytes and its place, whatever the pieces", arguments: [1, 2, 5, 1_000])
  func elements(step: Int) throws {
    let found = try elements(step)
    #expect(found.map(\.kind) == [.beside("x"), .page, .entry, .entry, .entry, .member("creator"), .member("entries")])
    #expect(found.map(\.text) == ["[{}]", #"{"id":"p"}"#, #"{"a":1}"#, "null", #"{"b":"}"}"#, "{}", "7"])
  }

  @Test("The end of a torn value is not passed by")
  func torn() {
    var reader = HARElementReader()
    reader.feed(Array("{\"log\":{\"entries\":[{\"a\":".utf8).span)
    reader.finish()
    #expect { _ = try reader.next() } throws: { ($0 as? HARReadError) == HARReadError(kind: .unexpectedEnd, offset: 24) }
    #expect(reader.offset == 19)
  }

  @Test("What cannot begin a value is an error", arguments: ["{\"log\":{\"entries\":[,]}}", "{\"log\":{\"pages\":[{},]}}"])
  func punctuation(text: String) {
    var reader = HARElementReader()
    reader.feed(Array(text.utf8).span)
    reader.finish()
    #expect(throws: HARReadError.self) { while try reader.next() != nil {} }
  }
}
