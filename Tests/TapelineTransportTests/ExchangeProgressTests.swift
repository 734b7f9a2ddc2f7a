import Testing

@testable import TapelineTransport

@Suite struct ExchangeProgressTests {
  @Test func aDeadReusedConnectionIsRetriedOnce() {
    let progress = ExchangeProgress(isReused: true, isReplayable: true)
    #expect(progress.allowsRetry(attempts: 1))
    #expect(!progress.allowsRetry(attempts: 2))
  }

  @Test func aNewConnectionIsNotRetried() {
    #expect(!ExchangeProgress(isReused: false, isReplayable: true).allowsRetry(attempts: 1))
  }

  @Test func whatCannotBeReplayedIsNotRetried() {
    #expect(!ExchangeProgress(isReused: true, isReplayable: false).allowsRetry(attempts: 1))
  }

  @Test func nothingIsRetriedOnceTheOriginSpoke() {
    var progress = ExchangeProgress(isReused: true, isReplayable: true)
    progress.beginResponse()
    #expect(!progress.allowsRetry(attempts: 1))
  }

  @Test func onlyACompleteExchangeLeavesTheConnectionClean() {
    var early = ExchangeProgress(isReused: false, isReplayable: false)
    early.beginResponse()
    early.endResponse()
    #expect(!early.leavesConnectionClean)
    early.endRequest()
    #expect(early.leavesConnectionClean)
  }
}
