import FoundationEssentials
import TapelineCore
import Testing

@Suite struct StringResponseSerializerTests {
  private func text(_ bytes: [UInt8], type: String?, encoding: TextEncoding? = nil) throws -> String {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    let response = HTTPURLResponse(url: try "http://a.example/".asURL(), statusCode: 200, headers: headers)
    return try StringResponseSerializer(encoding: encoding)
      .serialize(request: nil, response: response, data: Data(bytes), error: nil)
  }

  @Test(
    "The response's charset decides, then UTF-8 if it is that, then ISO-8859-1",
    arguments: [
      ([0xC3, 0xA4], "text/plain; charset=utf-8", "ä"), ([0x80], "text/plain; charset=windows-1252", "€"),
      ([0xE4], "text/plain; charset=ISO-8859-1", "ä"), ([0xA4], "text/plain; charset=iso-8859-15", "€"),
      ([0xFF, 0xFE, 0x61, 0], "text/plain; charset=utf-16", "a"), ([0xE4], "text/plain", "ä"), ([0xC3, 0xA4], nil, "ä"),
      ([0xE4], "text/plain; charset=no-such-thing", "ä"), ([0x61], "application/json", "a"),
    ] as [([UInt8], String?, String)])
  func charsets(bytes: [UInt8], type: String?, text: String) throws {
    #expect(try self.text(bytes, type: type) == text)
  }

  @Test("The caller's encoding precedes the response's")
  func givenEncoding() throws {
    #expect(try text([0xE4], type: "text/plain; charset=utf-8", encoding: .isoLatin1) == "ä")
  }

  @Test("Bytes that do not fit the stated encoding are an error")
  func failure() throws {
    let error = #expect(throws: TapelineError.self) { try text([0xE4], type: "text/plain; charset=utf-8") }
    #expect(error?.failedTextEncoding == .utf8)
  }
}
