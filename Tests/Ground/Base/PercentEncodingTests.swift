import TapelineBase
import Testing

@Suite("Percent-encoding (RFC 3986 2.1)")
struct PercentEncodingTests {
  @Test("RFC 3986 2.1 to 2.3: what is not kept is encoded, in capitals")
  func encoding() {
    #expect(PercentEncoding.encode("a b/ä+%", keeping: .unreserved) == "a%20b%2F%C3%A4%2B%25")
    #expect(PercentEncoding.encode("aZ09-._~", keeping: .unreserved) == "aZ09-._~")
    #expect(PercentEncoding.encode("\u{7F}\0", keeping: .unreserved) == "%7F%00")
    #expect(PercentEncoding.encode("http://a.b/[c]?d=#e\"<", keeping: .uri) == "http://a.b/[c]?d=#e%22%3C")
    #expect(PercentEncoding.encode("a+ b\u{301}", keeping: .formURLEncoded, isForm: true) == "a%2B+b%CC%81")
    #expect(PercentEncoding.encode(" \u{301}", keeping: .formURLEncoded, isForm: true) == "+%CC%81")
  }

  @Test("The example with a pound sign and a euro sign (RFC 8187 3.2.2)")
  func extendedValue() {
    #expect(PercentEncoding.encode("£ and € rates", keeping: .attributeCharacter) == "%C2%A3%20and%20%E2%82%AC%20rates")
  }

  @Test(
    "What is no escape stays as it is",
    arguments: [
      ("a%20b", "a b"), ("%c3%A4", "ä"), ("%", "%"), ("%2", "%2"), ("%zz", "%zz"), ("100%25", "100%"), ("%%41", "%A"),
      ("a+b", "a+b"), ("", ""),
    ])
  func decoding(text: String, decoded: String) {
    #expect(PercentEncoding.decode(text) == Array(decoded.utf8))
  }

  @Test("In a form, a plus is a space, and an encoded one is a plus")
  func forms() {
    var output = Array("x".utf8)
    PercentEncoding.append(decoding: Array("a+b%2Bc%2".utf8).span, isForm: true, to: &output)
    #expect(output == Array("xa b+c%2".utf8))
  }

  @Test(
    "Strictly, a broken escape is refused, and so is what is no UTF-8",
    arguments: [
      ("a%40b%3A", "a@b:"), ("", ""), ("%", nil), ("%4", nil), ("%4g", nil), ("%%41", nil), ("%C3%A4", "ä"), ("%C3", nil),
    ])
  func strictly(text: String, decoded: String?) {
    #expect(PercentEncoding.decodeStrictly(text) == decoded)
  }

  @Test("An escape is a percent sign and two digits")
  func escapes() {
    let text = Array("%4a%4".utf8)
    let found = text.indices.filter { text[$0] == Byte.percent && PercentEncoding.isEscape(in: text.span, at: $0) }
    #expect(found == [0])
  }

  @Test("Decoding undoes encoding")
  func roundTrip() {
    let text = String(String.UnicodeScalarView((0..<0x250).compactMap(Unicode.Scalar.init)))
    #expect(PercentEncoding.decode(PercentEncoding.encode(text, keeping: .unreserved)) == Array(text.utf8))
    #expect(PercentEncoding.decodeStrictly(PercentEncoding.encode(text, keeping: .unreserved)) == text)
  }
}
