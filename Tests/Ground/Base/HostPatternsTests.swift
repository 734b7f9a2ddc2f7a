import TapelineBase
import Testing

struct HostPatternsTests {
  private let patterns = HostPatterns([
    "api.example.com": "host", "*.example.com": "domain", "*.Deep.example.com": "deep", "[::1]": "six", "192.0.2.1": "four",
  ])

  @Test(
    "The host, then the longest domain",
    arguments: [
      ("api.example.com", "host"), ("API.Example.COM.", "host"), ("www.example.com", "domain"), ("a.b.example.com", "domain"),
      ("a.deep.example.com", "deep"), ("deep.example.com", "domain"), ("example.com", nil), ("badexample.com", nil),
      ("::1", "six"), ("[::1]", "six"), ("192.0.2.1", "four"), ("", nil), (".example.com", "domain"),
      ("192.0.2.1.", "four"), ("0:0:0:0:0:0:0:1", "six"), ("x.192.0.2.1", nil),
    ])
  func theHostThenTheLongestDomain(_ host: String, expected: String?) {
    #expect(patterns[host] == expected)
  }

  @Test("A star alone covers all other hosts") func aStarIsForAllOthers() {
    let patterns = HostPatterns(["*": "any", "a.test": "a"])
    #expect(patterns["a.test"] == "a")
    #expect(patterns["b.test"] == "any")
    #expect(patterns["192.0.2.7"] == "any")
  }
}
