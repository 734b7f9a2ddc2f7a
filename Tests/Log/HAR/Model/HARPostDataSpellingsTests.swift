import Testing

@testable import TapelineHAR

@Suite("Spellings of a request's body")
struct HARPostDataSpellingsTests {
  private func request(_ postData: String, contentType: String? = nil) throws -> HARRequest {
    let headers = contentType.map { #","headers":[{"name":"content-TYPE","value":"\#($0)"}]"# } ?? ""
    return try HAREntry(json: Array(#"{"request":{"postData":\#(postData)\#(headers)}}"#.utf8)).request
  }

  private let params = #""params":[{"name":"full name","value":"A & B"},{"name":"city","value":"Köln"},{"name":"x"}]"#

  @Test("A form as fields alone", arguments: ["application/x-www-form-urlencoded; charset=utf-8", "", "x-unknown"])
  func form(type: String) throws {
    for text in ["", #""text":"","#, #""text":null,"#] {
      #expect(try request(#"{"mimeType":"\#(type)",\#(text)\#(params)}"#).bodyText == "full+name=A+%26+B&city=K%C3%B6ln&x=")
    }
  }

  @Test("The text counts, if there is one")
  func text() throws {
    #expect(try request(#"{"mimeType":"text/plain","text":"a",\#(params)}"#).bodyText == "a")
    #expect(try request(#"{"mimeType":"text/plain","text":"","params":[]}"#).bodyText == "")
    #expect(try request(#"{"mimeType":"text/plain"}"#).bodyText == nil)
    #expect(try request("null").bodyText == nil)
  }

  @Test("Base64 by either name")
  func base64() throws {
    for name in ["encoding", "_encoding"] {
      #expect(try request(#"{"text":"YQ==","\#(name)":"Base64"}"#).postData?.isBase64 == true)
    }
    #expect(try request(#"{"text":"YQ==","encoding":"utf-8"}"#).postData?.isBase64 == false)
  }

  @Test("A multipart form, whose boundary may be in the header only")
  func multipart() throws {
    let fields =
      #""params":[{"name":"a\"b","value":"1"},{"name":"f","value":"text","fileName":"n.txt","contentType":"text/plain"}]"#
    let expected =
      "--XY\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\n1\r\n"
      + "--XY\r\nContent-Disposition: form-data; name=\"f\"; filename=\"n.txt\"\r\nContent-Type: text/plain\r\n\r\n"
      + "text\r\n--XY--\r\n"
    #expect(try request(#"{"mimeType":"multipart/form-data; boundary=XY",\#(fields)}"#).bodyText == expected)
    #expect(
      try request(#"{"mimeType":"multipart/form-data",\#(fields)}"#, contentType: "multipart/form-data; boundary=XY").bodyText
        == expected)
    #expect(try request(#"{"mimeType":"multipart/form-data",\#(fields)}"#).bodyText == nil)
    let file = #""params":[{"name":"f","fileName":"n.txt"}]"#
    #expect(try request(#"{"mimeType":"multipart/form-data; boundary=XY",\#(file)}"#).bodyText == nil)
  }

  @Test("Fields of a form that is text alone")
  func fields() throws {
    let data = try request(#"{"mimeType":"application/x-www-form-urlencoded","text":"a=1+2&b=%26&c"}"#).postData
    #expect(data?.fields.map(\.name) == ["a", "b", "c"] && data?.fields.map(\.value) == ["1 2", "&", ""])
    #expect(try request(#"{"mimeType":"text/plain","text":"a=1"}"#).postData?.fields.isEmpty == true)
  }
}
