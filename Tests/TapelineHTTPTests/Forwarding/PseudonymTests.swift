import Testing

@testable import TapelineHTTP

@Suite struct PseudonymTests {
  @Test(
    "RFC 9110 7.6.3: the name is found in any of several lines and members, whatever their protocol, comment and case",
    arguments: [
      ("1.1 tapeline", true), ("1.0 other, 1.1 tapeline", true), ("HTTP/1.1 TapeLine (here)", true), ("1.1\ttapeline", true),
      ("1.1 tapeline-123abc", false), ("1.1 other (tapeline)", false), ("tapeline", false), ("", false),
    ])
  func found(value: String, isNamed: Bool) {
    let fields: HeaderFields = ["Via": "1.1 someone", "Other": "1.1 tapeline", "via": value]
    #expect(Pseudonym.common.isNamed(in: fields) == isNamed)
  }

  @Test("RFC 9110 7.6.3: a proxy among others of its kind knows itself from them")
  func unique() {
    let names = (Pseudonym.unique(), Pseudonym.unique())
    #expect(names.0 != names.1, "which one in sixteen million runs is not")
    let fields: HeaderFields = ["Via": names.0.fieldValue(received: .http10)]
    #expect(names.0.isNamed(in: fields))
    #expect(!names.1.isNamed(in: fields))
    #expect(!Pseudonym.common.isNamed(in: fields))
    #expect(names.0.text.utf8.count <= 15, "longer strings are allocated")
  }

  @Test("RFC 9110 7.6.3: Via says which version was received")
  func fieldValue() {
    #expect(Pseudonym.common.fieldValue(received: .http10) == "1.0 tapeline")
    var output: [UInt8] = []
    ForwardedFields.appendVia(received: .http11, by: .unique(), into: &output)
    let line = String(decoding: output, as: UTF8.self)
    #expect(line.wholeMatch(of: /Via: 1\.1 tapeline-[0-9a-f]{6}\r\n/) != nil)
  }
}
