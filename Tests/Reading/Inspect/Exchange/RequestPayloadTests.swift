import TapelineHAR
import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("A request's body that is sent again")
struct RequestPayloadTests {
  /// `gzip -n` of `a=ä`.
  private static let coded = Base64.decode("H4sIAAAAAAACA0u0PbwEAMXaAb8EAAAA") ?? []

  private func request(_ data: HARPostData, _ headers: [String: String] = [:], size: Int = -1) -> HARRequest {
    HARRequest(
      method: "POST", url: "http://a/", httpVersion: "HTTP/1.1",
      headers: headers.sorted { $0.key < $1.key }.map { HARHeader(name: $0.key, value: $0.value) }, postData: data, bodySize: size
    )
  }

  @Test("Bytes are base64 by either name")
  func base64() {
    for name in ["encoding", "_encoding"] {
      var custom = HARObject()
      custom[name] = "base64"
      let request = request(HARPostData(mimeType: "image/png", text: "AP8=", custom: custom))
      #expect(LoggedBody(request: request) == .bytes([0, 0xFF]))
      #expect(RequestPayload(request).body == .bytes([0, 0xFF]))
    }
  }

  @Test("Fields of a form are its body")
  func form() throws {
    let data = HARPostData(
      mimeType: "application/x-www-form-urlencoded", params: [HARPostParameter(name: "full name", value: "A & B")])
    var entry = HAREntry.ordinary()
    entry.request = request(data, size: 20)
    #expect(LoggedBody(request: entry.request) == .bytes(Array("full+name=A+%26+B".utf8)))
    #expect(try CurlCommand(entry).text.contains("full+name=A+%26+B"))
    #expect(RecordedRequest(entry)?.body == Array("full+name=A+%26+B".utf8))
    #expect(try Query(#"req.body ~ "full""#).matches(entry, number: 1))
    #expect(try Query(#"req.param["full name"] == "A & B""#).matches(entry, number: 1))
  }

  @Test("A body in its content coding is read without, and sent with it")
  func coded() throws {
    let narrow = String(String.UnicodeScalarView(Self.coded.map { Unicode.Scalar($0) }))
    let spellings = [
      HARPostData(mimeType: "text/plain", text: Base64.encode(Self.coded), custom: ["encoding": "base64"]),
      HARPostData(mimeType: "text/plain", text: narrow),
    ]
    for data in spellings {
      for size in [-1, Self.coded.count] {
        let request = request(data, ["Content-Encoding": "gzip"], size: size)
        #expect(LoggedBody(request: request) == .bytes(Array("a=ä".utf8)))
        let content = RequestPayload(request)
        #expect(content.body == .bytes(Self.coded) && !content.isDecoded)
        #expect(content.value(of: request.headers[0]) == "gzip")
      }
    }
  }

  @Test("A body that was decoded is sent without the coding that its header names")
  func decoded() throws {
    var entry = HAREntry.ordinary()
    entry.request = request(HARPostData(mimeType: "text/plain", text: "abc"), ["Content-Encoding": "br", "X": "y"], size: 7)
    #expect(RequestPayload(entry.request).isDecoded)
    #expect(try !CurlCommand(entry).text.lowercased().contains("content-encoding"))
    let sent = try #require(RecordedRequest(entry))
    #expect(sent.fields.map(\.name) == ["X"] && sent.body == Array("abc".utf8))
  }

  @Test("What a decoded archive begins with is not decoded again")
  func archive() {
    let data = HARPostData(mimeType: "application/gzip", text: Base64.encode(Self.coded), custom: ["_encoding": "base64"])
    let request = request(data, ["Content-Encoding": "gzip"], size: Self.coded.count + 20)
    #expect(LoggedBody(request: request) == .bytes(Self.coded))
  }

  @Test("A text that was not in UTF-8 is sent as UTF-8, and its type says so")
  func charset() {
    let header = HARHeader(name: "Content-Type", value: "text/plain; charset=latin1")
    for (text, expected) in [("ä", "text/plain; charset=utf-8"), ("a", "text/plain; charset=latin1")] {
      let content = RequestPayload(request(HARPostData(mimeType: "text/plain", text: text)))
      #expect(content.value(of: header) == expected)
    }
  }
}
