import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct HTTPURLResponseTests {
  @Test("Order, spelling and duplicates of fields are kept, and the description is the same for equal responses")
  func lossless() throws {
    let head = try RequestHead(method: .get, target: "http://a.example/b")
    let answer = ResponseHead(
      status: 999, reason: "Odd", fields: HeaderFields([("set-cookie", "a=1"), ("X", "2"), ("Set-Cookie", "b=2")]))
    let response = HTTPURLResponse(head: answer, request: head)
    #expect(response.statusCode == 999)
    #expect(response.reason == "Odd")
    #expect(response.httpVersion == "HTTP/1.1")
    #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
    #expect(response.value(forHTTPHeaderField: "x") == "2")
    #expect(
      response.description
        == #"{ URL: http://a.example/b, Status Code: 999, Headers: { "set-cookie": "a=1", "X": "2", "Set-Cookie": "b=2" } }"#)
  }

  @Test func aResponseForTests() throws {
    let url = try "http://a.example/b?c".asURL()
    let response = try #require(HTTPURLResponse(url: url, statusCode: 404, headers: ["X": "1"]))
    #expect(response.url == url)
    #expect(response.reason == "Not Found")
    #expect(response.headers == ["X": "1"])
    #expect(HTTPURLResponse(url: url, statusCode: 99) == nil)
    #expect(HTTPURLResponse(url: url, statusCode: 200, reason: "a\r\nb") == nil)
    #expect(HTTPURLResponse(url: url, statusCode: 200, headers: ["X": "a\nb"]) == nil)
    #expect(HTTPURLResponse(url: try "ftp://a.example/".asURL(), statusCode: 200) == nil)
  }
}
