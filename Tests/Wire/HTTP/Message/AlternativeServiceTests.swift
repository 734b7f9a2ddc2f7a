import TapelineHTTP
import Testing

@Suite("Alternative services") struct AlternativeServiceTests {
  private func list(_ values: String...) -> [String] {
    AlternativeService.list(values).map { "\($0.protocol) \($0.authority) \($0.maxAge.map { "\($0)" } ?? "-")" }
  }

  @Test("RFC 7838 3: protocols, places and ages, in order; clear names none")
  func fields() {
    #expect(list(#"h3=":443"; ma=86400, h3-29="alt.example:8443"; persist=1"#) == ["h3 :443 86400", "h3-29 alt.example:8443 -"])
    #expect(list(#"h2="a,b:1""#, #"w%3Dx=":1";ma="5""#) == ["h2 a,b:1 -", "w%3Dx :1 5"])
    #expect(list("clear") == [])
    #expect(list("nonsense; ma=1, ") == [])
  }

  @Test("They are taken out of a response only on demand, in either version, and the changes say so")
  func stripping() throws {
    var fields = HeaderFields()
    fields.append(name: "Alt-Svc", value: "h3=\":443\"")
    fields.append(name: "X", value: "1")
    let head = ResponseHead(status: 204, fields: fields)
    for version in [HTTPVersion.http11, .http2] {
      var forwarding = ResponseForwarding(to: .get, of: version, framing: .none, persists: true)
      #expect(!forwarding.changes(of: head).contains(.removed(0)))
      forwarding.stripsAlternatives = true
      #expect(forwarding.changes(of: head).contains(.removed(0)))
    }
    var forwarding = ResponseForwarding(to: .get, of: .http11, framing: .none, persists: true)
    forwarding.stripsAlternatives = true
    var output: [UInt8] = []
    forwarding.append(head, into: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("X: 1\r\n") && !text.contains("Alt-Svc"))
  }
}
