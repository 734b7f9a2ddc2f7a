import TapelineBase
import Testing

@Suite("Parameters (RFC 9110 5.6.6)")
struct FieldParametersTests {
  @Test("A value and its parameters, names in any case, values with and without quotes")
  func valueAndParameters() {
    let field = FieldParameters(#"text/html ; Charset=UTF-8;q="a;b\"c" ; flag; =x"#)
    #expect(field.value == "text/html")
    #expect(field["charset"] == "UTF-8")
    #expect(field["q"] == #"a;b"c"#)
    #expect(field.parameters.map(\.name) == ["charset", "q"])
    #expect(field["flag"] == nil)
  }

  @Test(
    "A value alone",
    arguments: [("", ""), (";", ""), ("  a/b\t", "a/b"), ("a/b;charset", "a/b"), ("a/b; ;;", "a/b"), ("a=b", "a=b")])
  func valueAlone(text: String, value: String) {
    let field = FieldParameters(text)
    #expect(field.value == value)
    #expect(field.parameters.isEmpty)
  }

  @Test(
    "One parameter, by itself and among all",
    arguments: [
      ("text/plain; charset=utf-8", "utf-8"), ("a;Charset = \"x y\" ; b=c", "x y"), ("a; b=\"charset=no\"; charset=yes", "yes"),
      ("a; charset=\"q\\\"q\"", "q\"q"), ("a; charset=", ""), ("a; charset=\"\"", ""), ("a", nil), ("charset=x", nil),
      // RFC 9110 5.6.6: a parameter has an equals sign.
      ("a; charset", nil), ("a; charset; charset=x", "x"),
      // The first of a name counts.
      ("a;charset=1;CHARSET=2", "1"),
      // A quotation mark within a value begins no quoted-string.
      ("a; x=b\"c; charset=d\"", "d\""), ("a\"b; charset=c\"", "c\""),
      // What follows a quoted-string is left out.
      ("a; charset=\"b\"c; d=e", "b"),
      // A quoted-string that does not end goes on to the end, and a backslash there escapes nothing.
      ("a;charset=\"b;c", "b;c"), ("a;charset=\"b\\", "b"), ("a;charset=\"", ""),
      // RFC 9110 5.6.4: a backslash means itself outside of quotes, and any byte behind one within.
      ("a;charset=b\\c", "b\\c"), ("a;charset=\"b\\\\c\\d\"", "b\\cd"),
      ("a;charset=é", "é"),
    ])
  func values(text: String, value: String?) {
    let found = FieldParameters.value(of: "charset", in: Array(text.utf8).span)
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == value)
    #expect(FieldParameters(text)["charset"] == value)
  }

  @Test("Bytes that are no UTF-8 are kept where one parameter is asked for")
  func bytes() {
    let text = Array("a; name=\"".utf8) + [0xE9, 0xFF] + Array("\"".utf8)
    #expect(FieldParameters.value(of: "name", in: text.span) == [0xE9, 0xFF])
  }
}
