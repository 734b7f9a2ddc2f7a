import Testing

@testable import TapelineCore

@Suite struct FieldParametersTests {
  @Test func valueAndParameters() {
    let field = FieldParameters(#"text/html ; Charset=UTF-8;q="a;b\"c" ; flag; =x"#)
    #expect(field.value == "text/html")
    #expect(field["charset"] == "UTF-8")
    #expect(field["q"] == #"a;b"c"#)
    #expect(field.parameters.count == 2)
    #expect(field["flag"] == nil)
  }

  @Test(arguments: [("", ""), (";", ""), ("  a/b\t", "a/b"), ("a/b;charset", "a/b")])
  func valueAlone(text: String, value: String) {
    let field = FieldParameters(text)
    #expect(field.value == value)
    #expect(field.parameters.isEmpty)
  }

  @Test func aQuoteThatNobodyClosedGoesToTheEnd() {
    #expect(FieldParameters(#"a;name="b;c"#)["name"] == "b;c")
    #expect(FieldParameters(#"a;name="b\"#)["name"] == "b")
  }

  @Test func theFirstOfANameCounts() {
    #expect(FieldParameters("a;x=1;X=2")["x"] == "1")
  }
}
