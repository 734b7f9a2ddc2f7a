import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct RequestHeadURLTests {
  private let implied = ImpliedOrigin(scheme: .https, authority: "tunnel.example:8443")

  @Test func aTargetThatIsNoURLIsMadeOneByItsConnection() throws {
    let named = try RequestHead(method: .get, target: "/a?b#c", fields: ["Host": "named.example"])
    #expect(named.urlText(implied: implied) == "https://tunnel.example:8443/a?b")
    #expect(named.urlText() == "/a?b#c")
    let unnamed = try RequestHead(method: .get, target: "/", version: .http10)
    #expect(unnamed.urlText(implied: implied) == "https://tunnel.example:8443/")
    let server = try RequestHead(method: .options, target: "*", fields: ["Host": "named.example"])
    #expect(server.urlText(implied: implied) == "https://tunnel.example:8443")
  }

  @Test func aURLIsWhatItIs() throws {
    let absolute = try RequestHead(method: .get, target: "https://me:secret@other.example/a#b")
    #expect(absolute.urlText() == "https://other.example/a")
    #expect(absolute.urlText(implied: implied) == "https://tunnel.example:8443/a", "where it went, not what it says")
    let options = try RequestHead(method: .options, target: "https://other.example")
    #expect(options.urlText(implied: implied) == "https://tunnel.example:8443")
    let tunnel = try RequestHead(method: .connect, target: "[::1]:443")
    #expect(tunnel.urlText(implied: implied) == "[::1]:443")
  }

  @Test func requestsAndResponsesAreDescribedByIt() throws {
    let head = try RequestHead(method: .get, target: "/a", fields: ["Host": "named.example"])
    #expect(URLRequest(head: head, implied: implied).description == "https://tunnel.example:8443/a")
    let response = HTTPURLResponse(head: ResponseHead(status: 200, reason: "OK"), request: head, implied: implied)
    #expect(response.description.hasPrefix("{ URL: https://tunnel.example:8443/a, Status Code: 200"))
  }
}
