import Testing

@testable import TapelineTLS

struct ApplicationProtocolTests {
  private func select(_ preferred: [UInt8], from offered: [UInt8]) -> [UInt8]? {
    ApplicationProtocol.select(preferred.span, from: offered.span).map { Array(offered[$0]) }
  }

  @Test func namesStandBehindTheirLengths() {
    #expect(ApplicationProtocol.encode([.http2, .http11]) == [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8))
  }

  @Test func theFirstPreferenceThatIsOfferedIsChosen() {
    let both = ApplicationProtocol.encode([.http11, .http2])
    #expect(select(ApplicationProtocol.encode([.http2, .http11]), from: both) == Array("h2".utf8))
    #expect(select(ApplicationProtocol.encode([.http11]), from: both) == Array("http/1.1".utf8))
    #expect(select(ApplicationProtocol.encode([.http11]), from: ApplicationProtocol.encode([.http2])) == nil)
    #expect(select([], from: both) == nil)
    #expect(select(both, from: []) == nil)
  }

  @Test func aListThatIsCutShortOffersWhatIsWhole() {
    let list = ApplicationProtocol.encode([.http11, .http2])
    #expect(select(ApplicationProtocol.encode([.http2]), from: Array(list.dropLast())) == nil)
    #expect(select(ApplicationProtocol.encode([.http11]), from: Array(list.dropLast())) == Array("http/1.1".utf8))
  }
}
