import Testing

@testable import TapelineProxy

@Suite struct ClientTrustTests {
  @Test func aRefusalIsRememberedPerClientAndHost() {
    let trust = ClientTrust()
    #expect(trust.noteRefusal(.alert("unknown_ca"), by: "1.1.1.1", of: "a.example"))
    #expect(trust.refusal(by: "1.1.1.1", of: "a.example") == .alert("unknown_ca"))
    #expect(trust.refusal(by: "1.1.1.1", of: "b.example") == nil)
    #expect(trust.refusal(by: "1.1.1.2", of: "a.example") == nil)
  }

  @Test func silenceIsNoRefusalOfAClientThatHasTrustedUs() {
    let trust = ClientTrust()
    trust.noteAcceptance(by: "c", of: "h")
    #expect(!trust.noteRefusal(.silence, by: "c", of: "h"))
    #expect(trust.refusal(by: "c", of: "h") == nil)
    #expect(trust.noteRefusal(.alert("bad_certificate"), by: "c", of: "h"))
    trust.noteAcceptance(by: "c", of: "h")
    #expect(trust.refusal(by: "c", of: "h") == .alert("bad_certificate"))
  }

  @Test func theOldestIsForgotten() {
    let trust = ClientTrust(limit: 2)
    for host in ["a", "b", "c"] { #expect(trust.noteRefusal(.silence, by: "c", of: host)) }
    #expect(["a", "b", "c"].map { trust.refusal(by: "c", of: $0) } == [nil, .silence, .silence])
  }
}
