import Testing

@testable import TapelineHTTP

@Suite struct PseudonymTests {
  @Test(
    "RFC 9110 7.6.3: the name is found in any of several lines and members, whatever their protocol, comment and case",
    arguments: [
      ("1.1 NAME", true), ("1.0 other, 1.1 NAME", true), ("HTTP/1.1 NAME (here)", true), ("1.1\tNAME", true),
      ("1.1 tapeline-000000", false), ("1.1 other (NAME)", false), ("NAME", false), ("", false),
    ])
  func found(value: String, isNamed: Bool) {
    let name = Pseudonym.unique()
    for spelling in [name.text, name.text.uppercased()] {
      let value = value.replacing("NAME", with: spelling)
      let fields: HeaderFields = ["Via": "1.1 someone", "Other": "1.1 \(name.text)", "via": value]
      #expect(name.isNamed(in: fields) == isNamed, "\(value)")
    }
  }

  @Test(arguments: [
    ("1.1 tapeline-12ab34", true), (" 1.0  tapeline-ABCDEF ", true), ("1.1 tapeline", false), ("1.1 tapeline-12ab3", false),
    ("1.1 tapeline-12ab345", false), ("1.1 tapeline-12ab3g", false), ("1.1 other, 1.1 tapeline-12ab34", false), ("", false),
    ("1.1 tapeline-12ab34 (here)", false),
  ])
  func aLineOfOurKindIsKnown(value: String, isOurs: Bool) {
    #expect(Pseudonym.isOnlyMember(of: value) == isOurs)
  }

  @Test("RFC 9110 7.6.3: a proxy among others of its kind knows itself from them")
  func unique() {
    let names = (Pseudonym.unique(), Pseudonym.unique())
    #expect(names.0 != names.1, "which one in sixteen million runs is not")
    let fields: HeaderFields = ["Via": names.0.fieldValue(received: .http10)]
    #expect(names.0.isNamed(in: fields))
    #expect(!names.1.isNamed(in: fields))
    #expect(names.0.text.utf8.count <= 15, "longer strings are allocated")
  }

  @Test("RFC 9110 7.6.3: Via says which version was received")
  func fieldValue() {
    #expect(Pseudonym.unique().fieldValue(received: .http10).wholeMatch(of: /1\.0 tapeline-[0-9a-f]{6}/) != nil)
  }
}
