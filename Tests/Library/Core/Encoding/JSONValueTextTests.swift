import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct JSONValueTextTests {
  @Test func layout() {
    let value = JSONValue.object(["b": .array([.integer(1), .object([:])]), "a": .null])
    #expect(value.description == #"{"a":null,"b":[1,{}]}"#)
    #expect(value.text(isPretty: true) == "{\n  \"a\": null,\n  \"b\": [\n    1,\n    {}\n  ]\n}")
  }

  /// RFC 8259 7.
  @Test func strings() {
    #expect(
      JSONValue.string("\"\\/\u{8}\u{1F}\n\r\t\u{7F}ä\u{2028}").description
        == "\"\\\"\\\\/\\b\\u001f\\n\\r\\t\u{7F}ä\u{2028}\"")
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let text = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init)))
    for value in [JSONValue.string(text), .number(0.1), .number(1e300), .number(-5e-300), .integer(.min), .bool(false)] {
      let array = JSONValue.array([value])
      #expect(try JSONDecoder().decode(JSONValue.self, from: Data(array.description.utf8)) == array)
    }
  }
}
