import FoundationEssentials
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// A session's patience, on sockets.
@Suite struct TaskTimeoutsTests {
  private let session = Session()

  @Test("4: timeoutInterval ends the silence of one request, as a time-out")
  func timeoutInterval() throws {
    let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
    var request = try URLRequest(url: origin.url(), method: .get)
    request.timeoutInterval = 0.05
    let outcome = try session.request(request).awaitedOutcome().wait()
    #expect(outcome.error?.transportError?.kind == .timedOut)
    #expect(outcome.error?.isTimeout == true)
  }

  @Test("4: timeoutIntervalForResource ends even an active task")
  func resource() throws {
    let pieces = (0..<200).map { _ in Array("x".utf8) }
    let origin = try ScriptedOrigin([.expectRequest] + OriginStep.respond(inPieces: pieces, every: 10) + [.expectEnd])
    var configuration = SessionConfiguration.default
    configuration.timeoutIntervalForResource = 0.15
    let session = Session(configuration: configuration)
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    #expect(outcome.error?.transportError?.kind == .timedOut)
  }

  @Test("Instants have dates")
  func dates() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(), .expectEnd])
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    let only = try #require(outcome.timing.metrics?.transactions.first)
    let (start, end) = (try #require(only.fetchStart), try #require(only.responseEnd))
    #expect(end.date >= start.date)
    #expect(abs(end.date.timeIntervalSinceNow) < 30)
  }
}
