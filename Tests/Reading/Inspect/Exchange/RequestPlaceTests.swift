import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Request place")
struct RequestPlaceTests {
  private func place(_ url: String, method: String = "GET") -> RequestPlace {
    var entry = HAREntry.ordinary()
    entry.request.method = method
    entry.request.url = url
    return RequestPlace(entry)
  }

  private static let index = "https://api.example:8443/v2/accounts/98b0fe8d/indexes/2026/98b0ff12.idx"

  @Test("Below its host, a URL is its path")
  func below() {
    #expect(place(Self.index).origin == "https://api.example:8443")
    #expect(
      place(Self.index).text(under: "https://api.example:8443", width: 60) == "/v2/accounts/98b0fe8d/indexes/2026/98b0ff12.idx")
    #expect(place("https://a.example").text(under: "https://a.example", width: 60) == "/")
    #expect(place("https://a.example?x=1").text(under: "https://a.example", width: 60) == "?x=1")
  }

  @Test("Below another, it names its own, with the scheme where that is another too")
  func elsewhere() {
    let place = place("https://b.example/x?y")
    #expect(place.text(under: "https://a.example", width: 60) == "b.example/x?y")
    #expect(place.text(under: "http://b.example", width: 60) == "https://b.example/x?y")
    #expect(place.text(under: nil, width: 60) == "b.example/x?y")
    #expect(self.place("http://b.example/x?y").text(under: nil, width: 60) == "http://b.example/x?y")
  }

  @Test(
    "The end of the path stays longest, the query goes first",
    arguments: [
      (47, "/v2/accounts/98b0fe8d/indexes/2026/98b0ff12.idx"), (46, "/v2/accounts/98b0fe8d/indexes/20…/98b0ff12.idx"),
      (24, "/v2/accoun…/98b0ff12.idx"), (14, "…/98b0ff12.idx"), (9, "…ff12.idx"), (1, "…"),
    ])
  func shortened(width: Int, text: String) {
    #expect(place(Self.index).text(under: "https://api.example:8443", width: width) == text)
  }

  @Test(
    "As much of a query as there is room for",
    arguments: [
      (34, "/suggest/brass?q=brass%20lamp&l=en"), (33, "/suggest/brass?q=brass%20lamp&l=…"), (19, "/suggest/brass?q=b…"),
      (16, "/suggest/brass?…"), (15, "/sugge…/brass?…"), (9, "…/brass?…"),
    ])
  func query(width: Int, text: String) {
    #expect(place("https://a.example/suggest/brass?q=brass%20lamp&l=en").text(under: "https://a.example", width: width) == text)
  }

  @Test("A folder's name is an end too")
  func folder() {
    #expect(place("http://a.example/one/two/three/").text(under: "http://a.example", width: 12) == "/one…/three/")
  }

  @Test("A host that is named shares the room with the end of the path")
  func shared() {
    let place = place("https://static.cdn.example/assets/build/storefront.min.css")
    #expect(place.text(under: "https://a.example", width: 49) == "static.cdn.example/assets/bui…/storefront.min.css")
    #expect(place.text(under: "https://a.example", width: 30) == "static.cdn.e…torefront.min.css")
    for width in 1...80 { #expect(place.text(under: "https://a.example", width: width).cellCount <= width) }
  }

  @Test(
    "A tunnel is its authority, and belongs to no host's group; why it was not read stays", arguments: ["pinned", "other\u{1b}"])
  func tunnel(reason: String) {
    var tunnel = HAREntry.tunnel()
    #expect(RequestPlace(tunnel).origin == nil)
    #expect(RequestPlace(tunnel).text(under: "https://a.example", width: 60) == "example.com:443")
    #expect(RequestPlace(tunnel).text(under: "https://a.example", width: 13) == "example.…:443")
    tunnel.custom["_tunnel"] = ["toServer": 1, "toClient": 2, "unread": .string(reason)]
    #expect(RequestPlace(tunnel).text(under: nil, width: 60) == "example.com:443 (\(reason.printable))")
    #expect(RequestPlace(tunnel).text(under: nil, width: 21).hasSuffix("(\(reason.printable))"))
  }

  @Test("What is no URL stands as it is, and drives no terminal")
  func noURL() {
    #expect(place("").text(under: "https://a.example", width: 9) == "-")
    #expect(place("/only/path").origin == nil)
    #expect(place("/only/path").text(under: "https://a.example", width: 60) == "/only/path")
    #expect(place("http://h\u{1b}[1m/\u{9b}").text(under: nil, width: 60) == "http://h\u{FFFD}[1m/\u{FFFD}")
  }

  @Test("Wide characters are whole, and no text is wider than its room")
  func wide() {
    let place = place("http://例え.example/画像/カタログ/ランプ真鍮.webp?色=金")
    for width in 1...70 { #expect(place.text(under: "http://a.example", width: width).cellCount <= width) }
    #expect(place.text(under: "http://例え.example", width: 23) == "/画…/ランプ真鍮.webp?…")
  }
}
