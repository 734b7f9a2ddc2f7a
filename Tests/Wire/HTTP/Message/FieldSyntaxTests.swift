import TapelineHTTP
import Testing

@Suite struct FieldSyntaxTests {
  /// RFC 9110 5.1 and 5.6.2.
  @Test(arguments: [
    ("X-A", true), ("!#$%&'*+-.^_`|~09", true), ("", false), ("a b", false), ("a:", false), ("ä", false), ("a\n", false),
  ])
  func names(text: String, isName: Bool) {
    #expect(FieldSyntax.isName(text) == isName)
  }

  /// RFC 9110 5.5.
  @Test(arguments: [
    ("", true), (" a\tb ", true), ("ä", true), ("a\r\n", false), ("\0", false), ("\u{1B}", false), ("\u{7F}", false),
  ])
  func values(text: String, isValue: Bool) {
    #expect(FieldSyntax.isValue(text) == isValue)
  }
}
