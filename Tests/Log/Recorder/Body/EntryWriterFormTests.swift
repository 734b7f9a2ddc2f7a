import TapelineHAR
import TapelineHTTP
import Testing

struct EntryWriterFormTests {
  private static let form = [
    "--b1", "Content-Disposition: form-data; name=\"user\"", "", "bob", "--b1",
    "content-disposition: form-data; name=\"pass\\\"word\"; filename=\"a b.txt\"", "Content-Type: text/plain", "", "one\r\ntwo",
    "--b1",
    "Content-Disposition: form-data; name=token", "", "s3cr3t", "--b1--", "",
  ].joined(separator: "\r\n")

  @Test func anEntryHasTheFieldsWithoutSecrets() throws {
    let record = try ExampleExchange.make(
      method: .post, fields: [("Host", "a"), ("Content-Type", "multipart/form-data; boundary=\"b1\"")],
      requestBody: ExampleExchange.body(Self.form))
    let (hidden, text) = try entry(of: record, redacts: true)
    #expect(!text.contains("s3cr3t"))
    let data = try #require(hidden.request.postData)
    #expect(data.custom["_encoding"] == nil)
    let params = try #require(data.params)
    #expect(params.map(\.name) == ["user", "pass\"word", "token"])
    #expect(params[0].value == "bob")
    #expect(params[1] == HARPostParameter(name: "pass\"word", value: "", fileName: "a b.txt", contentType: "text/plain"))
    #expect(params[2].value?.hasPrefix("SENSITIVE_") == true)
    #expect(data.text?.contains("one\r\ntwo") == true)
  }
}
