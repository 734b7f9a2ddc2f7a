import Testing

@testable import TapelineHTTP

@Suite struct NextHopTests {
  private func target(_ text: String, of method: HTTPMethod = .get, for hop: NextHop, authority: String = "a:81") throws -> String
  {
    let head = try RequestHead(method: method, target: text)
    var output: [UInt8] = []
    hop.appendTarget(of: head, authority: authority, into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test("RFC 9112 3.2.1: an origin gets path and query")
  func originForm() throws {
    #expect(try target("http://u:p@a/b?c#d", for: .origin) == "/b?c")
    #expect(try target("/b?c#d", for: .origin) == "/b?c")
  }

  @Test("RFC 9112 3.2.2: a proxy gets all but userinfo and fragment")
  func absoluteForm() throws {
    let proxy = NextHop.proxy(authorization: nil)
    #expect(try target("http://u:p@a/b?c#d", for: proxy) == "http://a/b?c")
    #expect(try target("http://a", for: proxy) == "http://a")
    #expect(try target("/b?c#d", for: proxy) == "http://a:81/b?c")
  }

  @Test("RFC 9112 3.2.2: bytes that are no UTF-8 reach a proxy as they came")
  func bytesOfAbsoluteForm() throws {
    for start in ["http://a/", "/"] {
      let head = try requestHead(Array("GET \(start)".utf8) + [0xE9, 0x3F, 0xFF] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      var output: [UInt8] = []
      NextHop.proxy(authorization: nil).appendTarget(of: head, authority: "a", into: &output)
      #expect(output == Array("http://a/".utf8) + [0xE9, 0x3F, 0xFF])
    }
  }

  @Test("RFC 9112 3.2.4: for a proxy, the whole server is its authority")
  func asterisk() throws {
    #expect(try target("*", of: .options, for: .proxy(authorization: nil)) == "http://a:81")
    #expect(try target("*", of: .options, for: .origin) == "*")
  }

  @Test("RFC 9110 11.7.2: only a proxy gets the proxy's credentials")
  func authorization() throws {
    for (hop, text) in [
      (NextHop.origin, ""), (.proxy(authorization: nil), ""), (.proxy(authorization: "x"), "Proxy-Authorization: x\r\n"),
    ] {
      var output: [UInt8] = []
      hop.appendAuthorization(into: &output)
      #expect(String(decoding: output, as: UTF8.self) == text)
    }
  }

  @Test("RFC 9110 7.6: a forwarded request for a proxy")
  func forwarded() throws {
    let head = try RequestHead(method: .get, target: "http://a/b", fields: ["Proxy-Authorization": "client's", "X": "1"])
    var output: [UInt8] = []
    var forwarding = RequestForwarding(framing: .none)
    forwarding.hop = .proxy(authorization: "ours")
    forwarding.append(head, into: &output)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "GET http://a/b HTTP/1.1\r\nHost: a\r\nX: 1\r\nProxy-Authorization: ours\r\n\r\n")
  }
}
