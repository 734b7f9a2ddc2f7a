import TapelineTime
import Testing

@testable import TapelineTransport

@Suite struct UpstreamExchangeTests {
  private let start = MonotonicInstant(nanoseconds: 1_000)

  @Test func aDeadReusedConnectionIsRetriedOnce() {
    let exchange = UpstreamExchange(hasWaited: true, isReplayable: true)
    #expect(exchange.allowsRetry(attempts: 1))
    #expect(!exchange.allowsRetry(attempts: 2))
  }

  @Test func aNewConnectionIsNotRetried() {
    #expect(!UpstreamExchange(hasWaited: false, isReplayable: true).allowsRetry(attempts: 1))
  }

  @Test func aConnectionOfTheClientsEndsForTheClientAndIsNotRetried() {
    var exchange = UpstreamExchange(hasWaited: true, isReplayable: true, isPaired: true)
    #expect(exchange.endsForClient && !exchange.allowsRetry(attempts: 1))
    exchange.beginResponse(at: start)
    #expect(!exchange.endsForClient)
    #expect(!UpstreamExchange(hasWaited: false, isReplayable: true, isPaired: true).endsForClient)
    #expect(!UpstreamExchange(hasWaited: true, isReplayable: true).endsForClient)
  }

  @Test func whatCannotBeReplayedIsNotRetried() {
    #expect(!UpstreamExchange(hasWaited: true, isReplayable: false).allowsRetry(attempts: 1))
  }

  @Test func nothingIsRetriedOnceTheOriginSpoke() {
    var exchange = UpstreamExchange(hasWaited: true, isReplayable: true)
    exchange.beginResponse(at: start)
    #expect(!exchange.allowsRetry(attempts: 1))
  }

  @Test func onlyACompleteExchangeLeavesTheConnectionClean() {
    var early = UpstreamExchange(hasWaited: false, isReplayable: false)
    early.beginResponse(at: start)
    early.endResponse()
    #expect(!early.leavesConnectionClean)
    #expect(early.isAnsweredEarly && early.reached == .send, "sending lasts as long as the request is incomplete")
    early.endRequest()
    #expect(early.leavesConnectionClean && !early.isAnsweredEarly)
    early.receiveExcess()
    #expect(!early.leavesConnectionClean)
  }

  @Test func aByteIsNoHead() {
    var exchange = UpstreamExchange(hasWaited: false, isReplayable: false)
    exchange.beginResponse(at: start)
    #expect(!exchange.headEnded)
    exchange.endHead()
    #expect(exchange.headEnded)
  }

  @Test func eachHeadBeganWithItsOwnFirstByte() {
    var exchange = UpstreamExchange(hasWaited: false, isReplayable: false)
    let later = MonotonicInstant(nanoseconds: 2_000)
    exchange.beginResponse(at: start)
    exchange.beginResponse(at: later)
    #expect(exchange.headBegan == start)
    exchange.endInformationalHead(next: nil)
    exchange.beginResponse(at: later)
    #expect(exchange.headBegan == later)
    exchange.endInformationalHead(next: start)
    exchange.beginResponse(at: later)
    #expect(exchange.headBegan == start, "the next head came with the end of the one before")
  }

  @Test func errorsBelongToThePhaseThatIsReached() {
    var exchange = UpstreamExchange(hasWaited: false, isReplayable: false, bodyLength: 3)
    #expect(exchange.reached == .send && !exchange.awaitsResponse)
    exchange.sendBody(2)
    #expect(exchange.bodyRemaining == 1)
    exchange.endRequest()
    #expect(exchange.reached == .wait && exchange.awaitsResponse)
    exchange.beginResponse(at: start)
    #expect(exchange.reached == .receive && exchange.awaitsResponse, "the head is not complete")
    exchange.endHead()
    #expect(exchange.reached == .receive && !exchange.awaitsResponse)
  }
}
