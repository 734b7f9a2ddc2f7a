import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Mentions")
struct MentionReaderTests {
  private static func found(_ text: String, knowing addresses: [String]) -> [String] {
    let reader = MentionReader(knowing: addresses.compactMap { WebAddress($0) })
    var found: [String] = []
    reader.read(Array(text.utf8).span) { found.append($0) }
    return found
  }

  @Test(
    "A reference is found in each language",
    arguments: [
      (#"<script src="/js/a.js"></script>"#, "/js/a.js"), ("<img src=../a.js>", "../a.js"), ("url(a.js)", "a.js"),
      (#"{"next":"https:\/\/h.example\/x\/a.js"}"#, "https://h.example/x/a.js"),
      ("<a href='//h/a.js?x=1&amp;y=2'>", "//h/a.js?x=1&y=2"),
      ("get(`${base}/a.js`)", "/a.js"), ("see https://h.example/a.js.", "https://h.example/a.js"),
      ("srcset=\"/a.js, b.png 2x\"", "/a.js"), ("fetch(\"/a.js?page=\" + n)", "/a.js?page="), ("/a.js", "/a.js"),
    ])
  func languages(text: String, reference: String) {
    #expect(Self.found(text, knowing: ["http://h.example/x/a.js"]) == [reference])
  }

  @Test("What ends like no known address, is a word or is data is passed over")
  func nothing() {
    #expect(
      Self.found("a/b.js b.js js </script> login / //", knowing: ["http://h.example/a.js", "http://h.example/login"]).isEmpty)
    #expect(Self.found(String(repeating: "A/", count: 4_096) + "a.js", knowing: ["http://h.example/a.js"]).isEmpty)
  }

  @Test("Equal addresses are equal texts")
  func addresses() {
    #expect(WebAddress("HTTP://me@H.example:80#top")?.text == "http://h.example/")
    #expect(WebAddress("https://h:443/a?b")?.text == WebAddress("https://h/a?b")?.text)
    #expect(WebAddress("https://h:80/")?.text == "https://h:80/")
    #expect(WebAddress("/a") == nil)
    #expect(WebAddress("http://h/a/b").map(WebAddress.Base.init)?.resolving("../c?d")?.text == "http://h/c?d")
    let address = WebAddress("http://h.example:81/a/b.js?c#d")
    #expect(address?.origin == "http://h.example:81" && address?.place == "http://h.example:81/a/b.js" && address?.tail == "b.js")
  }
}
