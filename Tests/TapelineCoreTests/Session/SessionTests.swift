import Dispatch
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct SessionTests {
  /// Waits for the one response of a handler.
  private final class Answer: Sendable {
    private let value = Mutex<DefaultDataResponse?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    func take(_ response: DefaultDataResponse) {
      value.withLock { $0 = response }
      arrived.signal()
    }

    func wait() throws -> DefaultDataResponse {
      try #require(arrived.wait(timeout: .now() + 10) == .success)
      return try #require(value.withLock { $0 })
    }
  }

  @Test func aResponseIsDeliveredWithEverythingThatCame() throws {
    let harness = try CoreHarness()
    let answer = Answer()
    let request = harness.session.request(try CoreHarness.get())
    request.response(queue: harness.callbacks) { answer.take($0) }
    try harness.onLoop { transport in
      let task = try #require(transport.started.first)
      _ = task.didReceive(ResponseHead(status: 200, fields: ["Server": "test"]))
      _ = task.didReceive(Array("hel".utf8).span, at: .now)
      _ = task.didReceive(Array("lo".utf8).span, at: .now)
      task.complete(with: nil)
    }
    let response = try answer.wait()
    #expect(response.response?.statusCode == 200)
    #expect(response.data.map { Array($0) } == Array("hello".utf8))
    #expect(response.error == nil)
    #expect(response.request?.description == "http://origin.example/")
    #expect(response.timeline.latency >= 0)
    #expect(response.timeline.requestDuration >= response.timeline.latency)
    #expect(response.timeline.totalDuration >= response.timeline.requestDuration)
    #expect(request.isFinished)
  }

  @Test func aFailedTaskHasATimelineWhoseLatencyIsItsDuration() throws {
    let harness = try CoreHarness()
    let answer = Answer()
    harness.session.request(try CoreHarness.get()).response(queue: harness.callbacks) { answer.take($0) }
    try harness.onLoop { transport in
      let task = try #require(transport.started.first)
      task.complete(with: TransportError(origin: .upstream, phase: .connect, kind: .refused, message: "refused"))
    }
    let response = try answer.wait()
    #expect((response.error as? TapelineError)?.kind == .sessionTaskFailed)
    #expect(response.response == nil)
    #expect(response.data == nil)
    #expect(response.timeline.latency == response.timeline.requestDuration)
  }

  @Test func handlersRunInTheOrderAttachedAndAfterTheEndWasStamped() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    let done = DispatchSemaphore(value: 0)
    let request = harness.session.request(try CoreHarness.get())
    request.addOperation { log.add(request.delegate.endInstant == nil ? "no end yet" : "end stamped") }
    request.response(queue: harness.callbacks) { _ in log.add("first") }
    request.response(queue: harness.callbacks) { _ in log.add("second") }
    request.response(queue: harness.callbacks) { _ in done.signal() }
    #expect(log.all.isEmpty)
    try harness.onLoop { try #require($0.started.first).complete(with: nil) }
    try #require(done.wait(timeout: .now() + 10) == .success)
    #expect(log.all == ["end stamped", "first", "second"])
  }

  @Test func aHandlerAttachedAfterTheEndIsCalled() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(try CoreHarness.get())
    request.resume()
    try harness.onLoop { try #require($0.started.first).complete(with: nil) }
    let answer = Answer()
    request.response(queue: harness.callbacks) { answer.take($0) }
    #expect(try answer.wait().error == nil)
  }

  @Test func twoReadingsOfATimelineDifferOnlyInTheirEnd() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(try CoreHarness.get())
    request.resume()
    try harness.onLoop { try #require($0.started.first).complete(with: nil) }
    let first = request.timeline
    let second = request.timeline
    #expect(second.serializationCompletedTime > first.serializationCompletedTime)
    #expect(second.requestCompletedTime == first.requestCompletedTime)
  }

  @Test func resumingTwiceStartsOneTaskAndKeepsTheStart() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(try CoreHarness.get())
    request.resume()
    let start = request.timeline.requestStartTime
    request.suspend().resume().resume()
    #expect(try harness.onLoop { $0.started.count } == 1)
    #expect(request.timeline.requestStartTime == start)
  }

  @Test func cancellingReachesTheTransportAndTheHandlers() throws {
    let harness = try CoreHarness()
    let answer = Answer()
    let request = harness.session.request(try CoreHarness.get())
    request.response(queue: harness.callbacks) { answer.take($0) }
    _ = try harness.onLoop { $0.started.count }
    request.cancel()
    #expect((try answer.wait().error as? TapelineError)?.kind == .explicitlyCancelled)
    #expect(request.isCancelled)
    #expect(!request.isFinished)
    #expect(try harness.onLoop { $0.cancelled.count } == 1)
  }

  @Test func cancellingBeforeTheStartStillCallsTheHandlers() throws {
    let harness = try CoreHarness()
    let answer = Answer()
    let request = harness.session.request(try CoreHarness.get())
    request.cancel()
    request.response(queue: harness.callbacks) { answer.take($0) }
    #expect((try answer.wait().error as? TapelineError)?.kind == .explicitlyCancelled)
    #expect(try harness.onLoop { $0.started.isEmpty })
  }

  @Test func theRegistryForgetsARequestThatHasEnded() throws {
    let harness = try CoreHarness()
    weak var released: DataRequest?
    do {
      let request = harness.session.request(try CoreHarness.get())
      request.resume()
      released = request
      let session = harness.session
      try harness.onLoop { transport in
        let task = try #require(transport.started.first)
        #expect(session.delegate[task] === request)
        #expect(session.delegate.taskCount == 1)
        task.complete(with: nil)
        #expect(session.delegate[task] == nil)
        #expect(session.delegate.taskCount == 0)
      }
    }
    // The loop holds the jobs of one turn until the turn has ended; this one comes in the next.
    try harness.onLoop { _ in }
    #expect(released == nil)
  }

  @Test func anUploadIsPulledAtTheTransportsPace() throws {
    let harness = try CoreHarness()
    let body = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
    let head = try RequestHead(method: .post, target: "http://origin.example/")
    let outgoing = OutgoingRequest(head: head, framing: .length(1_000), route: Route(host: "origin.example", port: 80))
    let request = harness.session.upload(.data(body), with: outgoing)
    request.resume()
    let sent = try harness.onLoop { transport -> [UInt8] in
      transport.pullBody(of: try #require(transport.started.first), limit: 300)
      return transport.sentBody
    }
    #expect(sent == body)
    #expect((request.delegate as? UploadTaskDelegate)?.bodyBytesSent == 1_000)
    #expect(request.delegate.initialResponseInstant != nil)
    request.cancel()
  }

  @Test func identifiersAreUniqueWhateverThreadAsks() async throws {
    let harness = try CoreHarness()
    let outgoing = try CoreHarness.get()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask { harness.session.request(outgoing).resume() }
      }
    }
    let identifiers = try harness.onLoop { transport in transport.started.map(\.taskIdentifier) }
    #expect(Set(identifiers).count == 64)
    try harness.onLoop { transport in for task in transport.started { task.complete(with: nil) } }
  }
}
