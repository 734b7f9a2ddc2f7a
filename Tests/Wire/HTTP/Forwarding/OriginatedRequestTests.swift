import Testing

@testable import TapelineHTTP

@Suite struct OriginatedRequestTests {
  private func text(_ head: RequestHead, framing: BodyFraming = .none) -> String {
    var output: [UInt8] = []
    OriginatedRequest.append(head: head, framing: framing, into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// RFC 9110 7.2 and 7.6.3: Host first, and no Via, for nobody was forwarded.
  @Test func hostComesFirst() throws {
    let head = try RequestHead(method: .get, target: "http://u:p@a:81/b?c#d", fields: ["X": "1", "x": "2"])
    #expect(text(head) == "GET /b?c HTTP/1.1\r\nHost: a:81\r\nX: 1\r\nx: 2\r\n\r\n")
    let named = try RequestHead(method: .get, target: "http://a/", fields: ["X": "1", "host": "b"])
    #expect(text(named) == "GET / HTTP/1.1\r\nhost: b\r\nX: 1\r\n\r\n")
  }

  @Test func framingAndConnectionFieldsAreNotTheCallers() throws {
    let head = try RequestHead(
      method: .post, target: "http://a/", fields: ["Connection": "X-Hop", "X-Hop": "1", "TE": "trailers", "X": "1"])
    #expect(text(head, framing: .chunked) == "POST / HTTP/1.1\r\nHost: a\r\nX: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(text(head, framing: .length(7)) == "POST / HTTP/1.1\r\nHost: a\r\nX: 1\r\nContent-Length: 7\r\n\r\n")
  }

  /// RFC 9112 3.2.4.
  @Test func asteriskForm() throws {
    #expect(text(try RequestHead(method: .options, target: "http://a")) == "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
  }
}
