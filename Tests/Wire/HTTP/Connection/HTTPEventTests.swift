import Testing

@testable import TapelineHTTP

@Suite struct HTTPEventTests {
  @Test func bodiesAreRangesOfTheInput() throws {
    let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcrest".utf8)
    var connection = HTTP1Connection(role: .client)
    connection.expectResponse(to: .get)
    var offset = 0
    _ = try connection.receive(bytes.span, from: &offset)
    let event = try connection.receive(bytes.span, from: &offset)
    guard case .body(let range) = event else {
      Issue.record("not a body")
      return
    }
    #expect(Array(bytes[range]) == Array("abc".utf8))
    #expect(offset == range.upperBound)
  }
}
