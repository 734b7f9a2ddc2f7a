import TapelineBase
import Testing

@Suite struct HostPatternTests {
  @Test(arguments: [
    ("example.com", "example.com", true), ("Example.COM", "eXample.com.", true), ("example.com.", "example.com", true),
    ("example.com", "www.example.com", false), ("example.com", "example.com.evil.test", false),
    ("*.example.com", "www.example.com", true), ("*.example.com", "a.b.Example.com", true),
    ("*.example.com", "example.com", false),
    ("*.example.com", "badexample.com", false), ("*.0.0.1", "127.0.0.1", false), ("*", "anything.at.all", true),
    ("*", "::1", true),
    ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("::1", "0:0:0:0:0:0:0:1", true), ("[::1]", "::1", true),
    ("2001:DB8::1", "[2001:db8::1]", true), ("my_host", "my_host", true),
    ("127.0.0.1", "127.0.0.1.", true), ("*.example.com", "a!.example.com", false), ("fe80::1%eth0", "FE80::1%eth0", true),
    ("fe80::1", "fe80::1%eth0", false), ("k.test", "\u{212A}.test", false),
  ])
  func matches(pattern: String, host: String, expected: Bool) throws {
    #expect(try #require(HostPattern(pattern)).matches(host) == expected)
  }

  @Test(arguments: [
    "", ".", "*.", "a..b", ".example.com", "www.*.com", "*example.com", "a b", "example.com:443", "http://a", "**",
  ])
  func isNoPattern(text: String) {
    #expect(HostPattern(text) == nil)
  }

  @Test func isWrittenAsItIsMeant() {
    #expect(
      ["*", "*.EXAMPLE.com", "A.b.", "[::1]"].compactMap { HostPattern($0)?.description } == ["*", "*.example.com", "a.b", "::1"])
  }
}
