import TapelineBase
import Testing

@Suite("Authorities")
struct AuthorityTests {
  @Test(
    "Userinfo, host and port (RFC 3986 3.2)",
    arguments: [
      ("example.com", nil, "example.com", nil), ("EXAMPLE.com:80", nil, "example.com", 80), ("h:", nil, "h", nil),
      ("h:0", nil, "h", 0), ("h:65535", nil, "h", 65_535), ("h:00080", nil, "h", 80), ("", nil, "", nil), (":80", nil, "", 80),
      ("u@h", "u", "h", nil), ("u:p%40:q@h:1", "u:p%40:q", "h", 1), ("@h", "", "h", nil), ("[::1]", nil, "::1", nil),
      ("u@[2001:DB8::1]:443", "u", "2001:db8::1", 443), ("a_b!$&'()*+,;=~-.", nil, "a_b!$&'()*+,;=~-.", nil),
      ("%41%7A", nil, "%41%7a", nil),
    ] as [(String, String?, String, UInt16?)])
  func parts(text: String, userinfo: String?, host: String, port: UInt16?) throws {
    let authority = try #require(Authority(text))
    #expect(authority.userinfo == userinfo)
    #expect(authority.host == host)
    #expect(authority.port == port)
    #expect(Authority(text, leniency: .unencodedBytes) == authority)
  }

  @Test(
    "What could be read in two ways, or in none (RFC 3986 3.2)",
    arguments: [
      "h:65536", "h:000080", "h:x", "h:+1", "h:-1", "h: 1", "h:8 0", "a:b:c", "::1", "[::1", "[::1]x", "[::1]80", "[]",
      "[1.2.3.4]",
      "[v1.x]", "[::g]", "h\\", "a\\@h", "a[b", "a b", "h\t",
    ])
  func refused(text: String) {
    #expect(Authority(text) == nil)
    #expect(Authority(text, leniency: .unencodedBytes) == nil)
  }

  @Test(
    "Bytes that must be percent-encoded are let through only where that is asked for (RFC 3986 2.1)",
    arguments: [
      ("a@b@c:1", "c", 1), ("m\u{FC}ller.test", "m\u{FC}ller.test", nil), ("{id}.test", "{id}.test", nil), ("a%zz", "a%zz", nil),
      ("[fe80::1%25eth0]:80", "fe80::1%25eth0", 80),
    ] as [(String, String, UInt16?)])
  func lenient(text: String, host: String, port: UInt16?) throws {
    #expect(Authority(text) == nil)
    let authority = try #require(Authority(text, leniency: .unencodedBytes))
    #expect(authority.host == host)
    #expect(authority.port == port)
  }

  @Test("An IPv6 address is written between brackets (RFC 3986 3.2.2)")
  func written() {
    #expect(Authority.text(host: "::1", port: 80) == "[::1]:80")
    #expect(Authority.text(host: "::1", port: nil) == "[::1]")
    #expect(Authority.text(host: "h", port: 1) == "h:1")
  }

  @Test(
    "A host and a port as people write them",
    arguments: [
      ("example.com", "example.com", nil), ("Example.com:80", "Example.com", 80), ("10.0.0.1:3128", "10.0.0.1", 3_128),
      ("[::1]:3128", "::1", 3_128), ("[::1]", "::1", nil), ("::1", "::1", nil), ("::1:80", "::1:80", nil),
      ("fe80::1%eth0", "fe80::1%eth0", nil), ("[fe80::1%eth0]:1", "fe80::1%eth0", 1), ("my_host", "my_host", nil),
    ] as [(String, String, UInt16?)])
  func hostAndPort(text: String, host: String, port: UInt16?) throws {
    let place = try #require(HostAndPort(text))
    #expect(place.host == host)
    #expect(place.port == port)
  }

  @Test(
    "What people do not mean by a host and a port",
    arguments: [
      "", ":80", "h:", "h:0", "h:65536", "h:x", "u@h", "http://h", "h/", "a b", "a:b:c", "[h]", "[1.2.3.4]:80", "[::1", "[::1]x",
      "h:80:90", "[x:]:80", "h%41",
    ])
  func noHostAndPort(text: String) {
    #expect(HostAndPort(text) == nil)
  }

  @Test("Port 0 is one where the system may choose")
  func portZero() {
    #expect(HostAndPort("127.0.0.1:0", allowsPortZero: true)?.port == 0)
  }
}

@Suite("Ranges of a URI")
struct URIRangesTests {
  private func parts(_ text: String) -> [String?] {
    let ranges = URIRanges(text)
    return [ranges.scheme, ranges.authority, ranges.path, ranges.query, ranges.fragment].map { $0.map { String(text[utf8: $0]) } }
  }

  @Test(
    "A reference is cut at its first marks (RFC 3986 3)",
    arguments: [
      ("http://h/p?q#f", ["http", "h", "/p", "q", "f"]), ("HTTP://H", ["HTTP", "H", "", nil, nil]),
      ("http://h?q?r/s", ["http", "h", "", "q?r/s", nil]), ("http://h#f?q/p", ["http", "h", "", nil, "f?q/p"]),
      ("//h", [nil, "h", "", nil, nil]), ("///p", [nil, "", "/p", nil, nil]), ("/p//q", [nil, nil, "/p//q", nil, nil]),
      ("a:b", ["a", nil, "b", nil, nil]), ("1a://h", [nil, nil, "1a://h", nil, nil]),
      ("a b://h", [nil, nil, "a b://h", nil, nil]),
      ("://h", [nil, nil, "://h", nil, nil]), ("", [nil, nil, "", nil, nil]), ("?", [nil, nil, "", "", nil]),
      ("#", [nil, nil, "", nil, ""]), ("a:/", ["a", nil, "/", nil, nil]), ("a://", ["a", "", "", nil, nil]),
    ] as [(String, [String?])])
  func cut(text: String, expected: [String?]) {
    #expect(parts(text) == expected)
  }
}
