import Testing

@testable import TapelineHTTP

/// What changes in a request whose next hop speaks HTTP/2.
@Suite struct RequestForwardingHTTP2Tests {
  private static func changes(
    _ fields: HeaderFields, version: HTTPVersion = .http11, named pseudonym: Pseudonym? = nil
  ) throws -> [HeadChange] {
    let head = try RequestHead(method: .get, target: [UInt8]("https://a/".utf8), version: version, fields: fields)
    var forwarding = RequestForwarding(framing: .none)
    forwarding.version = .http2
    forwarding.pseudonym = pseudonym
    return forwarding.changes(of: head)
  }

  @Test("Nothing changes in a request that came in HTTP/2, except that we may name ourselves")
  func same() throws {
    #expect(try Self.changes(["x": "1", "cookie": "a=1"], version: .http2) == [])
    let pseudonym = Pseudonym.unique()
    #expect(
      try Self.changes([:], version: .http2, named: pseudonym) == [.added(name: "Via", value: "2.0 \(pseudonym.text)")])
  }

  @Test("Of a request that came in HTTP/1, the lines for one connection end (RFC 9113 8.2.2)")
  func translated() throws {
    #expect(
      try Self.changes([
        "Host": "a", "X": "1", "Connection": "keep-alive, Y", "Y": "2", "TE": "gzip, trailers", "Transfer-Encoding": "chunked",
      ]) == [
        .version(.http11), .removed(0), .removed(2), .removed(3), .rewritten(4, to: "trailers"), .removed(5),
      ])
  }
}
