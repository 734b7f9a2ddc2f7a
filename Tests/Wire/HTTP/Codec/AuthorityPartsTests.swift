import Testing

@testable import TapelineHTTP

@Suite struct AuthorityPartsTests {
  private func parse(_ text: String) -> AuthorityParts? {
    let bytes = Array(text.utf8)
    return AuthorityParts(in: bytes.span, bytes.indices)
  }

  @Test func hostAndPortAreRanges() throws {
    let authority = try #require(parse("u:p@[::1]:8080"))
    #expect(authority.host == 5..<8)
    #expect(authority.port == 8080)
    #expect(authority.hostAndPort == 4..<14)
    #expect(authority.hasUserinfo)
  }

  @Test func anEmptyPortIsNone() throws {
    let authority = try #require(parse("a:"))
    #expect(authority.port == nil)
    #expect(authority.hostAndPort == 0..<1)
  }

  @Test func anEmptyHostIsOneByTheGrammar() throws {
    #expect(try #require(parse("")).host.isEmpty)
    #expect(try #require(parse(":80")).host.isEmpty)
  }

  @Test func percentEncodingIsWholeOrRefused() {
    #expect(parse("a%20b") != nil)
    #expect(parse("a%2") == nil)
    #expect(parse("a%") == nil)
    #expect(parse("a%g0") == nil)
  }

  @Test func portsAreFrom1To65535InFiveDigits() throws {
    #expect(try #require(parse("a:1")).port == 1)
    #expect(try #require(parse("a:65535")).port == 65535)
    #expect(try #require(parse("a:00080")).port == 80)
    for text in ["a:0", "a:65536", "a:99999", "a:000080", "a:-1", "a: 1", "a:1:2"] { #expect(parse(text) == nil, "\(text)") }
  }
}
