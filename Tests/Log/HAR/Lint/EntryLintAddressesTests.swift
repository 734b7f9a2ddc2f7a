import TapelineHAR
import Testing

@Suite("Addresses in an entry")
struct EntryLintAddressesTests {
  @Test(
    "URLs",
    arguments: [
      ("http://h/a#b", "url-fragment", "http://h/a"), ("http://h/a b", "bad-url", "http://h/a%20b"),
      ("/a", "bad-url", "http://x.example/a"), ("a?b", "bad-url", "http://x.example/a?b"), ("", "bad-url", "http://x.example/"),
      ("//h/a", "bad-url", "http://h/a"),
    ])
  func urls(url: String, rule: String, repaired: String) {
    var entry = cleanEntry()
    entry.request.url = url
    entry.request.headers = [HARHeader(name: "host", value: "x.example")]
    let result = lint(entry)
    #expect(result.found == ["\(rule) $.request.url"] && result.repaired.request.url == repaired)
  }

  @Test("A port that is none cannot be repaired")
  func port() {
    var entry = cleanEntry()
    entry.request.url = "http://h:http/"
    #expect(lint(entry).found == ["bad-url $.request.url"] && lint(entry).repaired == entry)
  }

  @Test("The server", arguments: [("[::1]:80", "::1"), ("h", nil), ("", nil)])
  func server(address: String, repaired: String?) {
    var entry = cleanEntry()
    entry.serverIPAddress = address
    let result = lint(entry)
    #expect(result.found == ["server-address $.serverIPAddress"] && result.repaired.serverIPAddress == repaired)
  }
}
