import Testing

@testable import TapelineHTTP

@Suite struct RequestTargetTests {
  private func absolute(_ target: String) throws -> AbsoluteTarget {
    let head = try requestHead("GET \(target) HTTP/1.1\r\nHost: other\r\n\r\n")
    guard case .absolute(let absolute) = head.target else {
      throw HTTPParseError(.invalidTarget, in: .request)
    }
    return absolute
  }

  private func originForm(_ target: String, method: String = "GET") throws -> String {
    let head = try requestHead("\(method) \(target) HTTP/1.1\r\nHost: other\r\n\r\n")
    var bytes: [UInt8] = []
    head.appendOriginForm(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func isRefused(_ target: String, method: String = "GET") -> Bool {
    refusal(ofRequest: "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == .invalidTarget
  }

  @Test func absoluteFormNamesHostAndPort() throws {
    let target = try absolute("http://Example.com:8080/a?b")
    #expect(target.scheme == .http)
    #expect(target.host == "Example.com")
    #expect(target.port == 8080)
    #expect(target.authority == "Example.com:8080")
    #expect(!target.hasUserinfo)
  }

  @Test func theSchemeSaysTheDefaultPort() throws {
    #expect(try absolute("http://a").port == 80)
    #expect(try absolute("HTTP://a:/").port == 80)
    #expect(try absolute("https://a/").port == 443)
    #expect(try absolute("http://a:80/").authority == "a:80")
    #expect(try absolute("http://a:/").authority == "a")
    let ftp = try absolute("ftp://a/")
    #expect(ftp.scheme == .other("ftp"))
    #expect(ftp.port == 0)
  }

  @Test func addressLiteralsLoseTheirBracketsInTheHostOnly() throws {
    let target = try absolute("http://[2001:db8::1]:81/")
    #expect(target.host == "2001:db8::1")
    #expect(target.port == 81)
    #expect(target.authority == "[2001:db8::1]:81")
    #expect(try absolute("http://[::ffff:1.2.3.4]").host == "::ffff:1.2.3.4")
  }

  @Test func userinfoIsSeenAndDropped() throws {
    let target = try absolute("http://user:pass%20word@a:81/x")
    #expect(target.hasUserinfo)
    #expect(target.host == "a")
    #expect(target.authority == "a:81")
    #expect(target.sanitizedText == "http://a:81/x")
  }

  @Test(arguments: [
    ("http://a", "/"), ("http://a/", "/"), ("http://a?q", "/?q"), ("http://a/b?c=/d", "/b?c=/d"), ("http://a#f", "/"),
    ("http://a/b#f?g", "/b"), ("http://a/%7e/../{x}|\"<>^`\\", "/%7e/../{x}|\"<>^`\\"), ("http://a//b", "//b"),
    ("/b?c#d", "/b?c"),
    ("//b", "//b"), ("http://a/é", "/é"),
  ])
  func theOriginGetsTheBytesAsTheyCame(target: String, expected: String) throws {
    #expect(try originForm(target) == expected)
  }

  @Test func optionsForTheWholeServerIsAnAsterisk() throws {
    #expect(try originForm("http://a", method: "OPTIONS") == "*")
    #expect(try originForm("http://a/", method: "OPTIONS") == "/")
    #expect(try originForm("http://a?q", method: "OPTIONS") == "/?q")
    #expect(try originForm("*", method: "OPTIONS") == "*")
  }

  @Test func authorityFormIsForConnect() throws {
    let head = try requestHead("CONNECT [::1]:443 HTTP/1.1\r\nHost: a\r\n\r\n")
    guard case .authority(let host, let port) = head.target else {
      Issue.record("not authority-form")
      return
    }
    #expect(host == "::1")
    #expect(port == 443)
  }

  @Test(arguments: [
    "a", "a:", "a:0", "a:65536", "a:+1", "a:1x", ":443", "u@a:443", "http://a:443", "/", "*", "[::1]", "[]:1", "a:443/",
  ])
  func otherTargetsOfConnectAreRefused(target: String) {
    #expect(isRefused(target, method: "CONNECT"))
  }

  @Test(arguments: [
    "a:80", "*", "http:/a", "http:a", "http://", "http:///x", "http://:80/", "http://@/", "http://a:b/", "http://a:65536/",
    "http://a:0/", "http://a:123456/", "http://a@b@c/", "http://a\\@b/", "http://a\\b/", "http://[::1/", "http://[::1]x/",
    "http://[g::1]/", "http://[1.2.3.4]/", "http://[::1%25eth0]/", "http://a%2/", "http://a%zz/", "http://a b", "://a/",
    "1http://a/",
    "http//a", "http://a[b/", "example.com/path", "?q",
  ])
  func malformedTargetsAreRefused(target: String) {
    // A blank in the target is a malformed request line.
    #expect(
      refusal(ofRequest: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == (target.contains(" ") ? .invalidVersion : .invalidTarget)
    )
  }

  @Test func noControlByteIsInATarget() {
    for byte in UInt8.min...UInt8.max {
      let refused = refusal(ofRequest: Array("GET /a".utf8) + [byte] + Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect((refused == nil) == (byte > 0x20 && byte != 0x7F), "byte \(byte)")
    }
  }

  @Test func schemesAreComparedWithoutCase() {
    #expect(URIScheme("HtTpS") == .https)
    #expect(URIScheme("WS") == .other("ws"))
    #expect(URIScheme("http").text == "http")
    #expect(URIScheme.other("x").defaultPort == nil)
  }
}
