import TapelineHTTP
import TapelineHTTP2
import Testing

/// Our own requests as header lists.
@Suite struct HTTP2OriginatedRequestTests {
  private static func lines(_ fields: HeaderFields, _ framing: BodyFraming, target: String = "https://a/x?y") throws -> [String] {
    let head = try RequestHead(method: .post, target: target, fields: fields)
    let list = HTTP2HeaderList(originated: head, framing: framing, scheme: .https, authority: "c:1")
    return list.texts.dropFirst(2).map { "\($0.name): \($0.value)" }
  }

  @Test("The authority is that of Host, of the target, or of the connection (RFC 9113 8.3.1)")
  func authority() throws {
    #expect(try Self.lines(["Host": "b", "X": "1"], .none) == [":authority: b", ":path: /x?y", "x: 1"])
    #expect(try Self.lines([:], .none) == [":authority: a", ":path: /x?y"])
    #expect(try Self.lines([:], .none, target: "/x") == [":authority: c:1", ":path: /x"])
  }

  @Test("The length is that of the content as it goes out, if it has one")
  func length() throws {
    let fields: HeaderFields = ["Content-Length": "9", "Transfer-Encoding": "chunked", "Connection": "close"]
    #expect(try Self.lines(fields, .length(3)) == [":authority: a", ":path: /x?y", "content-length: 3"])
    #expect(try Self.lines(fields, .chunked) == [":authority: a", ":path: /x?y"])
  }

  @Test("A line is added after the others")
  func appending() {
    let list = HTTP2HeaderList([(":method", "GET"), ("a", "1")]).appending([("via", "2.0 x")])
    #expect(list.texts.map { "\($0.name): \($0.value)" } == [":method: GET", "a: 1", "via: 2.0 x"])
  }
}
