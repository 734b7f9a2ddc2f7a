import TapelineTime
import Testing

@testable import TapelineLoop

/// Time is moved by hand, in milliseconds.
struct HappyEyeballsStateMachineTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  private func race(_ count: Int) -> HappyEyeballs.StateMachine {
    HappyEyeballs.StateMachine(count: count, configuration: HappyEyeballs.Configuration())
  }

  private func failure(_ kind: LoopError.Kind) -> LoopError {
    LoopError(kind, "\(kind)")
  }

  @Test func oneAddressThatAnswers() {
    var race = race(1)
    #expect(race.begin(at: at(0)) == [.start(0), .wake(at: at(10_000))])
    #expect(race.didConnect(0) == [.succeed(0)])
  }

  @Test func aSlowAddressGetsCompanyAfterTheDelay() {
    var race = race(3)
    #expect(race.begin(at: at(0)) == [.start(0), .wake(at: at(250))])
    #expect(race.timeHasPassed(at: at(249)) == [.wake(at: at(250))], "an early wake-up starts nothing")
    #expect(race.timeHasPassed(at: at(250)) == [.start(1), .wake(at: at(500))])
    #expect(race.timeHasPassed(at: at(510)) == [.start(2), .wake(at: at(10_000))])
    #expect(race.didConnect(1) == [.abandon(0), .abandon(2), .succeed(1)])
  }

  @Test func aFailureStartsTheNextAtOnce() {
    var race = race(2)
    #expect(race.begin(at: at(0)) == [.start(0), .wake(at: at(250))])
    #expect(race.didFail(0, with: failure(.refused), at: at(3)) == [.start(1), .wake(at: at(10_003))])
    #expect(race.didConnect(1) == [.succeed(1)])
  }

  @Test func aFailureBesideARunningAttemptStartsTheNextToo() {
    var race = race(4)
    _ = race.begin(at: at(0))
    #expect(race.timeHasPassed(at: at(250)) == [.start(1), .wake(at: at(500))])
    #expect(
      race.didFail(1, with: failure(.refused), at: at(260)) == [.start(2), .wake(at: at(510))], "and the delay begins anew")
    #expect(race.timeHasPassed(at: at(510)) == [.start(3), .wake(at: at(10_000))])
  }

  @Test func allFail() {
    var race = race(2)
    _ = race.begin(at: at(0))
    _ = race.didFail(0, with: failure(.refused), at: at(1))
    #expect(race.didFail(1, with: failure(.reset), at: at(2)) == [.fail(failure(.refused))], "the first reason counts")
    #expect(race.didConnect(1) == [])
    #expect(race.didFail(0, with: failure(.refused), at: at(3)) == [])
    #expect(race.timeHasPassed(at: at(4)) == [])
  }

  @Test func aMissingRouteIsTheLeastOfReasons() {
    var race = race(3)
    _ = race.begin(at: at(0))
    _ = race.didFail(0, with: failure(.unreachable), at: at(1))
    _ = race.didFail(1, with: failure(.refused), at: at(2))
    #expect(race.didFail(2, with: failure(.unreachable), at: at(3)) == [.fail(failure(.refused))])
  }

  @Test func eachAddressHasItsOwnTimeout() throws {
    var race = race(2)
    _ = race.begin(at: at(0))
    #expect(race.timeHasPassed(at: at(250)) == [.start(1), .wake(at: at(10_000))])
    #expect(race.timeHasPassed(at: at(10_000)) == [.abandon(0), .wake(at: at(10_250))])
    let end = race.timeHasPassed(at: at(10_250))
    #expect(end.first == .abandon(1))
    guard case .fail(let error) = try #require(end.last) else {
      Issue.record("the race did not fail")
      return
    }
    #expect(error.kind == .tooLate)
    #expect(error.message == "no connection within 10.0 s")
  }

  @Test func aTimeoutStartsTheNextLikeAnyFailure() {
    var configuration = HappyEyeballs.Configuration()
    configuration.connectTimeout = .milliseconds(100)
    var race = HappyEyeballs.StateMachine(count: 2, configuration: configuration)
    #expect(race.begin(at: at(0)) == [.start(0), .wake(at: at(100))])
    #expect(race.timeHasPassed(at: at(100)) == [.abandon(0), .start(1), .wake(at: at(200))])
  }
}
