import Testing

@testable import TapelineTransport

@Suite struct ExchangeProgressTests {
  @Test func aDeadReusedConnectionIsRetriedOnce() {
    let progress = ExchangeProgress(hasWaited: true, isReplayable: true)
    #expect(progress.allowsRetry(attempts: 1))
    #expect(!progress.allowsRetry(attempts: 2))
  }

  @Test func aNewConnectionIsNotRetried() {
    #expect(!ExchangeProgress(hasWaited: false, isReplayable: true).allowsRetry(attempts: 1))
  }

  @Test func whatCannotBeReplayedIsNotRetried() {
    #expect(!ExchangeProgress(hasWaited: true, isReplayable: false).allowsRetry(attempts: 1))
  }

  @Test func nothingIsRetriedOnceTheOriginSpoke() {
    var progress = ExchangeProgress(hasWaited: true, isReplayable: true)
    progress.beginResponse()
    #expect(!progress.allowsRetry(attempts: 1))
  }

  @Test func onlyACompleteExchangeLeavesTheConnectionClean() {
    var early = ExchangeProgress(hasWaited: false, isReplayable: false)
    early.beginResponse()
    early.endResponse()
    #expect(!early.leavesConnectionClean)
    early.endRequest()
    #expect(early.leavesConnectionClean)
  }

  @Test func aByteIsNoHead() {
    var progress = ExchangeProgress(hasWaited: false, isReplayable: false)
    progress.beginResponse()
    #expect(!progress.headEnded)
    progress.endHead()
    #expect(progress.headEnded)
  }
}
