import TapelineTLS
import Testing

@testable import TapelineProxy

@Suite("What a client is answered by ALPN") struct ProtocolMirrorTests {
  private static let other = ApplicationProtocol(name: "acme-tls/1")

  @Test("The origin is offered what the client offers, in its order, as far as it is spoken")
  func offers() {
    func offered(_ offers: [ApplicationProtocol], speaksHTTP2: Bool = true) -> [ApplicationProtocol] {
      ProtocolMirror(offers, speaksHTTP2: speaksHTTP2).offered
    }
    #expect(offered([.http2, .http11]) == [.http2, .http11])
    #expect(offered([.http11, Self.other, .http2]) == [.http11, .http2])
    #expect(offered([.http2]) == [.http2])
    #expect(offered([Self.other]) == [])
    #expect(offered([]) == [])
    #expect(offered([.http2, .http11], speaksHTTP2: false) == [.http11])
    #expect(offered([.http2], speaksHTTP2: false) == [])
  }

  @Test("A client waits for the origin's choice if it leaves one")
  func waiting() {
    #expect(ProtocolMirror([.http2, .http11], speaksHTTP2: true).awaitsOrigin)
    #expect(ProtocolMirror([.http11, .http2], speaksHTTP2: true).awaitsOrigin)
    for offers in [[.http2], [.http11], [Self.other], []] as [[ApplicationProtocol]] {
      #expect(!ProtocolMirror(offers, speaksHTTP2: true).awaitsOrigin)
    }
    #expect(!ProtocolMirror([.http2, .http11], speaksHTTP2: false).awaitsOrigin)
  }

  @Test("The origin's choice is the answer; without one it is HTTP/1.1, and HTTP/2 where the origin is unknown")
  func choices() {
    for offers in [[.http2, .http11], [.http11, .http2]] as [[ApplicationProtocol]] {
      let mirror = ProtocolMirror(offers, speaksHTTP2: true)
      #expect(mirror.choice(after: .chose(.http2)) == .http2)
      #expect(mirror.choice(after: .chose(.http11)) == .http11)
      #expect(mirror.choice(after: .chose(nil)) == .http11)
      #expect(mirror.choice(after: .chose(Self.other)) == .http2)
      #expect(mirror.choice(after: .missing) == .http2)
    }
    let modern = ProtocolMirror([.http2], speaksHTTP2: true)
    for answer in [.chose(.http2), .chose(.http11), .chose(nil), .missing] as [ProtocolMirror.Answer] {
      #expect(modern.choice(after: answer) == .http2)
    }
    let old = ProtocolMirror([.http11], speaksHTTP2: true)
    for answer in [.chose(.http2), .chose(.http11), .chose(nil), .missing] as [ProtocolMirror.Answer] {
      #expect(old.choice(after: answer) == .http11)
    }
  }
}
