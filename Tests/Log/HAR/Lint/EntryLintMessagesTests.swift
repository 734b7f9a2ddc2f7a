import Testing

@testable import TapelineHAR

@Suite("Headers and bodies in an entry")
struct EntryLintMessagesTests {
  @Test("Merged lines are split where they stand")
  func merged() {
    var entry = cleanEntry()
    entry.response.headers = [
      HARHeader(name: "a", value: "1"), HARHeader(name: "Set-Cookie", value: "b=2\nc=3"), HARHeader(name: "d", value: ""),
    ]
    let (found, repaired) = lint(entry)
    #expect(found == ["merged-header $.response.headers[1].value"])
    #expect(repaired.response.headers.map(\.value) == ["1", "b=2", "c=3", ""])
  }

  @Test("A body without text is made of its fields")
  func postData() {
    var entry = cleanEntry()
    entry.request.postData = HARPostData(
      mimeType: "x", params: [HARPostParameter(name: "a b", value: "ä&="), HARPostParameter(name: "c")])
    let (found, repaired) = lint(entry)
    #expect(found == ["post-data-text $.request.postData.text"])
    #expect(repaired.request.postData?.text == "a+b=%C3%A4%26%3D&c=")
  }

  @Test("Compression is size − bodySize, where that is known")
  func compression() {
    var entry = cleanEntry()
    entry.response.content.compression = 3
    #expect(lint(entry).found == ["compression $.response.content.compression"])
    #expect(lint(entry).repaired.response.content.compression == 0)
    entry.response.bodySize = -1
    #expect(lint(entry).found == [])
  }

  @Test(
    "Base64 that is not quite",
    arguments: [
      ("aGVsbG8", "aGVsbG8=", "base64"), ("-_8=", "+/8=", "base64"), ("aGVs bG8=", "aGVsbG8=", "base64"),
      ("AAA", "AAA=", "base64"),
      ("-_ -\n_", "+/+/", "base64"), ("AA===", "AA==", "base64"), ("hello!", "hello!", nil), ("a", "a", nil),
    ])
  func base64(text: String, repaired: String, encoding: String?) {
    var entry = cleanEntry()
    entry.response.content.text = text
    entry.response.content.encoding = "base64"
    let result = lint(entry)
    #expect(result.found == ["bad-base64 $.response.content.text"])
    #expect(result.repaired.response.content.text == repaired && result.repaired.response.content.encoding == encoding)
    #expect(lint(result.repaired).found == [])
  }
}
