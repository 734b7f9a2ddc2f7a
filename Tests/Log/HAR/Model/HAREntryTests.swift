import Testing

@testable import TapelineHAR

struct HAREntryTests {
  private let full = #"""
    {"pageref":"p","startedDateTime":"2026-01-02T03:04:05.000006Z","time":12.5,"request":{"method":"POST","url":"http://a/?b=c",
    "httpVersion":"HTTP/1.1","cookies":[{"name":"c","value":"1","path":"/","domain":"a","expires":"2026-01-02T03:04:05.000Z",
    "httpOnly":true,"secure":false,"sameSite":"Lax","_k":1}],"headers":[{"name":"A","value":"1"},{"name":"a","value":"2"}],
    "queryString":[{"name":"b","value":"c"}],"postData":{"mimeType":"x/y","params":[{"name":"f","value":"v","fileName":"n",
    "contentType":"t"}],"text":"AAE=","_encoding":"base64"},"headersSize":20,"bodySize":2,"_r":{}},"response":{"status":200,
    "statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":3,"compression":0,"mimeType":"text/plain",
    "text":"abc","encoding":"utf-8"},"redirectURL":"","headersSize":-1,"bodySize":3},"cache":{"beforeRequest":{"expires":"e",
    "lastAccess":"l","eTag":"t","hitCount":2},"comment":"k"},"timings":{"blocked":1,"dns":-1,"connect":2.25,"send":0,"wait":9.25,
    "receive":0,"ssl":1,"_q":[]},"serverIPAddress":"::1","connection":"80","comment":"last","_custom":[null,1.50,"x"]}
    """#

  private func compact(_ text: String) -> String {
    text.split(separator: "\n").joined()
  }

  @Test func everyMemberSurvivesTheRoundTrip() throws {
    let entry = try HAREntry(json: Array(full.utf8))
    #expect(String(decoding: entry.json, as: UTF8.self) == compact(full))
    #expect(entry.request.postData?.params?.first?.fileName == "n")
    #expect(entry.request.cookies.first?.custom["_k"] == 1)
    #expect(entry.custom["_custom"]?.array?.count == 3)
    #expect(entry.timings.connect == 2.25)
    #expect(entry.cache.beforeRequest?.hitCount == 2)
  }

  @Test func membersOfTheWrongTypeAreKeptAsTheyCame() throws {
    let text = #"""
      {"startedDateTime":"s","time":null,"request":{"method":"GET","url":"u","httpVersion":"h","cookies":null,"headers":[{"name":"a",
      "value":"b"},7],"queryString":[],"headersSize":1.5,"bodySize":"0"},"response":[],"cache":{},"timings":{"send":null,"wait":1,
      "receive":2},"connection":443}
      """#
    let entry = try HAREntry(json: Array(text.utf8))
    #expect(entry.time == -1)
    #expect(entry.custom["time"] == .null)
    #expect(entry.custom["connection"] == 443)
    #expect(entry.connection == "443")
    #expect(entry.request.headers.isEmpty)
    #expect(entry.request.custom["headers"]?.array?.count == 2)
    #expect(entry.request.headersSize == 2)
    #expect(entry.request.custom["headersSize"]?.double == 1.5)
    #expect(entry.request.bodySize == 0)
    #expect(entry.request.custom["bodySize"] == "0")
    let again = try HAREntry(json: entry.json)
    #expect(again == entry)
    let names = entry.json.split(separator: UInt8(ascii: "\"")).filter { $0.elementsEqual("time".utf8) }
    #expect(names.count == 1)
  }

  @Test func wholeNumbersMayHaveAFraction() throws {
    let entry = try HAREntry(json: Array(#"{"response":{"status":200.0,"bodySize":1e2}}"#.utf8))
    #expect(entry.response.status == 200)
    #expect(entry.response.bodySize == 100)
  }

  @Test func nothingMayFollow() {
    #expect { try HAREntry(json: Array("{} {}".utf8)) } throws: { ($0 as? HARReadError)?.offset == 3 }
    #expect(throws: HARReadError.self) { try HAREntry(json: Array("[]".utf8)) }
  }
}
